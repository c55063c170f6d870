// The C++ side of the op table (compiler/graph/ops.ts): the same ops in the same order, with how each is built in ggml.
#pragma once

#include "wire.h"

#include <vector>

struct ggml_tensor;

namespace ggsl {

class Builder;

// Op numbers of the wire form.
enum class OpId : int32_t {
    input, uniform,
    abs, neg, sgn, step, exp, log, sqrt, sqr, sigmoid, tanh, floor, ceil, round, scale, clamp,
    add, sub, mul, div,
    soft_max, cumsum, sum_rows, argmax, argsort, top_k,
    get_rows, set_rows, view, roll, cast,
    repeat, fill, arange,
};

enum class OperandDtype { f32, i32, any };
// `rows`: any vector, one dim for all operands so marked. `broadcast`: the same, or a scalar. `free`: any vector.
enum class OperandDim { rows, scalar, broadcast, free };

struct Operand {
    OperandDtype dtype    = OperandDtype::f32;
    OperandDim   dim      = OperandDim::rows;
    bool         optional = false;
};

enum class AttrKind { f32, integer, count, choice };

// Where the result's dtype and dim come from; `attr` is the attribute numbered `Op::dtype_attr` or `Op::dim_attr`.
enum class ResultDtype { f32, i32, operand, attr };
enum class ResultDim { operand, second_operand, one, attr };

// Operands are [dim, rows]; so is what is returned.
using Build = ggml_tensor * (*)(Builder & builder, const Node & node, ggml_tensor * const * operands);

struct Op {
    OpId                  id;
    const char *          name;
    std::vector<Operand>  operands;
    std::vector<AttrKind> attrs;
    ResultDtype           dtype;
    ResultDim             dim;
    Build                 build;
    int                   dtype_attr = 0;
    int                   dim_attr   = 0;
    // Operands may be parts of longer rows.
    bool                  takes_strided = false;

    int32_t required_operands() const;
};

// All ops, in the order of their numbers.
const std::vector<Op> & op_table();

inline const Op & op_of(const Node & node) { return op_table()[node.op]; }
inline OpId id_of(const Node & node) { return static_cast<OpId>(node.op); }

} // namespace ggsl
