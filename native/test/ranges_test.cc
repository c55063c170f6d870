// The computed values of a node lie in the range that is known before the graph runs.
#include "graph/backend.h"
#include "graph/bind.h"
#include "graph/evaluate.h"
#include "check.h"
#include "words.h"

#include <algorithm>
#include <cfloat>
#include <functional>
#include <limits>

namespace ggsl::test {

namespace {

using Make = std::function<int32_t(Words &, int32_t column, int32_t scalar)>;

constexpr int32_t rows = 7;

// Checks that the results for some logits lie in the range of their node. Returns that range.
Range check_range(const char * name, const Make & make) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    Words           words;
    const int32_t   clamped          = words.f32(OpId::clamp, V, { words.the_logits() }, { bits(-3.0f), bits(2.5f) });
    words.logits                     = make(words, clamped, words.uniform());
    const std::vector<int32_t> wire  = words.finish();
    const Graph                graph = decode_wire(wire.data(), wire.size());
    const Range                range = bind_graph(graph, rows).ranges[static_cast<size_t>(words.logits)];

    const std::vector<float> logits   = { -inf, -3e38f, -2.0f, 0.0f, 1.0f, 2.25f, 3e38f };
    const std::vector<float> uniforms = { 0.5f };
    Evaluator                evaluator(graph, rows, 1, device_by_name("CPU"), 1);
    const Results            results = evaluator.run({ logits, uniforms, {} });
    for (const float value : results.logits) {
        const bool is_in = std::isnan(value) ? range.may_be_nan : value >= range.lo && value <= range.hi;
        CHECK(is_in, "range of %s: %g is not between %g and %g", name, static_cast<double>(value), range.lo, range.hi);
    }
    return range;
}

Make unary(OpId op) {
    return [op](Words & w, int32_t x, int32_t) { return w.f32(op, V, { x }); };
}

Make twice(OpId op) {
    return [op](Words & w, int32_t x, int32_t) { return w.f32(op, V, { x, w.f32(op, V, { x, x }) }); };
}

int32_t scaled(Words & w, int32_t x, float s, float b) {
    return w.f32(OpId::scale, V, { x }, { bits(s), bits(b) });
}

int32_t kept(Words & w, int32_t x) {
    return w.f32(OpId::step, V, { x });
}

int32_t positions(Words & w) {
    return w.f32(OpId::arange, V, {}, { V });
}

// A mask as lowering emits it, added to `x`.
int32_t masked(Words & w, int32_t x) {
    return w.f32(OpId::add, V, { x, scaled(w, kept(w, x), 1e33f, -1e33f) });
}

void check_finite(const char * name, const Make & make) {
    CHECK(check_range(name, make).is_finite(), "the range of %s is not finite", name);
}

// The analysis finds no finite range.
void check_unknown(const char * name, const Make & make) {
    CHECK(!check_range(name, make).is_finite(), "the range of %s is finite", name);
}

// Each op from columns to one column, without attributes.
void check_columns() {
    for (size_t id = 0; id < op_table().size(); ++id) {
        const Op & op     = op_table()[id];
        const auto is_row = [](const Operand & o) {
            return o.dtype == OperandDtype::f32 && o.dim <= OperandDim::broadcast;
        };
        const auto operands = std::span(op.operands, static_cast<size_t>(op.operand_count));
        if (op.attr_count > 0 || op.dim.from != ResultRule::From::operand || !std::ranges::all_of(operands, is_row)) {
            continue;
        }
        check_range(op.name, [&](Words & w, int32_t x, int32_t) {
            const auto made = static_cast<OpId>(id);
            return op.operand_count == 1 ? w.f32(made, V, { x }) : w.f32(made, V, { x, kept(w, x) });
        });
    }
}

} // namespace

void test_ranges() {
    check_columns();
    for (const OpId op : { OpId::abs, OpId::neg, OpId::sgn, OpId::step, OpId::sqr, OpId::sigmoid, OpId::tanh,
                           OpId::floor, OpId::ceil, OpId::round, OpId::cumsum }) {
        check_finite("a function", unary(op));
    }
    for (const OpId op : { OpId::add, OpId::sub, OpId::mul }) {
        check_finite("an operation", twice(op));
    }
    for (const OpId op : { OpId::exp, OpId::log, OpId::sqrt }) {
        check_unknown("a function", unary(op));
    }
    check_unknown("a quotient", twice(OpId::div));
    check_unknown("a product with a uniform",
                  [](Words & w, int32_t x, int32_t u) { return w.f32(OpId::mul, V, { x, u }); });
    check_unknown("too large a product", [](Words & w, int32_t x, int32_t) { return scaled(w, x, 3e38f, 0.0f); });
    check_finite("scale", [](Words & w, int32_t x, int32_t) { return scaled(w, x, -2.0f, 1.0f); });
    check_finite("a masked column", [](Words & w, int32_t x, int32_t) { return masked(w, x); });
    check_finite("a softmax", [](Words & w, int32_t x, int32_t) {
        return w.f32(OpId::soft_max, V, { masked(w, x) }, { bits(1.0f) });
    });
    check_unknown("a softmax of anything", [](Words & w, int32_t, int32_t) {
        return w.f32(OpId::soft_max, V, { w.f32(OpId::log, V, { positions(w) }) }, { bits(1.0f) });
    });
    check_finite("the first of some", [](Words & w, int32_t x, int32_t) {
        return w.f32(OpId::sub, V, { scaled(w, kept(w, x), 16777216.0f, 0.0f), positions(w) });
    });
    check_finite("numbers put into others", [](Words & w, int32_t x, int32_t) {
        const int32_t one = w.f32(OpId::fill, 1, {}, { bits(40.0f), 1 });
        return w.f32(OpId::set_rows, V, { x, one, w.i32(OpId::argmax, 1, { x }) });
    });
    CHECK(check_range(
              "the lowest",
              [](Words & w, int32_t, int32_t) {
                  return w.f32(OpId::fill, V, {}, { bits(-FLT_MAX), V });
              }).is_above_lowest() == false,
          "-FLT_MAX is not above itself");
}

} // namespace ggsl::test
