// A grammar as a table of nodes, which is read from words and checked. `runtime/grammars/words.ts` writes it.
#pragma once

#include "expressions.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ggsl::grammar {

constexpr uint32_t words_version  = 1;
constexpr size_t   max_words      = size_t{ 1 } << 24;
constexpr uint32_t max_depth      = 256; // of nodes in nodes
constexpr uint64_t max_load_steps = 1 << 22;
constexpr uint32_t max_marks      = 32;

using NodeId = uint32_t;

constexpr NodeId no_node = UINT32_MAX;

enum class NodeKind : uint8_t {
    text,         // count of bytes, the bytes, four a word
    characters,   // count, `from` and `to` of each range: one character
    all,          // count, nodes: a sequence
    any,          // count, nodes: alternatives
    repeat,       // node, min, max
    rule,         // node, which may be any: recursion
    intersection, // count, nodes
    complement,   // node
    members,      // flags, separator, others, min, max, count, each 2 * node + is_required
    tokens,       // whether all others, count, tokens: one token of the vocabulary
    mark,         // node, number: a part that programs ask about
};

struct ProgramNode {
    NodeKind              kind{};
    bool                  is_ordered = false; // members: come in their order
    bool                  is_negated = false; // tokens
    uint32_t              min        = 0;
    uint32_t              max        = 0;
    uint32_t              mark       = 0; // its number
    NodeId                separator  = no_node;
    NodeId                others     = no_node;
    std::vector<NodeId>   nodes;          // operands; of a rule, the node that it names
    std::vector<bool>     is_required;    // by member
    std::vector<uint32_t> tokens;         // sorted
    std::vector<uint32_t> required_after; // by member and after the last one: how many required ones are from there on
    bool                  is_productive = false; // some text matches
    bool                  is_regular    = false;
    Expression            expression    = Expressions::nothing; // of a regular node
};

struct Program {
    // Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    explicit Program(std::span<const uint32_t> words);

    std::vector<ProgramNode> nodes;
    NodeId                   root = 0;
    Expressions              expressions;
};

} // namespace ggsl::grammar
