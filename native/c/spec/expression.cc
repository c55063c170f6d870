#include "spec/expression.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace ggsl::c {

namespace {

double divisor(double y) {
    return y == 0 ? static_cast<double>(FLT_MIN) : y;
}

// The next f32 above (1) or below (-1) the f32 nearest to `x`. Subnormal numbers are 0 on many devices.
double next_f32(double x, int direction) {
    const auto nearest = static_cast<float>(x);
    if (std::fabs(nearest) < FLT_MIN) {
        return direction * static_cast<double>(FLT_MIN);
    }
    return static_cast<double>(std::nextafter(nearest, direction > 0 ? INFINITY : -INFINITY));
}

// As JavaScript's: a NaN wins, and -0 is below 0.
double least(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) {
        return NAN;
    }
    return x < y || (x == y && std::signbit(x)) ? x : y;
}
double most(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) {
        return NAN;
    }
    return x > y || (x == y && !std::signbit(x)) ? x : y;
}

double sign(double x) {
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

double power(double x, double y) {
    if (x < 0 && std::floor(y) != y) {
        return 0;
    }
    // JavaScript has no 1 here, C++ has
    return std::fabs(x) == 1 && std::isinf(y) ? NAN : std::pow(x, y);
}

// The hash of the language (compiler/graph/hash.ts): a keyed permutation of the integers below 2^24.
constexpr double hash_range = 16777216;

double hash_integer(double x) {
    const double integer = std::floor(x);
    return integer - hash_range * std::floor(integer / hash_range);
}

double mix(double x, double key) {
    constexpr uint32_t constants[] = { 0x9e3, 0x6b5, 0x3d1, 0xc4f, 0x2a7, 0x87d };
    const auto         number = static_cast<uint32_t>(x), by = static_cast<uint32_t>(key);
    uint32_t           left = (number >> 12) & 0xfff, right = number & 0xfff;
    for (uint32_t round = 0; round < 6; ++round) {
        const uint32_t difference = right - ((round % 2 == 0 ? by : by >> 12) & 0xfff);
        const uint32_t mixed      = (left + ((difference * difference) >> 6) + constants[round]) & 0xfff;
        left                      = right;
        right                     = mixed;
    }
    return right * 4096.0 + left;
}

double apply(UniformOp op, double x, double y, double z) {
    switch (op) {
        case UniformOp::add_:     return x + y;
        case UniformOp::sub_:     return x - y;
        case UniformOp::mul_:     return x * y;
        case UniformOp::div_:     return x / divisor(y);
        case UniformOp::mod_:     return x - divisor(y) * std::floor(saturate(x / divisor(y)));
        case UniformOp::pow_:     return power(x, y);
        case UniformOp::min_:     return least(x, y);
        case UniformOp::max_:     return most(x, y);
        case UniformOp::neg_:     return -x;
        case UniformOp::abs_:     return std::fabs(x);
        case UniformOp::sign_:    return sign(x);
        case UniformOp::exp_:     return std::exp(x);
        case UniformOp::log_:     return std::log(most(x, 0));
        case UniformOp::log2_:    return std::log2(most(x, 0));
        case UniformOp::sqrt_:    return std::sqrt(most(x, 0));
        case UniformOp::floor_:   return std::floor(x);
        case UniformOp::ceil_:    return std::ceil(x);
        case UniformOp::round_:   return sign(x) * std::floor(std::fabs(x) + 0.5);
        case UniformOp::sigmoid_: return 1 / (1 + std::exp(-x));
        case UniformOp::tanh_:    return std::tanh(x);
        case UniformOp::f32_:     return static_cast<double>(static_cast<float>(x));
        case UniformOp::above_:   return next_f32(x, 1);
        case UniformOp::below_:   return next_f32(x, -1);
        case UniformOp::gt_:      return x > y ? 1 : 0;
        case UniformOp::ge_:      return x >= y ? 1 : 0;
        case UniformOp::eq_:      return x == y ? 1 : 0;
        case UniformOp::and_:     return x != 0 && y != 0 ? 1 : 0;
        case UniformOp::or_:      return x != 0 || y != 0 ? 1 : 0;
        case UniformOp::not_:     return x == 0 ? 1 : 0;
        case UniformOp::select_:  return x != 0 ? y : z;
        case UniformOp::hash_:    return mix(hash_integer(x), hash_integer(y));
        case UniformOp::clamp_:   return least(most(x, y), z);
    }
    return 0;
}

} // namespace

double saturate(double x) {
    return std::isnan(x) ? 0 : std::clamp(x, -static_cast<double>(FLT_MAX), static_cast<double>(FLT_MAX));
}

double evaluate(const Expression & e, const Environment & environment) {
    switch (e.kind) {
        case Expression::Kind::number:        return saturate(e.number);
        case Expression::Kind::param:         return saturate(environment.param(e.index));
        case Expression::Kind::draw:          return environment.draw(e.index);
        case Expression::Kind::state:         return saturate(environment.state(e.index));
        case Expression::Kind::window:        return saturate(environment.window(e.index, e.of));
        case Expression::Kind::last:          return environment.last(e.index);
        case Expression::Kind::ends_with:     return environment.since(e.index) == 0 ? 1 : 0;
        case Expression::Kind::since:         return environment.since(e.index);
        case Expression::Kind::in_rule:       return environment.is_in_rule(e.index) ? 1 : 0;
        case Expression::Kind::step:          return environment.step();
        case Expression::Kind::vocab:         return environment.vocab();
        case Expression::Kind::prompt_length: return environment.prompt_length();
        case Expression::Kind::member:
            return environment.is_member(evaluate(e.operands[0], environment), e.index) ? 1 : 0;
        case Expression::Kind::operation: break;
    }
    double values[3] = {};
    for (size_t i = 0; i < e.operands.size(); ++i) {
        values[i] = evaluate(e.operands[i], environment);
    }
    return saturate(apply(e.op, values[0], values[1], values[2]));
}

bool reads_text(const Expression & expression) {
    bool found = false;
    for_each_leaf(expression, [&](const Expression & leaf) {
        using Kind = Expression::Kind;
        found |= leaf.kind == Kind::prompt_length || leaf.kind == Kind::last || leaf.kind == Kind::ends_with ||
                 leaf.kind == Kind::since;
    });
    return found;
}

} // namespace ggsl::c
