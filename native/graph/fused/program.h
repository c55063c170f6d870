// A program: the ops over wide columns that one node of the CPU's graph computes, block by block, row by row (sequence by sequence).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ggsl::fused {

enum class Kind : uint8_t {
    // numbers and columns from outside
    given,   // the tensor of a node
    uniform, // a number of the uniforms
    // element by element: a column, or a number if all operands are numbers
    abs,
    neg,
    sgn,
    step,
    exp,
    log,
    sqrt,
    sqr,
    sigmoid,
    tanh,
    floor,
    ceil,
    round,
    scale,
    clamp,
    add,
    sub,
    mul,
    div,
    same,  // operand 0, for repeat and cast
    power, // e^(x - y), for x <= y
    // columns
    bits, // of the words of a packed input
    fill,
    positions, // 0, 1, 2, ...
    scan, // the prefix sums of the column b, from its `blocks` a; without a, its blocks are summed as far as it is read
    order,  // the positions of the numbers of `stored` a, the largest first, sorted as far as they are read
    gather, // the numbers of `stored` a in the `order` b
    put,    // the column a, with the number b at the position `source`, a step
    // numbers of a column; known once all its blocks are read
    largest,
    argmax,
    sum,
    share,  // 1 / sum
    blocks, // the sum of each block, and of the column
    best,   // the positions of the `source` largest, the largest first
    at,     // the number at the position b
    stored, // none: all blocks of a are kept
};

inline bool is_elementwise(Kind kind) {
    return kind > Kind::uniform && kind < Kind::bits;
}

inline bool is_reduction(Kind kind) {
    return kind >= Kind::largest;
}

struct Step {
    Kind    kind;
    bool    is_column = false;
    int32_t a         = -1; // operands, steps before this one
    int32_t b         = -1;
    float   c0        = 0; // attributes
    float   c1        = 0;
    int32_t level     = 0; // reads reductions of lower levels only
    // `given` and `bits`: which of the program's inputs; `uniform`: which uniform; `at`: the fixed position or -1; `put`: a step;
    // `best`: how many
    int32_t source    = 0;
    bool    is_kept   = false; // a column whose blocks are kept for later levels
    bool    is_sorted = false; // a column that depends on an order: more is known of it as more of the order is
};

struct Output {
    int32_t node;
    int32_t step;
    int32_t dim;    // n, 1, or how many are the best
    bool    is_i32; // positions
    int64_t offset; // numbers of one row before it
    // Steps `best`: nothing else of the column is read than what is at these positions, so nothing else is written; empty: all of it.
    std::vector<int32_t> places = {};
    int32_t              level  = 0; // at the end of which it is known

    bool is_whole_column(const Step & of) const { return of.is_column && places.empty(); }
};

struct Program {
    int32_t              n = 0; // rows of a column
    std::vector<Step>    steps;
    std::vector<int32_t> inputs; // nodes from outside
    bool                 reads_uniforms = false;
    std::vector<Output>  outputs;
    int64_t              numbers_per_row = 0; // of all outputs
    int32_t              levels          = 0;
    std::vector<int32_t> nodes; // that it computes
};

// The numbers of a column that are worked on at once: a few of them fit the first cache.
inline constexpr int32_t block = 1024;

} // namespace ggsl::fused
