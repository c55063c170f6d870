// Computes blocks of columns.
#include "row.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ggsl::fused {

const float * Row::column(Id id, size_t at) const {
    const Step & s = step(id);
    return sources[id] != nullptr ? sources[id] + first_of(at) : s.is_kept ? places[id] + first_of(at) : places[id];
}

float * Row::target(Id id, size_t at) {
    return places[id] + (step(id).is_kept ? first_of(at) : 0);
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
            sum = lanes().sum(column(x, last), length_of(last));
        }
        start.push_back(start.back() + sum);
        ++version;
    }
}

void Row::compute_now(std::span<const Id> columns, size_t at) {
    Id last = 0;
    for (const Id id : columns) {
        wanted[id] = true;
        last       = std::max(last, id);
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
                wanted[static_cast<Id>(operand)] = true;
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
    if (s.kind == Kind::order || s.kind == Kind::gather) {
        take_in_order(id, at);
        return;
    }
    struct Operand {
        const float * x;
        size_t        step;
    };
    const auto operand = [&](int32_t of) -> Operand {
        const Id i = static_cast<Id>(of);
        if (!step(i).is_column) {
            return { &numbers[i], 0 };
        }
        return is_even(i, at) ? Operand{ lo_of(i) + at, 0 } : Operand{ column(i, at), 1 };
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
    if (s.b >= 0) {
        const auto [z, z_step] = operand(s.b);
        lanes().zip(s.kind, x, x_step, z, z_step, y, length);
    } else if (x_step == 0) {
        lanes().map(s.kind, x, y, 1, s.c0, s.c1);
        std::fill_n(y + 1, length - 1, y[0]);
    } else {
        lanes().map(s.kind, x, y, length, s.c0, s.c1);
    }
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
