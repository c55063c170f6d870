// The bundles of a bound graph, and the memory that they compute in: as long as graphs with them are computed.
#pragma once

#include "piece.h"

#include <map>

namespace ggsl::bundles {

// What a node of the graph computes.
struct Work {
    const Bundle *                                       bundle;
    std::map<int64_t, std::vector<std::unique_ptr<Piece>>> pieces; // by their number of rows
};

class Bundles {
public:
    // `bound` outlives it. No graph of it is computed by two callers at once.
    explicit Bundles(const BoundGraph & bound);

    const Plan & plan() const { return planned; }

    // For a node of this many rows: what `run` gets, and in how many parts it is computed.
    Work & prepare(int32_t bundle, int64_t rows);
    int    parts_of(int32_t bundle, int64_t rows) const;

private:
    const BoundGraph &             bound;
    Plan                           planned;
    std::shared_ptr<const Machine> machine;
    std::vector<Work>              works;
};

// A ggml_custom_op_t. `dst` holds the bundle's outputs, each [dim, R], one after the other, or the only one. Its sources are the bundle's
// inputs, then the uniforms [R, U], if it reads any.
void run(ggml_tensor * dst, int thread, int threads, void * work);

} // namespace ggsl::bundles
