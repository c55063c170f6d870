#include "plan.h"

#include "../ops.h"
#include "steps.h"

#include <algorithm>

namespace ggsl::fused {

namespace {

// For narrower columns, or fewer ops, a program does not pay.
constexpr int32_t wide      = 512;
constexpr int     min_nodes = 3;
// More of the best are not selected in a program.
constexpr int32_t most_best = 1024;
// A block of every step fits the second cache.
constexpr size_t max_steps = 160;

class Planner {
public:
    explicit Planner(const BoundGraph & bound)
        : bound(bound), nodes(bound.graph.nodes), n(bound.vocab_size), result(std::make_shared<Plan>()) {}

    std::shared_ptr<const Plan> run() {
        if (n < wide) {
            return nullptr;
        }
        find_stages();
        find_readers();
        bool pays = false;
        for (int32_t stage = 0; stage < static_cast<int32_t>(result->programs.size()); ++stage) {
            pays = add_program(stage) || pays;
        }
        skip_read();
        return pays ? result : nullptr;
    }

private:
    const Node & node_of(int32_t id) const { return nodes[static_cast<size_t>(id)]; }
    bool         is_column(int32_t id) const { return node_of(id).dim == n; }
    bool         is_fused(int32_t id) const { return result->is_fused[static_cast<size_t>(id)]; }
    int32_t &    stage_of(int32_t id) { return result->stages[static_cast<size_t>(id)]; }

    bool sorts(int32_t id) const { return is_sort[static_cast<size_t>(id)]; }
    // Whether the node is a column in a program's order, or the position at a place of such an order.
    bool gathers(const Node & node) const {
        return node.dim == n && node.dtype == Dtype::f32 && is_column(node.operands[0]) && sorts(node.operands[1]);
    }
    bool picks(const Node & node) const { return node.dim == 1 && sorts(node.operands[0]); }

    // Whether the node is a column with another number at a place.
    bool puts(const Node & node) const {
        return node.dim == n && node.dtype == Dtype::f32 && node_of(node.operands[1]).dim == 1 &&
               node_of(node.operands[2]).dim == 1;
    }

    // Whether the node computes a column, or a number from a column.
    bool reads_or_makes_column(const Node & node) const {
        const auto is_f32_column = [&](int32_t operand) {
            return is_column(operand) && node_of(operand).dtype == Dtype::f32;
        };
        switch (id_of(node)) {
            case OpId::sum_rows:
            case OpId::argmax:   return is_f32_column(node.operands[0]);
            case OpId::top_k:
                return node.dim > 1 && node.dim < n && node.dim <= most_best && is_f32_column(node.operands[0]) &&
                       is_fused(node.operands[0]);
            case OpId::argsort: return sorts(static_cast<int32_t>(&node - nodes.data()));
            case OpId::view:    return node.dim == 1 && is_f32_column(node.operands[0]);
            case OpId::get_rows:
                return gathers(node) || picks(node) || (node.dim == 1 && is_f32_column(node.operands[0]));
            case OpId::set_rows: return puts(node);
            case OpId::soft_max:
            case OpId::cumsum:
            case OpId::fill:
            case OpId::arange:
            case OpId::repeat:   return node.dim == n;
            default:             return node.dim == n && elementwise(id_of(node)) != Kind::given;
        }
    }

    // A number is part of a program if one of its operands is.
    bool computes_number(const Node & node, int32_t stage) {
        const bool is_known = elementwise(id_of(node)) != Kind::given || id_of(node) == OpId::cast;
        return node.dim == 1 && is_known &&
               std::any_of(node.operands.begin(), node.operands.begin() + node.operand_count,
                           [&](int32_t operand) { return is_fused(operand) && stage_of(operand) == stage; });
    }

    // A sort is part of a program if the whole order is not read: only columns in that order and positions at some places of it are,
    // in the same program, and one of the columns is summed up, as for a share of the probabilities.
    void find_stages() {
        is_sort.resize(nodes.size());
        for (size_t id = 0; id < nodes.size(); ++id) {
            is_sort[id] =
                bound.live[id] && id_of(nodes[id]) == OpId::argsort && nodes[id].attrs[0] != 0 && nodes[id].dim == n;
        }
        for (bool is_settled = false; !is_settled;) {
            assign_stages();
            is_settled = true;
            for (size_t id = 0; id < nodes.size(); ++id) {
                if (is_sort[id] && !stays_inside(static_cast<int32_t>(id))) {
                    is_sort[id] = false;
                    is_settled  = false;
                }
            }
        }
    }

    bool stays_inside(int32_t id) {
        if (is_result(id)) {
            return false;
        }
        bool is_summed = false;
        for (size_t i = 0; i < nodes.size(); ++i) {
            const Node & reader = nodes[i];
            if (!bound.live[i] || stage_of(static_cast<int32_t>(i)) < stage_of(id)) {
                continue;
            }
            const auto end   = reader.operands.begin() + reader.operand_count;
            const bool reads = std::find(reader.operands.begin(), end, id) != end;
            const bool is_inside =
                id_of(reader) == OpId::get_rows && (picks(reader) || (gathers(reader) && reader.operands[0] != id));
            if (reads && (!is_inside || stage_of(static_cast<int32_t>(i)) != stage_of(id))) {
                return false;
            }
            is_summed = is_summed || (id_of(reader) == OpId::cumsum && static_cast<int32_t>(i) > id);
        }
        return is_summed;
    }

    bool is_result(int32_t id) const {
        const Graph & graph = bound.graph;
        const auto    has   = [&](const std::vector<int32_t> & list) {
            return std::find(list.begin(), list.end(), id) != list.end();
        };
        return id == graph.outputs.sampled || id == graph.outputs.candidates || has(graph.states) || has(graph.taps);
    }

    void assign_stages() {
        result->stages.assign(nodes.size(), 0);
        result->is_fused.assign(nodes.size(), false);
        int32_t last = 0;
        for (size_t id = 0; id < nodes.size(); ++id) {
            if (!bound.live[id]) {
                continue;
            }
            const Node & node   = nodes[id];
            int32_t      inside = 0, outside = 0;
            for (int32_t i = 0; i < node.operand_count; ++i) {
                const int32_t operand = node.operands[i];
                inside                = std::max(inside, stage_of(operand));
                outside               = std::max(outside, stage_of(operand) + (is_fused(operand) ? 1 : 0));
            }
            result->is_fused[id] = reads_or_makes_column(node) || computes_number(node, inside);
            result->stages[id]   = result->is_fused[id] ? inside : outside;
            last                 = std::max(last, result->stages[id]);
        }
        result->programs.assign(static_cast<size_t>(last) + 1, {});
    }

    // Nodes that something outside of the program of their stage reads.
    void find_readers() {
        reads.is_output.resize(nodes.size());
        reads.places.resize(nodes.size());
        std::vector<int32_t> best_of(nodes.size(), -1); // whose positions, or some of these in any order, a node holds
        std::vector<bool>    is_read_elsewhere(nodes.size());
        for (size_t id = 0; id < nodes.size(); ++id) {
            const Node & node = nodes[id];
            if (!bound.live[id]) {
                continue;
            }
            best_of[id] = best_in(static_cast<int32_t>(id), best_of);
            for (int32_t i = 0; i < node.operand_count; ++i) {
                const auto operand = static_cast<size_t>(node.operands[i]);
                if (result->is_fused[id] && result->stages[operand] == result->stages[id]) {
                    continue;
                }
                reads.is_output[operand] = true;
                const int32_t best       = id_of(node) == OpId::get_rows && i == 0 && is_column(node.operands[0])
                                               ? best_of[static_cast<size_t>(node.operands[1])]
                                               : -1;
                if (best >= 0 && stage_of(best) == result->stages[operand]) {
                    reads.places[operand].push_back(best);
                } else {
                    is_read_elsewhere[operand] = true;
                }
            }
        }
        for (const int32_t id : results_of(bound.graph)) {
            reads.is_output[static_cast<size_t>(id)]   = true;
            is_read_elsewhere[static_cast<size_t>(id)] = true;
        }
        for (size_t id = 0; id < nodes.size(); ++id) {
            auto & places = reads.places[id];
            std::sort(places.begin(), places.end());
            places.erase(is_read_elsewhere[id] ? places.begin() : std::unique(places.begin(), places.end()),
                         places.end());
        }
    }

    int32_t best_in(int32_t id, const std::vector<int32_t> & best_of) const {
        const Node & node = node_of(id);
        const OpId   op   = id_of(node);
        if (op == OpId::top_k) {
            return is_fused(id) ? id : -1;
        }
        const bool chooses = node.dtype == Dtype::i32 && (op == OpId::get_rows || op == OpId::view);
        return chooses ? best_of[static_cast<size_t>(node.operands[0])] : -1;
    }

    bool add_program(int32_t stage) {
        std::vector<int32_t> computed;
        int                  columns = 0;
        bool                 reduces = false;
        for (size_t i = 0; i < nodes.size(); ++i) {
            const auto id = static_cast<int32_t>(i);
            if (!bound.live[i] || !is_fused(id) || stage_of(id) != stage) {
                continue;
            }
            const OpId op      = id_of(nodes[i]);
            const bool selects = op == OpId::argmax || op == OpId::top_k;
            reduces = reduces || selects || op == OpId::sum_rows || op == OpId::soft_max || op == OpId::cumsum;
            columns += is_column(id) || op == OpId::sum_rows || selects ? 1 : 0;
            computed.push_back(id);
        }
        Program program = make_program(bound, computed, reads);
        if (!reduces || columns < min_nodes || program.steps.size() > max_steps ||
            program.inputs.size() > max_custom_inputs) {
            for (const int32_t id : computed) {
                result->is_fused[static_cast<size_t>(id)] = false;
            }
            return false;
        }
        result->programs[static_cast<size_t>(stage)] = std::move(program);
        return true;
    }

    // Programs read uniforms and the words of packed inputs themselves.
    void skip_read() {
        std::vector<bool> is_read(reads.is_output);
        for (size_t id = 0; id < nodes.size(); ++id) {
            for (int32_t i = 0; bound.live[id] && !result->is_fused[id] && i < nodes[id].operand_count; ++i) {
                is_read[static_cast<size_t>(nodes[id].operands[i])] = true;
            }
        }
        for (size_t id = 0; id < nodes.size(); ++id) {
            const bool is_read_inside = id_of(nodes[id]) == OpId::uniform || is_packed(bound, static_cast<int32_t>(id));
            if (bound.live[id] && is_read_inside && !is_read[id]) {
                result->is_fused[id] = true;
            }
        }
    }

    const BoundGraph &        bound;
    const std::vector<Node> & nodes;
    const int32_t             n;
    std::shared_ptr<Plan>     result;
    Reads                     reads;
    std::vector<bool>         is_sort; // sorts that are part of a program
};

} // namespace

std::shared_ptr<const Plan> plan(const BoundGraph & bound) {
    return Planner(bound).run();
}

} // namespace ggsl::fused
