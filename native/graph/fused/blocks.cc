// Computes blocks of columns.
#include "row.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ggsl::fused {

Row::Id Row::same_as(Id id, size_t at) {
    for (;;) {
        const Step & s = step(id);
        if (s.is_kept) {
            return id;
        }
        if (s.kind == Kind::put && position_of(s) / block != at) {
            id = static_cast<Id>(s.a);
            continue;
        }
        if (s.kind != Kind::mul) {
            return id;
        }
        const auto is_one = [&](int32_t operand) {
            const Id i = static_cast<Id>(operand);
            return step(i).is_column ? is_even(i, at) && lo_of(i)[at] == 1.0f : numbers[i] == 1.0f;
        };
        const auto is_other = [&](int32_t operand) {
            const Id i = static_cast<Id>(operand);
            return step(i).is_column && !is_even(i, at);
        };
        if (is_one(s.a) && is_other(s.b)) {
            id = static_cast<Id>(s.b);
        } else if (is_one(s.b) && is_other(s.a)) {
            id = static_cast<Id>(s.a);
        } else {
            return id;
        }
    }
}

const float * Row::column(Id id, size_t at) const {
    return sources[id] != nullptr ? sources[id] + first_of(at) : places[id] + (is_whole[id] ? first_of(at) : 0);
}

float * Row::target(Id id, size_t at) {
    return places[id] + (is_whole[id] ? first_of(at) : 0);
}

void Row::compute(std::span<const Id> columns, size_t at) {
    for (const Id id : columns) {
        for (const Id scan : scans[id]) {
            extend(scan, at);
        }
    }
    compute_now(columns, at);
}

void Row::extend(Id scan, size_t at) {
    std::vector<double> & start = starts[scan];
    const Id              x     = static_cast<Id>(step(scan).b);
    while (start.size() <= at + 1 && !is_even(scan, at)) {
        const size_t last = start.size() - 1;
        double       sum  = static_cast<double>(lo_of(x)[last]) * static_cast<double>(length_of(last));
        if (!is_even(x, last)) {
            const Id only[] = { x };
            compute_now(only, last);
            sum = sum_of(x, last);
        }
        start.push_back(start.back() + sum);
        ++version;
    }
}

void Row::compute_now(std::span<const Id> columns, size_t at) {
    Id last = 0;
    for (const Id column : columns) {
        const Id id = same_as(column, at);
        wanted[id]  = true;
        last        = std::max(last, id);
    }
    const auto is_there = [&](Id id) {
        return !step(id).is_column || sources[id] != nullptr || is_even(id, at) || latest[id] == at ||
               (step(id).is_kept && kept[id][at]);
    };
    Id first = last;
    for (Id id = last + 1; id-- > 0;) {
        if (!wanted[id]) {
            continue;
        }
        first = id;
        if (is_there(id)) {
            wanted[id] = false;
            continue;
        }
        // a scan reads the column whose blocks it sums
        for (const int32_t operand : { step(id).a, step(id).b }) {
            if (operand >= 0 && step(static_cast<Id>(operand)).is_column) {
                wanted[same_as(static_cast<Id>(operand), at)] = true;
            }
        }
    }
    for (Id id = first; id <= last; ++id) {
        if (wanted[id]) {
            wanted[id] = false;
            compute_step(id, at);
            latest[id] = at;
            if (step(id).is_kept) {
                kept[id][at] = true;
            }
        }
    }
}

void Row::compute_step(Id id, size_t at) {
    const Step & s      = step(id);
    const size_t length = length_of(at);
    float *      y      = target(id, at);
    if (s.kind == Kind::positions) {
        for (size_t i = 0; i < length; ++i) {
            y[i] = static_cast<float>(first_of(at) + i);
        }
        return;
    }
    if (s.kind == Kind::bits) {
        lanes().bits(words_of(id, at), y, length);
        return;
    }
    if (s.kind == Kind::order || s.kind == Kind::gather) {
        take_in_order(id, at);
        return;
    }
    const auto operand = [&](int32_t of) -> Operand {
        const Id i = static_cast<Id>(of);
        if (!step(i).is_column) {
            return { &numbers[i], 0 };
        }
        return is_even(i, at) ? Operand{ lo_of(i) + at, 0 } : Operand{ column(same_as(i, at), at), 1 };
    };
    if (s.kind == Kind::scan) {
        const auto [x, x_step]            = operand(s.b);
        const std::vector<double> & start = starts[starts_of(id)];
        const double end = std::isnan(lo_of(id)[at]) ? std::numeric_limits<double>::infinity() : start[at + 1];
        if (x_step == 0) {
            std::fill_n(y, length, *x);
        }
        lanes().scan(x_step == 0 ? y : x, y, length, start[at], end);
        return;
    }
    const auto [x, x_step] = operand(s.a);
    if (s.kind == Kind::put) {
        x_step == 0 ? std::fill_n(y, length, *x) : std::copy_n(x, length, y);
        if (const size_t position = position_of(s); position / block == at) {
            y[position - first_of(at)] = numbers[static_cast<Id>(s.b)];
        }
        return;
    }
    compute_each(s, { x, x_step }, s.b >= 0 ? operand(s.b) : Operand{}, y, length);
}

void Row::compute_each(const Step & s, Operand a, Operand b, float * to, size_t n) {
    if (s.b >= 0) {
        lanes().zip(s.kind, a.x, a.step, b.x, b.step, to, n);
    } else if (a.step == 0) {
        lanes().map(s.kind, a.x, to, 1, s.c0, s.c1);
        std::fill_n(to + 1, n - 1, to[0]);
    } else {
        lanes().map(s.kind, a.x, to, n, s.c0, s.c1);
    }
}

bool Row::is_counted(Id reduction, size_t at) {
    const Step & s = step(reduction);
    return (s.kind == Kind::sum || s.kind == Kind::share || s.kind == Kind::blocks) &&
           step(same_as(static_cast<Id>(s.a), at)).kind == Kind::bits;
}

double Row::sum_of(Id column_id, size_t at) {
    const Id id = same_as(column_id, at);
    return step(id).kind == Kind::bits ? static_cast<double>(ones_in(id, at))
                                       : lanes().sum(column(id, at), length_of(at));
}

size_t Row::ones_in(Id id, size_t at) const {
    const int32_t * words  = words_of(id, at);
    const size_t    length = length_of(at);
    const size_t    ones   = lanes().ones(words, length / word_bits);
    const size_t    rest   = length % word_bits;
    if (rest == 0) {
        return ones;
    }
    const int32_t last = words[length / word_bits] & ((1 << rest) - 1);
    return ones + lanes().ones(&last, 1);
}

void Row::take_in_order(Id id, size_t at) {
    const Step & s      = step(id);
    Sorter &     sorter = sorters[s.kind == Kind::order ? id : static_cast<Id>(s.b)];
    const size_t before = sorter.sorted();
    sorter.sort(first_of(at) + length_of(at));
    version += sorter.sorted() == before ? 0 : 1;
    const int32_t * positions = sorter.positions() + first_of(at);
    float *         y         = target(id, at);
    if (s.kind == Kind::order) {
        // below 2^24
        std::transform(positions, positions + length_of(at), y, [](int32_t i) { return static_cast<float>(i); });
    } else {
        const float * x = whole(static_cast<Id>(s.a));
        std::transform(positions, positions + length_of(at), y, [x](int32_t i) { return x[i]; });
    }
}

} // namespace ggsl::fused
