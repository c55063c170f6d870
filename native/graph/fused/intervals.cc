#include "intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ggsl::fused {

namespace {

constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

// An approximation may fall by its error where it should rise.
constexpr float error = 1e-6f;

Bounds widened(float lo, float hi) {
    return lo == hi ? Bounds{ lo, hi } : checked(lo - std::fabs(lo) * error, hi + std::fabs(hi) * error);
}

Bounds of_ends(float a, float b, float c, float d) {
    if (std::isnan(a) || std::isnan(b) || std::isnan(c) || std::isnan(d)) {
        return { nothing, nothing };
    }
    return checked(std::min(std::min(a, b), std::min(c, d)), std::max(std::max(a, b), std::max(c, d)));
}

float mapped(const Step & step, float x) {
    float y;
    lanes().map(step.kind, &x, &y, 1, step.c0, step.c1);
    return y;
}

float zipped(Kind kind, float x, float y) {
    float z;
    lanes().zip(kind, &x, 1, &y, 1, &z, 1);
    return z;
}

Bounds size_of(Bounds x) {
    const float a = std::fabs(x.lo), b = std::fabs(x.hi);
    return x.lo <= 0 && x.hi >= 0 ? Bounds{ 0, std::max(a, b) } : Bounds{ std::min(a, b), std::max(a, b) };
}

Bounds interval(const Step & step, Bounds x, Bounds y) {
    switch (step.kind) {
        case Kind::abs: return size_of(x);
        case Kind::neg: return { -x.hi, -x.lo };
        case Kind::sqr: {
            const Bounds size = size_of(x);
            return checked(size.lo * size.lo, size.hi * size.hi);
        }
        case Kind::exp:
        case Kind::log:
        case Kind::sqrt:
        case Kind::sigmoid:
        case Kind::tanh:    return widened(mapped(step, x.lo), mapped(step, x.hi));
        case Kind::scale:   {
            const float a = mapped(step, x.lo), b = mapped(step, x.hi);
            return step.c0 < 0 ? checked(b, a) : checked(a, b);
        }
        case Kind::add: return checked(x.lo + y.lo, x.hi + y.hi);
        case Kind::sub: return checked(x.lo - y.hi, x.hi - y.lo);
        case Kind::mul: return of_ends(x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi);
        case Kind::div:
            return y.lo > 0 || y.hi < 0 ? of_ends(x.lo / y.lo, x.lo / y.hi, x.hi / y.lo, x.hi / y.hi)
                                        : Bounds{ nothing, nothing };
        case Kind::power:
            // y is the largest of the numbers, but a bound of them may be above it
            return y.lo == y.hi ? widened(zipped(Kind::power, std::min(x.lo, y.lo), y.lo),
                                          zipped(Kind::power, std::min(x.hi, y.lo), y.lo))
                                : Bounds{ nothing, nothing };
        default: return checked(mapped(step, x.lo), mapped(step, x.hi)); // rises
    }
}

} // namespace

Bounds checked(float lo, float hi) {
    const bool is_known = lo <= hi && (lo > -infinity || hi < infinity);
    return is_known ? Bounds{ lo, hi } : Bounds{ nothing, nothing };
}

void find_intervals(const Step & step, const Intervals & x, const Intervals & y, float * lo, float * hi, size_t count) {
    if (step.kind == Kind::fill) {
        std::fill_n(lo, count, step.c0);
        std::fill_n(hi, count, step.c0);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const Bounds a        = { x.lo[i * x.step], x.hi[i * x.step] };
        const Bounds b        = y.lo == nullptr ? Bounds{ 0, 0 } : Bounds{ y.lo[i * y.step], y.hi[i * y.step] };
        const bool   is_known = a.lo <= a.hi && b.lo <= b.hi;
        const Bounds found    = is_known ? interval(step, a, b) : Bounds{ nothing, nothing };
        lo[i]                 = found.lo;
        hi[i]                 = found.hi;
    }
}

} // namespace ggsl::fused
