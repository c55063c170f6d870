#include "ops.h"

#include "graph.h"

#include <algorithm>

namespace ggsl {

namespace {

using Tensor = ggml_tensor *;

template <ggml_tensor * (*op)(ggml_context *, ggml_tensor *)>
Tensor unary(Builder & b, const Node &, const Tensor * x) {
    return b.made(op(b.context, x[0]));
}

template <ggml_tensor * (*op)(ggml_context *, ggml_tensor *, ggml_tensor *)>
Tensor binary(Builder & b, const Node &, const Tensor * x) {
    return b.made(op(b.context, x[0], x[1]));
}

Tensor build_input(Builder & b, const Node & node, const Tensor *) {
    return b.input(node.attrs[0]);
}

Tensor build_uniform(Builder & b, const Node & node, const Tensor *) {
    return b.uniform(node.attrs[0]);
}

Tensor build_scale(Builder & b, const Node & node, const Tensor * x) {
    const float s = node.attr_f32(0);
    const float bias = node.attr_f32(1);
    return b.made(bias == 0.0f ? ggml_scale(b.context, x[0], s) : ggml_scale_bias(b.context, x[0], s, bias));
}

Tensor build_clamp(Builder & b, const Node & node, const Tensor * x) {
    return b.clamped(x[0], node.attr_f32(0), node.attr_f32(1));
}

Tensor build_soft_max(Builder & b, const Node & node, const Tensor * x) {
    return b.made(ggml_soft_max_ext(b.context, x[0], node.operand_count == 2 ? x[1] : nullptr, node.attr_f32(0), 0.0f));
}

Tensor build_argmax(Builder & b, const Node &, const Tensor * x) {
    return b.column(b.made(ggml_argmax(b.context, x[0])), 1);
}

Tensor build_argsort(Builder & b, const Node & node, const Tensor * x) {
    return b.made(ggml_argsort(b.context, x[0], node.attrs[0] == 0 ? GGML_SORT_ORDER_ASC : GGML_SORT_ORDER_DESC));
}

Tensor build_top_k(Builder & b, const Node & node, const Tensor * x) {
    return b.made(ggml_top_k(b.context, x[0], node.dim));
}

Tensor build_get_rows(Builder & b, const Node & node, const Tensor * x) {
    return b.column(b.made(ggml_get_rows(b.context, b.elements(x[0]), x[1])), node.dim);
}

Tensor build_set_rows(Builder & b, const Node & node, const Tensor * x) {
    // ggml writes into x itself.
    const Tensor target = b.is_fresh(node.operands[0]) ? x[0] : b.made(ggml_dup(b.context, x[0]));
    return b.column(b.made(ggml_set_rows(b.context, b.elements(target), b.elements(x[1]), x[2])), node.dim);
}

Tensor build_view(Builder & b, const Node & node, const Tensor * x) {
    const int64_t offset = node.attrs[0] < 0 ? node.attrs[0] + x[0]->ne[0] : node.attrs[0];
    return b.made(ggml_view_2d(b.context, x[0], node.dim, b.rows, x[0]->nb[1], static_cast<size_t>(offset) * x[0]->nb[0]));
}

Tensor build_roll(Builder & b, const Node & node, const Tensor * x) {
    return b.made(ggml_roll(b.context, x[0], static_cast<int>(node.attrs[0] % x[0]->ne[0]), 0, 0, 0));
}

// True when the operand is already clamped to rows below `limit`.
bool is_clamped(const Builder & b, const Node & node, int32_t limit) {
    const Node & operand = b.bound.graph.nodes[node.operands[0]];
    return id_of(operand) == OpId::clamp && operand.attr_f32(0) >= 0.0f && operand.attr_f32(1) < static_cast<float>(limit);
}

Tensor build_cast(Builder & b, const Node & node, const Tensor * x) {
    const ggml_type type = node.dtype == Dtype::f32 ? GGML_TYPE_F32 : GGML_TYPE_I32;
    if (x[0]->type == type) {
        return x[0];
    }
    if (type == GGML_TYPE_F32) {
        return b.made(ggml_cast(b.context, x[0], type));
    }
    const int32_t limit = b.bound.row_limit[b.current()];
    const Tensor  rows  = is_clamped(b, node, limit) ? x[0] : b.clamped(x[0], 0.0f, static_cast<float>(limit - 1));
    return b.made(ggml_cast(b.context, rows, type));
}

Tensor build_repeat(Builder & b, const Node & node, const Tensor * x) {
    return b.made(ggml_repeat_4d(b.context, x[0], node.dim, b.rows, 1, 1));
}

Tensor build_fill(Builder & b, const Node & node, const Tensor *) {
    // In place: ggml's fill takes a tensor for its shape, which would be a second one of the same size.
    const Tensor memory = b.made(ggml_new_tensor_2d(b.context, GGML_TYPE_F32, node.dim, b.rows));
    return b.made(ggml_fill_inplace(b.context, memory, node.attr_f32(0)));
}

Tensor build_arange(Builder & b, const Node & node, const Tensor *) {
    const Tensor row = b.made(ggml_arange(b.context, 0.0f, static_cast<float>(node.dim), 1.0f));
    return b.rows == 1 ? row : b.made(ggml_repeat_4d(b.context, row, node.dim, b.rows, 1, 1));
}

const Operand x{};
const Operand y_broadcast{ OperandDtype::f32, OperandDim::broadcast };
const Operand mask{ OperandDtype::f32, OperandDim::rows, true };
const Operand scalar{ OperandDtype::f32, OperandDim::scalar };
const Operand free_f32{ OperandDtype::f32, OperandDim::free };
const Operand free_i32{ OperandDtype::i32, OperandDim::free };
const Operand free_any{ OperandDtype::any, OperandDim::free };
const Operand rows_i32{ OperandDtype::i32, OperandDim::rows };
const Operand rows_any{ OperandDtype::any, OperandDim::rows };

constexpr auto f32     = ResultDtype::f32;
constexpr auto i32     = ResultDtype::i32;
constexpr auto same    = ResultDim::operand;
constexpr auto one     = ResultDim::one;
constexpr auto integer = AttrKind::integer;
constexpr auto count   = AttrKind::count;
constexpr auto choice  = AttrKind::choice;
constexpr auto number  = AttrKind::f32;

template <ggml_tensor * (*op)(ggml_context *, ggml_tensor *)>
Op unary_op(OpId id, const char * name, ResultDim dim = same) {
    return { id, name, { x }, {}, f32, dim, unary<op> };
}

template <ggml_tensor * (*op)(ggml_context *, ggml_tensor *, ggml_tensor *)>
Op binary_op(OpId id, const char * name) {
    return { id, name, { x, y_broadcast }, {}, f32, same, binary<op>, 0, 0, true };
}

const std::vector<Op> table = {
    { OpId::input, "input", {}, { integer, choice, count }, ResultDtype::attr, ResultDim::attr, build_input, 1, 2 },
    { OpId::uniform, "uniform", {}, { integer }, f32, one, build_uniform },

    unary_op<ggml_abs>(OpId::abs, "abs"),
    unary_op<ggml_neg>(OpId::neg, "neg"),
    unary_op<ggml_sgn>(OpId::sgn, "sgn"),
    unary_op<ggml_step>(OpId::step, "step"),
    unary_op<ggml_exp>(OpId::exp, "exp"),
    unary_op<ggml_log>(OpId::log, "log"),
    unary_op<ggml_sqrt>(OpId::sqrt, "sqrt"),
    unary_op<ggml_sqr>(OpId::sqr, "sqr"),
    unary_op<ggml_sigmoid>(OpId::sigmoid, "sigmoid"),
    unary_op<ggml_tanh>(OpId::tanh, "tanh"),
    unary_op<ggml_floor>(OpId::floor, "floor"),
    unary_op<ggml_ceil>(OpId::ceil, "ceil"),
    unary_op<ggml_round>(OpId::round, "round"),
    { OpId::scale, "scale", { x }, { number, number }, f32, same, build_scale },
    { OpId::clamp, "clamp", { x }, { number, number }, f32, same, build_clamp },

    binary_op<ggml_add>(OpId::add, "add"),
    binary_op<ggml_sub>(OpId::sub, "sub"),
    binary_op<ggml_mul>(OpId::mul, "mul"),
    binary_op<ggml_div>(OpId::div, "div"),

    { OpId::soft_max, "soft_max", { x, mask }, { number }, f32, same, build_soft_max },
    unary_op<ggml_cumsum>(OpId::cumsum, "cumsum"),
    unary_op<ggml_sum_rows>(OpId::sum_rows, "sum_rows", one),
    { OpId::argmax, "argmax", { x }, {}, i32, one, build_argmax },
    { OpId::argsort, "argsort", { x }, { choice }, i32, same, build_argsort },
    { OpId::top_k, "top_k", { free_f32 }, { count }, i32, ResultDim::attr, build_top_k },

    { OpId::get_rows, "get_rows", { free_any, free_i32 }, {}, ResultDtype::operand, ResultDim::second_operand, build_get_rows },
    { OpId::set_rows, "set_rows", { free_f32, x, rows_i32 }, {}, f32, same, build_set_rows },
    { OpId::view, "view", { free_any }, { integer, count }, ResultDtype::operand, ResultDim::attr, build_view, 0, 1, true },
    { OpId::roll, "roll", { x }, { integer }, f32, same, build_roll },
    { OpId::cast, "cast", { rows_any }, { choice }, ResultDtype::attr, same, build_cast },

    { OpId::repeat, "repeat", { scalar }, { count }, f32, ResultDim::attr, build_repeat },
    { OpId::fill, "fill", {}, { number, count }, f32, ResultDim::attr, build_fill, 0, 1 },
    { OpId::arange, "arange", {}, { count }, f32, ResultDim::attr, build_arange },
};

} // namespace

int32_t Op::required_operands() const {
    return static_cast<int32_t>(std::count_if(operands.begin(), operands.end(), [](const Operand & o) { return !o.optional; }));
}

const std::vector<Op> & op_table() {
    return table;
}

} // namespace ggsl
