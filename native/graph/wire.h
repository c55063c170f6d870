// The wire form of a graph (compiler/graph/wire.ts), decoded. Words come from outside and are untrusted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ggsl {

inline constexpr int32_t wire_magic   = 0x4c534747;
inline constexpr int32_t wire_version = 6;

inline constexpr int32_t max_nodes    = 65536;
inline constexpr int32_t max_uniforms = 4096;
inline constexpr int32_t max_inputs   = 256;
inline constexpr int32_t max_states   = 640; // measures, stops and windows included
inline constexpr int32_t max_taps     = 256;
inline constexpr int32_t max_dim      = 1 << 24; // indices are exact in f32 up to here
inline constexpr int32_t max_operands = 3;
inline constexpr int32_t max_attrs    = 3;

// A dim that is the vocabulary size, not yet known.
inline constexpr int32_t dim_vocabulary = -1;

// Bits of a packed input that travel in one i32.
inline constexpr int32_t word_bits = 16;
inline constexpr int32_t max_word  = (1 << word_bits) - 1;

enum class Dtype : uint8_t { f32 = 0, i32 = 1 };

struct Input {
    Dtype   dtype;
    int32_t dim;
    // The logits of another sequence: in a model's graph a row of its logits, otherwise fed as any other input.
    bool is_guide = false;
    // Its column is the same for every token and is given with the graph.
    bool is_constant = false;
    // Each row is 0 or 1. The host writes them as bits, 16 to an i32, the lowest first; a node takes them apart.
    bool is_packed = false;

    // What the host writes: its type, and how many numbers a row has, once the dim is bound.
    Dtype   fed_dtype() const { return is_packed ? Dtype::i32 : dtype; }
    int32_t fed_size() const { return is_packed ? (dim + word_bits - 1) / word_bits : dim; }

    bool operator==(const Input &) const = default;
};

struct Node {
    int32_t                           op;
    Dtype                             dtype;
    int32_t                           dim;
    int32_t                           operand_count;
    std::array<int32_t, max_operands> operands;
    std::array<int32_t, max_attrs>    attrs;

    float attr_f32(size_t index) const;
    bool  operator==(const Node &) const = default;
};

// Node ids; -1 if the graph lacks that output.
struct Outputs {
    int32_t sampled    = -1;
    int32_t candidates = -1;
    int32_t logits     = -1;
    int32_t probs      = -1;

    bool operator==(const Outputs &) const = default;
};

// The values of a constant input, f32[V]; copies of a graph share them.
struct Column {
    std::shared_ptr<const std::vector<float>> values;

    bool operator==(const Column & other) const { return values == other.values || *values == *other.values; }
};

struct Graph {
    int32_t              uniform_count = 0;
    std::vector<Input>   inputs; // inputs[0] are the logits
    std::vector<int32_t> states; // node of each state's next value, then of each window's, measure and stop
    std::vector<int32_t> taps;   // nodes whose values the host reads to go on from them
    std::vector<Node>    nodes;
    Outputs              outputs;
    std::vector<Column>  columns; // of the constant inputs, in their order; empty until they are given

    bool operator==(const Graph &) const = default;
};

// The nodes that the host reads: outputs, states and taps. One can be there several times.
std::vector<int32_t> results_of(const Graph & graph);

// Decodes words and checks what does not depend on the vocabulary size: counts, op numbers, arity, dtypes, attribute values, and
// that operands come before their users. Throws Failure (INVALID_GRAPH).
Graph decode_wire(const int32_t * words, size_t count);

} // namespace ggsl
