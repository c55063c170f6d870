// One thread waits for no other, so that small ops are as fast one by one.
#include "graph/bundles/bundles.h"

namespace ggsl::bundles {

struct Work {};

struct Bundles::State {
    Plan planned;
    Work none{};
};

Bundles::Bundles(const BoundGraph & bound, int) : state(std::make_unique<State>(State{ without_bundles(bound) })) {}

Bundles::~Bundles() = default;

const Plan & Bundles::plan() const {
    return state->planned;
}

Work & Bundles::prepare(int32_t, int64_t) {
    return state->none;
}

void run(ggml_tensor *, int, int, void *) {}

} // namespace ggsl::bundles
