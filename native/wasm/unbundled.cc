// One thread waits for no other, so that small ops are as fast one by one.
#include "graph/bundles/bundles.h"

namespace ggsl::bundles {

struct Work {};

Bundles::Bundles(const BoundGraph & bound, int threads)
    : bound(bound), threads(threads), planned(without_bundles(bound)) {}

Bundles::~Bundles() = default;

Work & Bundles::prepare(int32_t index, int64_t) {
    return *works[static_cast<size_t>(index)];
}

void run(ggml_tensor *, int, int, void *) {}

} // namespace ggsl::bundles
