// The best of a column, and columns of which nothing is read but what is there.
#include "row.h"

#include "memory.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ggsl::fused {

namespace {

struct Points;

// So many numbers of a block are computed without it.
constexpr size_t most_alone = 64;

} // namespace

void Row::find_best(Id id) {
    const Id              x  = static_cast<Id>(step(id).a);
    const float *         hi = hi_of(x);
    std::vector<uint64_t> blocks;
    for (size_t at = 0; at < count; ++at) {
        blocks.push_back(key_of(std::isnan(hi[at]) ? infinity : hi[at], at));
    }
    sort_keys(blocks);
    std::array<int32_t, block> found;
    std::vector<int32_t>       candidates;
    const auto                 offer = [&] {
        if (!candidates.empty()) {
            bests[id].offer_at(numbers_at(x, candidates), candidates);
            candidates.clear();
        }
    };
    for (const uint64_t key : blocks) {
        const auto   at    = static_cast<size_t>(place_in(key));
        const size_t first = first_of(at);
        refresh(at, level + 1);
        if (!bests[id].may_have(hi[at], first)) {
            continue;
        }
        const float   least  = bests[id].least_from(first);
        const int32_t source = is_even(x, at) || least == -infinity ? -1 : above(x, at);
        if (source >= 0) {
            const size_t n_found =
                lanes().at_least(column(static_cast<Id>(source), at), length_of(at), least, found.data());
            if (n_found <= most_alone) {
                for (size_t i = 0; i < n_found; ++i) {
                    candidates.push_back(found[i] + static_cast<int32_t>(first));
                }
                if (candidates.size() >= most_alone) {
                    offer();
                }
                continue;
            }
        }
        const Id only[] = { x };
        if (!is_even(x, at)) {
            compute(only, at);
        }
        reduce(id, at);
    }
    offer();
}

int32_t Row::above(Id id, size_t at) {
    for (;;) {
        id             = same_as(id, at);
        const Step & s = step(id);
        if (sources[id] != nullptr) {
            return static_cast<int32_t>(id);
        }
        if (s.kind != Kind::add) {
            return -1;
        }
        // a sum with a number that is not above 0
        if (step(static_cast<Id>(s.a)).is_column && is_at_most(s.b, at, 0)) {
            id = static_cast<Id>(s.a);
        } else if (step(static_cast<Id>(s.b)).is_column && is_at_most(s.a, at, 0)) {
            id = static_cast<Id>(s.b);
        } else {
            return -1;
        }
    }
}

bool Row::is_at_most(int32_t id, size_t at, float number) {
    const Intervals found = intervals_of(id, at);
    return *found.hi <= number;
}

void Row::write(const Output & output, void * to) {
    const Id     id = static_cast<Id>(output.step);
    const Step & s  = step(id);
    for (const int32_t place : output.places) {
        const std::vector<int32_t> & positions = bests[static_cast<Id>(place)].positions();
        const float *                values    = numbers_at(id, positions);
        for (size_t i = 0; i < positions.size(); ++i) {
            static_cast<float *>(to)[positions[i]] = values[i];
        }
    }
    if (s.kind == Kind::best) {
        std::copy_n(bests[id].positions().data(), output.dim, static_cast<int32_t *>(to));
    } else if (output.is_i32) {
        *static_cast<int32_t *>(to) = static_cast<int32_t>(numbers[id]);
    } else if (!s.is_column) {
        *static_cast<float *>(to) = numbers[id];
    }
}

const float * Row::numbers_at(Id column, std::span<const int32_t> positions) {
    float * const memory = memory_of<float, Points>((column + 1) * positions.size());
    Id            first  = column;
    wanted[column]       = true;
    for (Id id = column + 1; id-- > 0;) {
        if (!wanted[id]) {
            continue;
        }
        first = id;
        for (const int32_t operand : { step(id).a, step(id).b }) {
            if (operand >= 0 && step(static_cast<Id>(operand)).is_column) {
                wanted[static_cast<Id>(operand)] = true;
            }
        }
    }
    for (Id id = first; id <= column; ++id) {
        if (wanted[id]) {
            wanted[id] = false;
            take(id, positions, memory + id * positions.size(), memory);
        }
    }
    return memory + column * positions.size();
}

// `memory` holds the numbers of the steps before this one.
void Row::take(Id id, std::span<const int32_t> positions, float * y, const float * memory) {
    const Step & s       = step(id);
    const size_t n_taken = positions.size();
    const auto   each    = [&](auto number_at) { std::transform(positions.begin(), positions.end(), y, number_at); };
    const auto   operand = [&](int32_t of) -> Operand {
        const Id i = static_cast<Id>(of);
        return step(i).is_column ? Operand{ memory + i * n_taken, 1 } : Operand{ &numbers[i], 0 };
    };
    const void * data = s.kind == Kind::given || s.kind == Kind::bits ? given[static_cast<size_t>(s.source)] : nullptr;
    switch (s.kind) {
        case Kind::given:     return each([&](int32_t i) { return static_cast<const float *>(data)[i]; });
        case Kind::positions: return each([](int32_t i) { return static_cast<float>(i); });
        case Kind::fill:      return each([&](int32_t) { return s.c0; });
        case Kind::bits:
            return each([&](int32_t i) {
                const int32_t word = static_cast<const int32_t *>(data)[i / word_bits];
                return (word >> i % word_bits & 1) != 0 ? 1.0f : 0.0f;
            });
        default: break;
    }
    const Operand a = operand(s.a);
    if (s.kind == Kind::put) {
        const auto position = static_cast<int32_t>(position_of(s));
        for (size_t i = 0; i < n_taken; ++i) {
            y[i] = positions[i] == position ? numbers[static_cast<Id>(s.b)] : a.x[i];
        }
    } else {
        compute_each(s, a, s.b >= 0 ? operand(s.b) : Operand{}, y, n_taken);
    }
}

} // namespace ggsl::fused
