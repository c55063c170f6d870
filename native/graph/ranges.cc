#include "ranges.h"

#include "hash.h"
#include "ops.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace ggsl {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Range  unknown  = { -infinity, infinity, true };

// An f32 sum over a row may be off by a factor of 2; other ops only by rounding.
constexpr double rounding     = 1e-6;
constexpr double sum_rounding = 2;

// Widens exact bounds by rounding and f32 overflow.
Range rounded(double lo, double hi, bool may_be_nan) {
    lo -= std::abs(lo) * rounding;
    hi += std::abs(hi) * rounding;
    return { lo < -FLT_MAX ? -infinity : lo, hi > FLT_MAX ? infinity : hi, may_be_nan };
}

double magnitude(const Range & x) {
    return std::max(std::abs(x.lo), std::abs(x.hi));
}

// Only inf - inf and 0 * inf make a NaN from numbers here.
Range combined(const Range & x, const Range & y, double lo, double hi) {
    const bool is_known = x.is_finite() && y.is_finite();
    return is_known ? rounded(lo, hi, false) : unknown;
}

Range sum_of(const Range & x, const Range & y) {
    return combined(x, y, x.lo + y.lo, x.hi + y.hi);
}

Range product_of(const Range & x, const Range & y) {
    const auto [lo, hi] = std::minmax({ x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi });
    return combined(x, y, lo, hi);
}

Range negated(const Range & x) {
    return { -x.hi, -x.lo, x.may_be_nan };
}

// A rule's view of a node: the ranges of its operands, and how many rows it reads.
struct Use {
    const Graph & graph;
    const Node &  node;
    const Range * x;
    int32_t       rows;

    Range attr(size_t index) const { return { node.attr_f32(index), node.attr_f32(index), false }; }
};

// One function per range rule of the op table, by its name. i32 nodes have no range.
namespace rules {

// Of the leaves, only logits may be NaN: the sequence's own and those of its guides.
Range any(const Use & use) {
    const OpId op         = id_of(use.node);
    const auto is_fed     = [&](int32_t input) { return input != 0 && !use.graph.inputs[input].is_guide; };
    const bool is_checked = op == OpId::uniform || (op == OpId::input && is_fed(use.node.attrs[0]));
    return { -infinity, infinity, !is_checked };
}

Range unit(const Use & use) {
    return rounded(0, 1, use.x->may_be_nan);
}
Range signed_unit(const Use & use) {
    return rounded(-1, 1, use.x->may_be_nan);
}
Range positions(const Use & use) {
    return rounded(0, use.rows, false);
}
Range value(const Use & use) {
    return rounded(use.attr(0).lo, use.attr(0).hi, false);
}

Range same(const Use & use) {
    return *use.x;
}
Range abs(const Use & use) {
    return { 0, magnitude(*use.x), use.x->may_be_nan };
}
Range neg(const Use & use) {
    return negated(*use.x);
}
Range sign(const Use & use) {
    return signed_unit(use);
}
Range step(const Use &) {
    return { 0, 1, false };
}
Range exp(const Use & use) {
    return { 0, infinity, use.x->may_be_nan };
}
Range log(const Use &) {
    return unknown;
}
Range sqrt(const Use & use) {
    return { 0, infinity, use.x->may_be_nan || use.x->lo < 0 };
}
Range sqr(const Use & use) {
    return rounded(0, magnitude(*use.x) * magnitude(*use.x), use.x->may_be_nan);
}
Range round(const Use & use) {
    return rounded(use.x->lo - 1, use.x->hi + 1, use.x->may_be_nan);
}
Range floor(const Use & use) {
    return round(use);
}
Range ceil(const Use & use) {
    return round(use);
}
Range scale(const Use & use) {
    return sum_of(product_of(*use.x, use.attr(0)), use.attr(1));
}
Range cast(const Use &) {
    return rounded(INT32_MIN, INT32_MAX, false);
}

Range clamp(const Use & use) {
    const double lo = use.attr(0).lo;
    const double hi = use.attr(1).hi;
    // a NaN becomes one of the bounds
    if (use.x->may_be_nan) {
        return { lo, hi, false };
    }
    return { std::clamp(use.x->lo, lo, hi), std::clamp(use.x->hi, lo, hi), false };
}

Range sum(const Use & use) {
    const double most = sum_rounding * use.rows;
    return use.x->is_finite()
               ? rounded(std::min(use.x->lo, use.x->lo * most), std::max(use.x->hi, use.x->hi * most), false)
               : unknown;
}

Range add(const Use & use) {
    return sum_of(use.x[0], use.x[1]);
}
Range sub(const Use & use) {
    return sum_of(use.x[0], negated(use.x[1]));
}
Range mul(const Use & use) {
    return product_of(use.x[0], use.x[1]);
}
Range div(const Use &) {
    return unknown;
}

Range hash(const Use &) {
    return rounded(0, hash_range, false);
}

Range either(const Use & use) {
    const Range & x = use.x[0];
    const Range & y = use.x[1];
    return { std::min(x.lo, y.lo), std::max(x.hi, y.hi), x.may_be_nan || y.may_be_nan };
}

Range soft_max(const Use & use) {
    const Range mask = use.node.operand_count == 2 ? use.x[1] : Range{ 0, 0, false };
    return rounded(0, 1, !sum_of(product_of(use.x[0], use.attr(0)), mask).is_finite());
}

} // namespace rules

constexpr Range (*rule_of_op[])(const Use &) = {
#define GGSL_OP(name, range, ...) rules::range,
#include "ops.generated.def"
};

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
        const int32_t rows = node.operand_count > 0 ? graph.nodes[node.operands[0]].dim : node.dim;
        ranges.push_back(rule_of_op[node.op]({ graph, node, operands, rows }));
    }
    return ranges;
}

} // namespace ggsl
