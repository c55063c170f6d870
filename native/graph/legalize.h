// Where the op table is not right on every device, or needlessly slow: one table of rewrites, each for some ops on some
// devices. What holds on every device is better left to the compiler; what a device can not run at all is no matter of this
// table (support.h).
#pragma once

#include "graph.h"
#include "ops.h"

namespace ggsl {

struct Rewrite {
    const char *        name;
    OpId                op;
    std::vector<Family> families; // empty: all
    const char *        reason;
    const char *        instead; // what is built

    // Whether this node needs it. Operands are [dim, rows].
    bool (*applies)(const Builder & builder, const Node & node, ggml_tensor * const * operands);
    Build build;
};

const std::vector<Rewrite> & rewrite_table();

// The first rewrite for a node on the builder's device; null when the op table's way is right.
const Rewrite * rewrite_of(const Builder & builder, const Node & node, ggml_tensor * const * operands);

} // namespace ggsl
