#include "plan.h"

#include "../fused/plan.h"
#include "../ops.h"

#include <algorithm>

namespace ggsl::bundles {

namespace {

// Wider rows are worth several threads.
constexpr int32_t narrow = 1024;
// With fewer ops a bundle does not pay.
constexpr int min_ops = 3;
// With fewer numbers of each op, another thread does not pay.
constexpr int64_t least_numbers   = 160;
constexpr int64_t most_rows_alone = 8;

class Planner {
public:
    explicit Planner(const BoundGraph & bound)
        : bound(bound), nodes(bound.graph.nodes), base(units_of(bound, bound.fusion.get())), levels(nodes.size()) {
        result.is_bundled.resize(nodes.size());
    }

    Plan run() {
        assign_levels();
        find_results();
        sink();
        for (int32_t level = 0; level <= last; ++level) {
            add_level(level);
        }
        skip_uniforms();
        return std::move(result);
    }

private:
    const Node & node_of(int32_t id) const { return nodes[static_cast<size_t>(id)]; }
    bool         is_bundled(int32_t id) const { return result.is_bundled[static_cast<size_t>(id)]; }
    bool         is_uniform(int32_t id) const { return id_of(node_of(id)) == OpId::uniform; }
    int32_t &    level_of(int32_t id) { return levels[static_cast<size_t>(id)]; }

    // Whether the node does little for a row.
    bool is_narrow(const Node & node) const {
        const OpId op = id_of(node);
        if (op == OpId::input || op == OpId::uniform || node.dim > narrow) {
            return false;
        }
        for (int32_t i = 0; i < node.operand_count; ++i) {
            const bool is_read_in_part = i == 0 && (op == OpId::get_rows || op == OpId::view);
            if (node_of(node.operands[i]).dim > narrow && !is_read_in_part) {
                return false;
            }
        }
        return true;
    }

    std::span<const int32_t> read_by(const Unit & unit) const {
        if (unit.kind == Unit::Kind::pass) {
            return bound.fusion->programs[static_cast<size_t>(unit.index)].inputs;
        }
        const Node & node = node_of(unit.index);
        return { node.operands.data(), static_cast<size_t>(node.operand_count) };
    }

    std::span<const int32_t> made_by(const Unit & unit) const {
        if (unit.kind == Unit::Kind::pass) {
            return bound.fusion->programs[static_cast<size_t>(unit.index)].nodes;
        }
        return { &unit.index, 1 };
    }

    // A node outside of bundles that reads nodes of one is built after that bundle, on the next level.
    void assign_levels() {
        for (const Unit & unit : base) {
            const bool bundles = unit.kind == Unit::Kind::node && is_narrow(node_of(unit.index));
            int32_t    level   = 0;
            for (const int32_t id : read_by(unit)) {
                level = std::max(level, level_of(id) + (!bundles && is_bundled(id) ? 1 : 0));
            }
            for (const int32_t id : made_by(unit)) {
                level_of(id)                               = level;
                result.is_bundled[static_cast<size_t>(id)] = bundles;
            }
            last = std::max(last, level);
        }
    }

    void find_results() {
        is_result.resize(nodes.size());
        for (const int32_t id : results_of(bound.graph)) {
            is_result[static_cast<size_t>(id)] = true;
        }
    }

    // What only later bundles read is computed there.
    void sink() {
        std::vector<int32_t> first(nodes.size(), last + 1); // the lowest level that reads it
        for (auto unit = base.rbegin(); unit != base.rend(); ++unit) {
            const bool bundles = unit->kind == Unit::Kind::node && is_bundled(unit->index);
            if (bundles && !is_result[static_cast<size_t>(unit->index)]) {
                int32_t & level = level_of(unit->index);
                level           = std::max(level, first[static_cast<size_t>(unit->index)]);
            }
            for (const int32_t id : read_by(*unit)) {
                const int32_t level = level_of(made_by(*unit)[0]) - (bundles ? 0 : 1);
                int32_t &     to    = first[static_cast<size_t>(id)];
                to                  = std::min(to, level);
            }
        }
    }

    void add_level(int32_t level) {
        std::vector<Unit> bundled;
        for (const Unit & unit : base) {
            if (level_of(made_by(unit)[0]) != level) {
                continue;
            }
            const bool bundles = unit.kind == Unit::Kind::node && is_bundled(unit.index);
            (bundles ? bundled : result.units).push_back(unit);
        }
        Bundle bundle = bundle_of(bundled);
        if (bundle.inputs.size() <= max_custom_inputs && ops_of(bundle) >= min_ops) {
            result.units.push_back({ Unit::Kind::bundle, static_cast<int32_t>(result.bundles.size()) });
            result.bundles.push_back(std::move(bundle));
            return;
        }
        for (const Unit & unit : bundled) {
            result.is_bundled[static_cast<size_t>(unit.index)] = false;
            result.units.push_back(unit);
        }
    }

    // Bundles read the uniforms themselves.
    void skip_uniforms() {
        std::vector<bool> is_read(is_result);
        for (const Unit & unit : result.units) {
            if (unit.kind != Unit::Kind::bundle) {
                for (const int32_t id : read_by(unit)) {
                    is_read[static_cast<size_t>(id)] = true;
                }
            }
        }
        std::erase_if(result.units, [&](const Unit & unit) {
            return unit.kind == Unit::Kind::node && is_uniform(unit.index) && !is_read[static_cast<size_t>(unit.index)];
        });
    }

    int64_t ops_of(const Bundle & bundle) const {
        return std::count_if(bundle.nodes.begin(), bundle.nodes.end(),
                             [&](int32_t id) { return id_of(node_of(id)) != OpId::view; });
    }

    Bundle bundle_of(const std::vector<Unit> & units) {
        Bundle            bundle;
        std::vector<bool> is_inside(nodes.size()), is_known(nodes.size());
        int64_t           widest = 1;
        for (const Unit & unit : units) {
            is_inside[static_cast<size_t>(unit.index)] = true;
            bundle.nodes.push_back(unit.index);
            widest = std::max<int64_t>(widest, node_of(unit.index).dim);
            for (const int32_t id : read_by(unit)) {
                if (!is_inside[static_cast<size_t>(id)] && !is_known[static_cast<size_t>(id)]) {
                    is_known[static_cast<size_t>(id)] = true;
                    (is_uniform(id) ? bundle.uniforms : bundle.inputs).push_back(id);
                }
            }
        }
        bundle.least_rows = std::clamp<int64_t>(least_numbers / widest, 1, most_rows_alone);
        find_outputs(bundle, is_inside);
        return bundle;
    }

    void find_outputs(Bundle & bundle, const std::vector<bool> & is_inside) {
        std::vector<bool> is_output(is_result);
        for (const Unit & unit : base) {
            if (unit.kind == Unit::Kind::node && is_inside[static_cast<size_t>(unit.index)]) {
                continue;
            }
            for (const int32_t id : read_by(unit)) {
                is_output[static_cast<size_t>(id)] = true;
            }
        }
        for (const int32_t id : bundle.nodes) {
            if (is_output[static_cast<size_t>(id)]) {
                const Node & node = node_of(id);
                bundle.outputs.push_back({ id, node.dim, node.dtype == Dtype::i32, bundle.numbers_per_row });
                bundle.numbers_per_row += node.dim;
            }
        }
    }

    const BoundGraph &        bound;
    const std::vector<Node> & nodes;
    const std::vector<Unit>   base;
    std::vector<int32_t>      levels; // of each node
    int32_t                   last = 0;
    std::vector<bool>         is_result; // what the host reads
    Plan                      result;
};

} // namespace

Plan plan(const BoundGraph & bound) {
    return Planner(bound).run();
}

Plan without_bundles(const BoundGraph & bound) {
    return { {}, units_of(bound, bound.fusion.get()), std::vector<bool>(bound.graph.nodes.size()) };
}

} // namespace ggsl::bundles
