// The bundles of a bound graph, and the memory that they compute in: as long as graphs with them are computed.
#pragma once

#include "plan.h"

#include <ggml.h>

#include <memory>

namespace ggsl::bundles {

// Rows of a node that are computed together.
struct Part {
    int64_t first;
    int64_t rows;
};

// All rows of a node, in parts for these threads. Parts have powers of two of rows, so that nodes of any number of rows share their memory.
std::vector<Part> parts_of(int64_t rows, int64_t least_rows, int threads);

// What a node of the graph computes.
struct Work;

class Bundles {
public:
    // For graphs on this many threads. `bound` outlives it. No two graphs with it are computed at the same time.
    Bundles(const BoundGraph & bound, int threads);
    ~Bundles();
    Bundles(const Bundles &)             = delete;
    Bundles & operator=(const Bundles &) = delete;

    const Plan & plan() const;

    // What `run` gets for a node of this many rows. Throws Failure (OUT_OF_MEMORY).
    Work & prepare(int32_t bundle, int64_t rows);

private:
    struct State;
    std::unique_ptr<State> state;
};

// A ggml_custom_op_t. `dst` holds the bundle's outputs, each [dim, R], one after the other, or the only one. Its sources are the bundle's
// inputs, then the uniforms [R, U], if it reads any.
void run(ggml_tensor * dst, int thread, int threads, void * work);

} // namespace ggsl::bundles
