// Which nodes of a bound graph the CPU computes in bundles: small ops, one after the other on one thread, as one node of ggml's graph.
#pragma once

#include "../order.h"

namespace ggsl::bundles {

struct Output {
    int32_t node;
    int32_t dim;
    bool    is_i32;
    int64_t offset; // numbers of one row before it
};

struct Bundle {
    std::vector<int32_t> nodes;    // in order
    std::vector<int32_t> inputs;   // nodes from outside, but for uniforms
    std::vector<int32_t> uniforms; // nodes
    std::vector<Output>  outputs;
    int64_t              numbers_per_row = 0; // of all outputs
    int64_t              least_rows      = 1; // for fewer, another thread does not pay
};

struct Plan {
    std::vector<Bundle> bundles;
    std::vector<Unit>   units;      // what is built, in order
    std::vector<bool>   is_bundled; // of each node
};

Plan plan(const BoundGraph & bound);
// Every node that is in no pass by itself.
Plan without_bundles(const BoundGraph & bound);

} // namespace ggsl::bundles
