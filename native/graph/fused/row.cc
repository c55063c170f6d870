#include "row.h"

#include "memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ggsl::fused {

namespace {

constexpr size_t no_block = std::numeric_limits<size_t>::max();

struct Columns;
struct Positions;
struct Pairs;

} // namespace

Row::Row(const Program & program)
    : program(program), n(static_cast<size_t>(program.n)), count((n + block - 1) / block), places(program.steps.size()),
      sources(program.steps.size()), is_whole(program.steps.size()), numbers(program.steps.size()),
      intervals(2 * count * program.steps.size()), starts(program.steps.size()), latest(program.steps.size()),
      kept(program.steps.size()), found(program.steps.size()), wanted(program.steps.size()),
      sorters(program.steps.size()), bests(program.steps.size()), orders_at(program.steps.size()),
      scans(program.steps.size()), overall(program.steps.size()), fresh(count) {
    const auto size_of   = [&](const Step & s) { return s.is_kept ? count * block : static_cast<size_t>(block); };
    const auto has_place = [](const Step & s) { return s.is_column && s.kind != Kind::given; };
    size_t     total = 0, orders = 0;
    for (Id id = 0; id < program.steps.size(); ++id) {
        const Step & s = step(id);
        total += has_place(s) ? size_of(s) : 0;
        orders += s.kind == Kind::order ? 1 : 0;
        if (s.is_sorted) {
            sorted.push_back(id);
        }
        for (const int32_t operand : { s.a, s.b }) {
            if (s.is_column && operand >= 0) {
                const auto & those = scans[static_cast<Id>(operand)];
                scans[id].insert(scans[id].end(), those.begin(), those.end());
            }
        }
        if (s.kind == Kind::scan && s.a < 0) {
            scans[id].push_back(id);
        }
    }
    float * place = memory_of<float, Columns>(total);
    for (Id id = 0; id < program.steps.size(); ++id) {
        if (has_place(step(id))) {
            places[id] = place;
            place += size_of(step(id));
        }
        if (step(id).is_kept) {
            kept[id].resize(count);
            is_whole[id] = true;
        }
        if (step(id).kind == Kind::blocks || step(id).kind == Kind::scan) {
            starts[id].reserve(count + 1);
        }
    }
    auto * positions = memory_of<int32_t, Positions>(orders * n);
    auto * pairs     = memory_of<cpu::Keyed, Pairs>(orders * n);
    for (Id id = 0; id < program.steps.size(); ++id) {
        if (step(id).kind == Kind::order) {
            orders_at[id] = { positions, pairs };
            positions += n;
            pairs += n;
        }
    }
}

void Row::run(std::span<const void * const> given_data, std::span<const float> uniform_values,
              std::span<void * const> output_data) {
    given    = given_data;
    uniforms = uniform_values;
    outputs  = output_data;
    std::fill(latest.begin(), latest.end(), no_block);
    for (std::vector<bool> & blocks : kept) {
        std::fill(blocks.begin(), blocks.end(), false);
    }
    for (size_t i = 0; i < program.outputs.size(); ++i) {
        const Id id = static_cast<Id>(program.outputs[i].step);
        if (program.outputs[i].is_whole_column(step(id)) && !step(id).is_kept) {
            places[id]   = static_cast<float *>(outputs[i]);
            is_whole[id] = true;
        }
    }
    version = 0;
    std::fill(fresh.begin(), fresh.end(), version);
    for (level = 0; level < program.levels; ++level) {
        begin_level();
        read_blocks();
        end_level();
    }
}

void Row::begin_level() {
    reading.clear();
    storing.clear();
    for (size_t at = 0; at < count; ++at) {
        refresh(at, level);
    }
    for (Id id = 0; id < program.steps.size(); ++id) {
        const Step & s = step(id);
        if (s.level != level) {
            continue;
        }
        if (is_reduction(s.kind)) {
            found[id] = { 0, -infinity, 0 };
            starts[id].assign(1, 0);
            bests[id].start(static_cast<size_t>(s.source));
            reading.push_back(id);
        } else if (s.is_column) {
            begin_column(id);
        } else {
            set_number(id);
        }
    }
    for (const Output & output : program.outputs) {
        const Step & s = step(static_cast<Id>(output.step));
        if (output.is_whole_column(s) && s.level == level) {
            storing.push_back(&output);
        }
    }
}

void Row::set_number(Id id) {
    const Step & s = step(id);
    if (s.kind == Kind::given) {
        const void * data = given[static_cast<size_t>(s.source)];
        // an integer below 2^24
        numbers[id] =
            s.c0 != 0 ? static_cast<float>(*static_cast<const int32_t *>(data)) : *static_cast<const float *>(data);
    } else if (s.kind == Kind::uniform) {
        numbers[id] = uniforms[static_cast<size_t>(s.source)];
    } else if (s.b < 0) {
        lanes().map(s.kind, &numbers[static_cast<Id>(s.a)], &numbers[id], 1, s.c0, s.c1);
    } else {
        lanes().zip(s.kind, &numbers[static_cast<Id>(s.a)], 1, &numbers[static_cast<Id>(s.b)], 1, &numbers[id], 1);
    }
}

void Row::read_blocks() {
    if (reading.empty() && storing.empty()) {
        return;
    }
    // The largest number is likely in the block that may hold the largest.
    for (const Id id : reading) {
        const Kind kind = step(id).kind;
        if (kind == Kind::best) {
            find_best(id);
        }
        if (kind != Kind::largest && kind != Kind::argmax) {
            continue;
        }
        const Id      x    = static_cast<Id>(step(id).a);
        const float * hi   = hi_of(x);
        size_t        best = 0;
        for (size_t at = 1; at < count; ++at) {
            best = hi[at] > hi[best] ? at : best;
        }
        const Id only[] = { x };
        if (!is_even(x, best)) {
            compute(only, best);
        }
        reduce(id, best);
    }
    for (size_t at = 0; at < count; ++at) {
        read_block(at);
    }
}

void Row::read_block(size_t at) {
    refresh(at, level + 1);
    roots.clear();
    pending.clear();
    for (const Id id : reading) {
        if (!needs(id, at)) {
            continue;
        }
        pending.push_back(id);
        if (const Id x = static_cast<Id>(step(id).a); !is_even(x, at) && !is_counted(id, at)) {
            roots.push_back(x);
        }
    }
    for (const Output * output : storing) {
        if (const Id x = static_cast<Id>(output->step); !is_even(x, at)) {
            roots.push_back(x);
        }
    }
    if (!roots.empty()) {
        compute(roots, at);
    }
    for (const Id id : pending) {
        reduce(id, at);
    }
    for (const Output * output : storing) {
        store(*output, at);
    }
}

size_t Row::position_of(const Step & s) const {
    const int32_t from = s.kind == Kind::put ? s.source : s.b;
    return from < 0 ? static_cast<size_t>(s.source)
                    : static_cast<size_t>(std::clamp(numbers[static_cast<Id>(from)], 0.0f, static_cast<float>(n - 1)));
}

bool Row::needs(Id id, size_t at) {
    const Step &  s = step(id);
    const Id      x = static_cast<Id>(s.a);
    const Found & f = found[id];
    switch (s.kind) {
        case Kind::largest: return !(hi_of(x)[at] <= f.most);
        // of a tie, the first position
        case Kind::argmax: return !(hi_of(x)[at] < f.most || (hi_of(x)[at] == f.most && first_of(at) >= f.position));
        case Kind::at:     {
            const size_t position = position_of(s);
            found[id].position    = position;
            return position / block == at;
        }
        case Kind::stored: return sources[x] == nullptr;
        case Kind::best:   return false; // visited before
        default:           return true;
    }
}

void Row::offer(Id id, float value, size_t position) {
    Found & f = found[id];
    if (value > f.most || (value == f.most && position < f.position)) {
        f.most     = value;
        f.position = position;
    }
}

void Row::reduce(Id id, size_t at) {
    const Step &  s      = step(id);
    const Id      x      = static_cast<Id>(s.a);
    const bool    even   = is_even(x, at);
    const float   number = lo_of(x)[at];
    const size_t  length = length_of(at);
    const float * values = even ? nullptr : column(same_as(x, at), at);
    Found &       f      = found[id];
    switch (s.kind) {
        case Kind::largest: f.most = std::max(f.most, even ? number : lanes().largest(values, length)); break;
        case Kind::argmax:
            if (even) {
                offer(id, number, first_of(at));
            } else if (const float most = lanes().largest(values, length); most >= f.most) {
                const float * place = std::find(values, values + length, most);
                if (place != values + length) {
                    offer(id, most, first_of(at) + static_cast<size_t>(place - values));
                }
            }
            break;
        case Kind::best:
            if (even) {
                bests[id].offer_same(number, length, first_of(at));
            } else {
                bests[id].offer(values, length, first_of(at));
            }
            break;
        case Kind::at: f.most = even ? number : values[f.position - first_of(at)]; break;
        case Kind::stored:
            if (even) {
                std::fill_n(places[x] + first_of(at), length, number);
            }
            break;
        default: {
            const double sum = even ? static_cast<double>(number) * static_cast<double>(length) : sum_of(x, at);
            f.sum += sum;
            if (s.kind == Kind::blocks) {
                starts[id].push_back(f.sum);
            }
        }
    }
}

void Row::end_level() {
    for (const Id id : reading) {
        const Found & f = found[id];
        switch (step(id).kind) {
            case Kind::largest:
            case Kind::at:      numbers[id] = f.most; break;
            case Kind::argmax:  numbers[id] = static_cast<float>(f.position); break;
            case Kind::share:   numbers[id] = static_cast<float>(1.0 / f.sum); break;
            default:            numbers[id] = static_cast<float>(f.sum); break;
        }
    }
    for (const Output & output : program.outputs) {
        if (output.level == level && !output.is_whole_column(step(static_cast<Id>(output.step)))) {
            write(output, outputs[static_cast<size_t>(&output - program.outputs.data())]);
        }
    }
}

void Row::store(const Output & output, size_t at) {
    const Id id = static_cast<Id>(output.step);
    auto *   to = static_cast<float *>(outputs[static_cast<size_t>(&output - program.outputs.data())]) + first_of(at);
    if (is_even(id, at)) {
        std::fill_n(to, length_of(at), lo_of(id)[at]);
    } else if (const float * from = column(same_as(id, at), at); from != to) {
        std::memcpy(to, from, length_of(at) * sizeof(float));
    }
}

} // namespace ggsl::fused
