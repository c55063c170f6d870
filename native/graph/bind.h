// A graph bound to a vocabulary size: all dims are numbers, and every check that needs them has passed.
#pragma once

#include "ranges.h"

#include <memory>

namespace ggsl {

namespace fused {
struct Plan;
}

struct BoundGraph {
    Graph   graph;
    int32_t vocab_size = 0;

    // Nodes that an output or a state depends on; the others are not built.
    std::vector<bool> live;

    // For i32 nodes: an upper bound (exclusive) of the indices that their values may be. A `cast` is clamped to it.
    std::vector<int32_t> row_limit;

    // For i32 inputs: their values must be below this.
    std::vector<int32_t> input_limit;

    // The range of each node's values.
    std::vector<Range> ranges;

    // What the CPU computes as programs (fused/plan.h); null if it computes each op for itself.
    std::shared_ptr<const fused::Plan> fusion;
};

// Binds V, and every larger dim, to `vocab_size`. Throws Failure (INVALID_GRAPH).
BoundGraph bind_graph(const Graph & graph, int32_t vocab_size);

} // namespace ggsl
