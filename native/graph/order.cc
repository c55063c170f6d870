#include "order.h"

#include "fused/plan.h"

namespace ggsl {

std::vector<Unit> units_of(const BoundGraph & bound, const fused::Plan * plan) {
    std::vector<Unit> units;
    const size_t      stages = plan == nullptr ? 1 : plan->programs.size();
    for (size_t stage = 0; stage < stages; ++stage) {
        for (size_t node = 0; node < bound.graph.nodes.size(); ++node) {
            const bool is_here =
                plan == nullptr || (!plan->is_fused[node] && plan->stages[node] == static_cast<int32_t>(stage));
            if (bound.live[node] && is_here) {
                units.push_back({ Unit::Kind::node, static_cast<int32_t>(node) });
            }
        }
        if (plan != nullptr && !plan->programs[stage].steps.empty()) {
            units.push_back({ Unit::Kind::pass, static_cast<int32_t>(stage) });
        }
    }
    return units;
}

} // namespace ggsl
