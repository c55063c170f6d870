// In which order the CPU's graph is built: nodes by themselves, passes (fused/) and bundles (bundles.h).
#pragma once

#include "bind.h"

#include <vector>

namespace ggsl {

struct Unit {
    enum class Kind { node, pass, bundle };

    Kind    kind;
    int32_t index; // of the node, of the pass's stage, of the bundle
};

// All live nodes but those of passes, and the passes, each after what it reads.
std::vector<Unit> units_of(const BoundGraph & bound, const fused::Plan * plan);

} // namespace ggsl
