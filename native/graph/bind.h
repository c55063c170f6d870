// A graph bound to a vocabulary size: all dims are numbers, and every check that needs them has passed.
#pragma once

#include "ranges.h"

namespace ggsl {

struct BoundGraph {
    Graph   graph;
    int32_t vocab_size = 0;

    // Which nodes an output or a state needs; the others are not built.
    std::vector<bool> live;

    // For i32 nodes: their values are used as row numbers below this. A `cast` has to be clamped to it.
    std::vector<int32_t> row_limit;

    // For i32 inputs: the values given are to be below this.
    std::vector<int32_t> input_limit;

    // What is known of each node's values.
    std::vector<Range> ranges;
};

// Binds V, and every larger dim, to `vocab_size`. Throws Failure (INVALID_GRAPH).
BoundGraph bind_graph(const Graph & graph, int32_t vocab_size);

} // namespace ggsl
