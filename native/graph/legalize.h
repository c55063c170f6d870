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

// What nodes of a program are listed as (fused/plan.h).
const Rewrite & fused_rewrite();
// What nodes of a bundle are listed as (bundles/plan.h).
const Rewrite & bundled_rewrite();

// One of our own kernels on up to `threads` threads: [dim, rows].
ggml_tensor * custom(Builder & builder, ggml_type type, int64_t dim, std::span<ggml_tensor * const> operands,
                     ggml_custom_op_t kernel, int threads, void * attrs);

// The first rewrite for a node on the builder's device; null if it is built as the op table says.
const Rewrite * rewrite_of(const Builder & builder, const Node & node, ggml_tensor * const * operands);

} // namespace ggsl
