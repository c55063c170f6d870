// One table of rewrites, for ops that some devices compute wrongly or needlessly slowly. What holds on every device is the
// compiler's job; ops that a device cannot run at all are support.h's.
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

// The first rewrite for a node on the builder's device; null if it is built as the op table says.
const Rewrite * rewrite_of(const Builder & builder, const Node & node, ggml_tensor * const * operands);

} // namespace ggsl
