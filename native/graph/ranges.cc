#include "ranges.h"

#include "ops.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace ggsl {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Range  unknown  = { -infinity, infinity, true };

// Sums of so many f32 numbers as a row has may be twice what they should be, other results are off by much less.
constexpr double rounding     = 1e-6;
constexpr double sum_rounding = 2;

// What rounding and the largest f32 make of exact bounds.
Range rounded(double lo, double hi, bool may_be_nan) {
    lo -= std::abs(lo) * rounding;
    hi += std::abs(hi) * rounding;
    return { lo < -FLT_MAX ? -infinity : lo, hi > FLT_MAX ? infinity : hi, may_be_nan };
}

double magnitude(const Range & x) {
    return std::max(std::abs(x.lo), std::abs(x.hi));
}

// inf - inf and 0 * inf are the only NaNs that come of numbers here.
Range combined(const Range & x, const Range & y, double lo, double hi) {
    const bool is_known = x.is_finite() && y.is_finite();
    return is_known ? rounded(lo, hi, false) : unknown;
}

Range product(const Range & x, const Range & y) {
    const auto [lo, hi] = std::minmax({ x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi });
    return combined(x, y, lo, hi);
}

Range clamped(const Range & x, double lo, double hi) {
    // a NaN becomes one of the bounds
    if (x.may_be_nan) {
        return { lo, hi, false };
    }
    return { std::clamp(x.lo, lo, hi), std::clamp(x.hi, lo, hi), false };
}

Range sum_of(const Range & x, int32_t rows) {
    const double most = sum_rounding * rows;
    return x.is_finite() ? rounded(std::min(x.lo, x.lo * most), std::max(x.hi, x.hi * most), false) : unknown;
}

// Of i32 nodes nothing is asked.
Range range_of(const Node & node, const Range * x, int32_t rows) {
    switch (id_of(node)) {
        case OpId::input:    return { -infinity, infinity, node.attrs[0] == 0 };
        case OpId::uniform:  return { -infinity, infinity, false };
        case OpId::fill:     return rounded(node.attr_f32(0), node.attr_f32(0), std::isnan(node.attr_f32(0)));
        case OpId::arange:   return rounded(0, node.dim, false);
        case OpId::step:     return { 0, 1, false };
        case OpId::sigmoid:  return rounded(0, 1, x->may_be_nan);
        case OpId::sgn:
        case OpId::tanh:     return rounded(-1, 1, x->may_be_nan);
        case OpId::exp:      return { 0, infinity, x->may_be_nan };
        case OpId::abs:      return { 0, magnitude(*x), x->may_be_nan };
        case OpId::sqr:      return rounded(0, magnitude(*x) * magnitude(*x), x->may_be_nan);
        case OpId::sqrt:     return { 0, infinity, x->may_be_nan || x->lo < 0 };
        case OpId::neg:      return { -x->hi, -x->lo, x->may_be_nan };
        case OpId::floor:
        case OpId::ceil:
        case OpId::round:    return rounded(x->lo - 1, x->hi + 1, x->may_be_nan);
        case OpId::clamp:    return clamped(*x, node.attr_f32(0), node.attr_f32(1));
        case OpId::scale: {
            const Range b       = { node.attr_f32(1), node.attr_f32(1), false };
            const Range product = ggsl::product(*x, { node.attr_f32(0), node.attr_f32(0), false });
            return combined(product, b, product.lo + b.lo, product.hi + b.hi);
        }
        case OpId::add:      return combined(x[0], x[1], x[0].lo + x[1].lo, x[0].hi + x[1].hi);
        case OpId::sub:      return combined(x[0], x[1], x[0].lo - x[1].hi, x[0].hi - x[1].lo);
        case OpId::mul:      return product(x[0], x[1]);
        case OpId::soft_max: {
            const Range mask  = node.operand_count == 2 ? x[1] : Range{ 0, 0, false };
            const Range scale = product(x[0], { node.attr_f32(0), node.attr_f32(0), false });
            return rounded(0, 1, !combined(scale, mask, scale.lo + mask.lo, scale.hi + mask.hi).is_finite());
        }
        case OpId::cumsum:
        case OpId::sum_rows: return sum_of(*x, rows);
        case OpId::view:
        case OpId::roll:
        case OpId::repeat:
        case OpId::get_rows: return x[0];
        case OpId::set_rows: return { std::min(x[0].lo, x[1].lo), std::max(x[0].hi, x[1].hi), x[0].may_be_nan || x[1].may_be_nan };
        case OpId::cast:     return rounded(INT32_MIN, INT32_MAX, false);
        default:             return unknown;
    }
}

} // namespace

bool Range::is_finite() const {
    return !may_be_nan && lo >= -FLT_MAX && hi <= FLT_MAX;
}

bool Range::is_above_lowest() const {
    return !may_be_nan && lo > -FLT_MAX;
}

std::vector<Range> find_ranges(const Graph & graph) {
    std::vector<Range> ranges;
    ranges.reserve(graph.nodes.size());
    for (const Node & node : graph.nodes) {
        Range operands[max_operands] = {};
        for (int32_t i = 0; i < node.operand_count; ++i) {
            operands[i] = ranges[node.operands[i]];
        }
        const int32_t rows = node.operand_count > 0 ? graph.nodes[node.operands[0]].dim : 0;
        ranges.push_back(range_of(node, operands, rows));
    }
    return ranges;
}

} // namespace ggsl
