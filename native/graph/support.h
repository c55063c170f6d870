// What a device can run.
#pragma once

#include "backend.h"
#include "bits.h"
#include "graph.h"

#include <ggml-backend.h>

#include <string>
#include <vector>

namespace ggsl {

// llama.cpp probes every chain with this many candidates before it adds it to a model's graph.
inline constexpr int32_t probe_vocab_size = 128 * 1024;

// Builds shapes only: nothing is allocated or computed. The tensors live in `context`. `in_model`: as part of a model's graph,
// where guides are rows of its logits. Throws Failure (INVALID_GRAPH, OUT_OF_MEMORY).
Built dry_build(ContextPtr & context, const BoundGraph & bound, int64_t rows, Family family, bool in_model);

// A node with an op that a device cannot run, and ggml's name of the op.
struct Unsupported {
    int32_t     node;
    std::string op;
};

// All of them, in order; empty if the device can run the graph.
std::vector<Unsupported> find_unsupported(const Built & built, const Target & target);

// The same for a graph at a vocabulary size, for one row and for several; `in_model`: also at llama.cpp's probe size.
std::vector<Unsupported> find_unsupported(const Graph & graph, int32_t vocab_size, bool in_model,
                                          const Target & target);

// Bytes that one more row of the graph takes on the device as part of a model's graph: its logits, uniforms, inputs and results, and the intermediate
// tensors. `bound` as for dry_build.
size_t bytes_per_row(const BoundGraph & bound, ggml_backend_dev_t device);

// Throws Failure (UNSUPPORTED_OP) that names the first op that the device cannot run.
void check_support(const Built & built, ggml_backend_dev_t device, const Target & target);

} // namespace ggsl
