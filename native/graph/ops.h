// The op table of compiler/graph/ops.ts, and how each op is built in ggml. `npm run generate` writes ops.generated.def.
#pragma once

#include "wire.h"

#include <span>

struct ggml_tensor;

namespace ggsl {

// A custom node of ggml has at most 9 operands, one of them the uniforms.
inline constexpr size_t max_custom_inputs = 8;

class Builder;

// Op numbers of the wire form.
enum class OpId : int32_t {
#define GGSL_OP(name, ...) name,
#include "ops.generated.def"
};

enum class OperandDtype { f32, i32, any };
// `rows`: a vector; all such operands have the same dim. `broadcast`: that dim, or a scalar. `free`: any vector.
enum class OperandDim { rows, broadcast, scalar, free };

struct Operand {
    OperandDtype dtype;
    OperandDim   dim;
    bool         optional = false;
};

enum class AttrKind { f32, integer, count, choice };

struct Attr {
    AttrKind kind;
    int32_t  choices = 0;
};

// Where the dtype or the dim of a result comes from: it is fixed, an operand's, or an attribute.
struct ResultRule {
    enum class From { fixed, operand, attr };

    From    from;
    int32_t value; // or the index of the operand or the attribute

    static constexpr ResultRule fixed(Dtype dtype) { return { From::fixed, static_cast<int32_t>(dtype) }; }
    static constexpr ResultRule fixed(int32_t dim) { return { From::fixed, dim }; }
    static constexpr ResultRule operand(int32_t index) { return { From::operand, index }; }
    static constexpr ResultRule attr(int32_t index) { return { From::attr, index }; }

    // `of_operand` gives the dtype or the dim of an operand by its index.
    template <typename OfOperand> int32_t apply(const int32_t * attrs, const OfOperand & of_operand) const {
        switch (from) {
            case From::fixed:   return value;
            case From::operand: return static_cast<int32_t>(of_operand(value));
            case From::attr:    return attrs[value];
        }
        return 0;
    }
};

// Operands and result are [dim, rows].
using Build = ggml_tensor * (*) (Builder & builder, const Node & node, ggml_tensor * const * operands);

struct Op {
    const char * name;
    int32_t      operand_count;
    Operand      operands[max_operands];
    int32_t      attr_count;
    Attr         attrs[max_attrs];
    ResultRule   dtype;
    ResultRule   dim;
    Build        build;

    int32_t required_operands() const;
};

// All ops, in the order of their numbers.
std::span<const Op> op_table();

inline const Op & op_of(const Node & node) {
    return op_table()[node.op];
}
inline OpId id_of(const Node & node) {
    return static_cast<OpId>(node.op);
}

// Whether its operands may be strided.
bool takes_strided(OpId op);

} // namespace ggsl
