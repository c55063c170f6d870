// The steps of a program: what its nodes compute, as data.
#pragma once

#include "../bind.h"
#include "../ops.h"
#include "program.h"

namespace ggsl::fused {

// The op that computes a column from columns and numbers, element by element; `given` for others.
Kind elementwise(OpId op);

// Whether the node is an input of packed bits, whose words a program reads.
bool is_packed(const BoundGraph & bound, int32_t node);

// How nodes are read outside of the program.
struct Reads {
    std::vector<bool> is_output; // of each node
    // Of each column that is read at the positions of the best only: these nodes `top_k`.
    std::vector<std::vector<int32_t>> places;
};

// Of nodes in order; those that are read elsewhere are outputs.
Program make_program(const BoundGraph & bound, const std::vector<int32_t> & nodes, const Reads & reads);

} // namespace ggsl::fused
