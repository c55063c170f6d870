// What is known of the blocks of a row.
#include "row.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ggsl::fused {

namespace {

constexpr Bounds unknown = { std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::quiet_NaN() };
// Of a prefix sum in f32, and more.
constexpr float rounding = 1e-6f;

} // namespace

Intervals Row::intervals_of(int32_t id, size_t first) {
    if (id < 0) {
        return { nullptr, nullptr, 0 };
    }
    const Id i = static_cast<Id>(id);
    return step(i).is_column ? Intervals{ lo_of(i) + first, hi_of(i) + first, 1 }
                             : Intervals{ &numbers[i], &numbers[i], 0 };
}

void Row::begin_column(Id id) {
    const Step & s = step(id);
    switch (s.kind) {
        case Kind::given: sources[id] = static_cast<const float *>(given[static_cast<size_t>(s.source)]); break;
        case Kind::order:
            sorters[id].start(whole(static_cast<Id>(s.a)), n, orders_at[id].positions, orders_at[id].pairs);
            break;
        case Kind::gather: overall[id] = bounds_of(static_cast<Id>(step(static_cast<Id>(s.a)).a)); break;
        case Kind::scan:
            if (s.a < 0) {
                starts[id].assign(1, 0);
                overall[id] = bounds_of(static_cast<Id>(s.b));
            }
            break;
        default: break;
    }
    set_intervals(id, 0, count);
    if (s.kind == Kind::clamp) {
        // numbers that are all within the bounds are their own clamps
        const float * source    = sources[static_cast<Id>(s.a)];
        const Bounds  operand   = source == nullptr ? Bounds{ 0, 0 } : bounds_of(static_cast<Id>(s.a));
        const bool    is_within = source != nullptr && operand.lo > s.c0 && operand.hi < s.c1;
        sources[id]             = is_within ? source : nullptr;
    }
}

// Of a column of the vocabulary's order.
Bounds Row::bounds_of(Id id) {
    Bounds bounds = { infinity, -infinity };
    for (size_t at = 0; at < count; ++at) {
        // NaN stays
        bounds.lo = bounds.lo < lo_of(id)[at] ? bounds.lo : lo_of(id)[at];
        bounds.hi = bounds.hi > hi_of(id)[at] ? bounds.hi : hi_of(id)[at];
        if (std::isnan(bounds.lo)) {
            break;
        }
    }
    return checked(bounds.lo, bounds.hi);
}

const float * Row::whole(Id stored) const {
    const Id x = static_cast<Id>(step(stored).a);
    return sources[x] != nullptr ? sources[x] : places[x];
}

void Row::set_intervals(Id id, size_t first, size_t last) {
    const Step & s  = step(id);
    float *      lo = lo_of(id);
    float *      hi = hi_of(id);
    switch (s.kind) {
        case Kind::given:
            for (size_t at = first; at < last; ++at) {
                const Bounds bounds = lanes().bounds(sources[id] + first_of(at), length_of(at));
                lo[at]              = bounds.lo;
                hi[at]              = bounds.hi;
            }
            break;
        case Kind::bits:
            for (size_t at = first; at < last; ++at) {
                const size_t ones = ones_in(id, at);
                lo[at]            = ones == length_of(at) ? 1.0f : 0.0f;
                hi[at]            = ones == 0 ? 0.0f : 1.0f;
            }
            break;
        case Kind::positions:
            for (size_t at = first; at < last; ++at) {
                lo[at] = static_cast<float>(first_of(at));
                hi[at] = static_cast<float>(first_of(at) + length_of(at) - 1);
            }
            break;
        case Kind::order:
            std::fill(lo + first, lo + last, 0.0f);
            std::fill(hi + first, hi + last, static_cast<float>(n - 1));
            break;
        case Kind::gather: gather_intervals(id, first, last); break;
        case Kind::put:    put_intervals(id, first, last); break;
        case Kind::scan:   scan_intervals(id, first, last); break;
        default:
            find_intervals(s, intervals_of(s.a, first), intervals_of(s.b, first), lo + first, hi + first, last - first);
            if (s.kind == Kind::sub && (is_scan_of(s.a, s.b) || is_scan_of(s.b, s.a))) {
                exclusive_intervals(id, first, last);
            }
            break;
    }
}

// Of the numbers that are sorted by, those that follow are never larger.
void Row::gather_intervals(Id id, size_t first, size_t last) {
    const Step &    s         = step(id);
    const Id        order     = static_cast<Id>(s.b);
    const Sorter &  sorter    = sorters[order];
    const bool      is_key    = step(order).a == s.a;
    const float *   x         = whole(static_cast<Id>(s.a));
    const int32_t * positions = sorter.positions();
    for (size_t at = first; at < last; ++at) {
        Bounds       bounds = overall[id];
        const size_t begin  = first_of(at);
        const size_t end    = begin + length_of(at);
        if (is_key && bounds.lo <= bounds.hi) {
            bounds.hi = begin < sorter.sorted() ? x[positions[begin]] : std::min(bounds.hi, sorter.largest_of_rest());
            bounds.lo = end <= sorter.sorted() ? x[positions[end - 1]] : bounds.lo;
            bounds    = checked(bounds.lo, bounds.hi);
        }
        lo_of(id)[at] = bounds.lo;
        hi_of(id)[at] = bounds.hi;
    }
}

void Row::put_intervals(Id id, size_t first, size_t last) {
    const Step & s = step(id);
    const Id     x = static_cast<Id>(s.a);
    std::copy(lo_of(x) + first, lo_of(x) + last, lo_of(id) + first);
    std::copy(hi_of(x) + first, hi_of(x) + last, hi_of(id) + first);
    const size_t at = position_of(s) / block;
    if (at >= first && at < last) {
        const float  number   = numbers[static_cast<Id>(s.b)];
        const bool   is_known = lo_of(x)[at] <= hi_of(x)[at] && number == number;
        const Bounds bounds =
            is_known ? checked(std::min(lo_of(x)[at], number), std::max(hi_of(x)[at], number)) : unknown;
        lo_of(id)[at] = bounds.lo;
        hi_of(id)[at] = bounds.hi;
    }
}

// Sums of numbers that are not negative rise.
void Row::scan_intervals(Id id, size_t first, size_t last) {
    const Step &                s     = step(id);
    const std::vector<double> & start = starts[starts_of(id)];
    const size_t                known = start.size() - 1;
    for (size_t at = first; at < last; ++at) {
        // the sums before a block that is not known depend on all of them
        const float  least  = s.a < 0 ? overall[id].lo : lo_of(static_cast<Id>(s.b))[at];
        const double lo     = start[std::min(at, known)];
        const double hi     = at < known ? start[at + 1] : static_cast<double>(infinity);
        const Bounds bounds = least >= 0 ? checked(static_cast<float>(lo), static_cast<float>(hi)) : unknown;
        lo_of(id)[at]       = bounds.lo;
        hi_of(id)[at]       = bounds.hi;
    }
}

bool Row::is_scan_of(int32_t scan, int32_t x) const {
    return step(static_cast<Id>(scan)).kind == Kind::scan && step(static_cast<Id>(scan)).b == x;
}

// A prefix sum without its last number is one of those before.
void Row::exclusive_intervals(Id id, size_t first, size_t last) {
    const Step & s       = step(id);
    const bool   is_less = is_scan_of(s.a, s.b);
    const Id     scan    = static_cast<Id>(is_less ? s.a : s.b);
    const Id     x       = static_cast<Id>(is_less ? s.b : s.a);
    for (size_t at = first; at < last; ++at) {
        const float  size   = hi_of(x)[at];
        const float  least  = lo_of(scan)[at] - rounding * (lo_of(scan)[at] + size);
        const float  most   = hi_of(scan)[at] + rounding * (hi_of(scan)[at] + size);
        const Bounds bounds = is_less ? checked(least, most) : checked(-most, -least);
        if (!(bounds.lo <= bounds.hi)) {
            continue;
        }
        const bool is_known = lo_of(id)[at] <= hi_of(id)[at];
        lo_of(id)[at]       = is_known ? std::max(bounds.lo, lo_of(id)[at]) : bounds.lo;
        hi_of(id)[at]       = is_known ? std::min(bounds.hi, hi_of(id)[at]) : bounds.hi;
    }
}

void Row::refresh(size_t at, int32_t levels) {
    if (fresh[at] == version) {
        return;
    }
    fresh[at] = version;
    for (const Id id : sorted) {
        if (step(id).level < levels) {
            set_intervals(id, at, at + 1);
        }
    }
}

} // namespace ggsl::fused
