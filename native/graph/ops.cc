#include "ops.h"

#include "graph.h"
#include "hash.h"

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

// True if the operand is already clamped to indices below `limit`.
bool is_clamped(const Builder & b, const Node & node, int32_t limit) {
    const Node & operand = b.bound.graph.nodes[node.operands[0]];
    return id_of(operand) == OpId::clamp && operand.attr_f32(0) >= 0.0f &&
           operand.attr_f32(1) < static_cast<float>(limit);
}

// One function per op, of the op's name.
namespace build {

constexpr Build abs      = unary<ggml_abs>;
constexpr Build neg      = unary<ggml_neg>;
constexpr Build sgn      = unary<ggml_sgn>;
constexpr Build step     = unary<ggml_step>;
constexpr Build exp      = unary<ggml_exp>;
constexpr Build log      = unary<ggml_log>;
constexpr Build sqrt     = unary<ggml_sqrt>;
constexpr Build sqr      = unary<ggml_sqr>;
constexpr Build sigmoid  = unary<ggml_sigmoid>;
constexpr Build tanh     = unary<ggml_tanh>;
constexpr Build floor    = unary<ggml_floor>;
constexpr Build ceil     = unary<ggml_ceil>;
constexpr Build round    = unary<ggml_round>;
constexpr Build cumsum   = unary<ggml_cumsum>;
constexpr Build sum_rows = unary<ggml_sum_rows>;
constexpr Build add      = binary<ggml_add>;
constexpr Build sub      = binary<ggml_sub>;
constexpr Build mul      = binary<ggml_mul>;
constexpr Build div      = binary<ggml_div>;

Tensor input(Builder & b, const Node & node, const Tensor *) {
    return b.input(node.attrs[0]);
}

Tensor uniform(Builder & b, const Node & node, const Tensor *) {
    return b.uniform(node.attrs[0]);
}

Tensor scale(Builder & b, const Node & node, const Tensor * x) {
    const float s    = node.attr_f32(0);
    const float bias = node.attr_f32(1);
    return b.made(bias == 0.0f ? ggml_scale(b.context, x[0], s) : ggml_scale_bias(b.context, x[0], s, bias));
}

Tensor clamp(Builder & b, const Node & node, const Tensor * x) {
    return b.clamped(x[0], node.attr_f32(0), node.attr_f32(1));
}

Tensor soft_max(Builder & b, const Node & node, const Tensor * x) {
    return b.made(ggml_soft_max_ext(b.context, x[0], node.operand_count == 2 ? x[1] : nullptr, node.attr_f32(0), 0.0f));
}

Tensor argmax(Builder & b, const Node &, const Tensor * x) {
    return b.column(b.made(ggml_argmax(b.context, x[0])), 1);
}

Tensor argsort(Builder & b, const Node & node, const Tensor * x) {
    return b.made(ggml_argsort(b.context, x[0], node.attrs[0] == 0 ? GGML_SORT_ORDER_ASC : GGML_SORT_ORDER_DESC));
}

Tensor top_k(Builder & b, const Node & node, const Tensor * x) {
    return b.made(ggml_top_k(b.context, x[0], node.dim));
}

Tensor get_rows(Builder & b, const Node & node, const Tensor * x) {
    return b.column(b.made(ggml_get_rows(b.context, b.elements(x[0]), x[1])), node.dim);
}

Tensor set_rows(Builder & b, const Node & node, const Tensor * x) {
    // ggml writes into x itself.
    const Tensor target = b.is_fresh(node.operands[0]) ? x[0] : b.made(ggml_dup(b.context, x[0]));
    return b.column(b.made(ggml_set_rows(b.context, b.elements(target), b.elements(x[1]), x[2])), node.dim);
}

Tensor view(Builder & b, const Node & node, const Tensor * x) {
    const int64_t offset = node.attrs[0] < 0 ? node.attrs[0] + x[0]->ne[0] : node.attrs[0];
    return b.made(
        ggml_view_2d(b.context, x[0], node.dim, b.rows, x[0]->nb[1], static_cast<size_t>(offset) * x[0]->nb[0]));
}

Tensor roll(Builder & b, const Node & node, const Tensor * x) {
    return b.made(ggml_roll(b.context, x[0], static_cast<int>(node.attrs[0] % x[0]->ne[0]), 0, 0, 0));
}

Tensor cast(Builder & b, const Node & node, const Tensor * x) {
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

Tensor repeat(Builder & b, const Node & node, const Tensor * x) {
    return b.made(ggml_repeat_4d(b.context, x[0], node.dim, b.rows, 1, 1));
}

Tensor fill(Builder & b, const Node & node, const Tensor *) {
    // In place: ggml's fill takes a tensor for its shape, which would be a second tensor of the same size.
    const Tensor memory = b.made(ggml_new_tensor_2d(b.context, GGML_TYPE_F32, node.dim, b.rows));
    return b.made(ggml_fill_inplace(b.context, memory, node.attr_f32(0)));
}

Tensor arange(Builder & b, const Node & node, const Tensor *) {
    const Tensor row = b.made(ggml_arange(b.context, 0.0f, static_cast<float>(node.dim), 1.0f));
    return b.rows == 1 ? row : b.made(ggml_repeat_4d(b.context, row, node.dim, b.rows, 1, 1));
}

Tensor hash(Builder & b, const Node & node, const Tensor * x) {
    return hash_by_steps(b, node, x[0], x[1]);
}

} // namespace build

constexpr Op ops[] = {
#define GGSL_OP(name, range, ...) { #name, __VA_ARGS__, build::name },
#include "ops.generated.def"
};

} // namespace

int32_t Op::required_operands() const {
    return static_cast<int32_t>(
        std::count_if(operands, operands + operand_count, [](const Operand & o) { return !o.optional; }));
}

std::span<const Op> op_table() {
    return ops;
}

bool takes_strided(OpId op) {
    return op == OpId::add || op == OpId::sub || op == OpId::mul || op == OpId::div || op == OpId::view;
}

} // namespace ggsl
