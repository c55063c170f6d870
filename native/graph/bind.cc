#include "bind.h"

#include "failure.h"
#include "fused/plan.h"
#include "ops.h"

#include <algorithm>

namespace ggsl {

namespace {

// Casts are exact for indices up to max_dim.
constexpr int32_t unlimited = max_dim;

class Binder {
public:
    Binder(const Graph & graph, int32_t vocab_size) : bound{ graph, vocab_size, {}, {}, {}, {}, {} } {}

    BoundGraph run() {
        bind_dims();
        for (size_t id = 0; id < nodes().size(); ++id) {
            check_node(id);
        }
        check_outputs();
        find_live();
        limit_rows();
        bound.ranges = find_ranges(bound.graph);
        bound.fusion = fused::plan(bound);
        return std::move(bound);
    }

private:
    std::vector<Node> & nodes() { return bound.graph.nodes; }
    const Node &        operand(const Node & node, int i) { return nodes()[node.operands[i]]; }

    int32_t bind(int32_t dim) const {
        return dim == dim_vocabulary ? bound.vocab_size : std::min(dim, bound.vocab_size);
    }

    void bind_dims() {
        for (Input & input : bound.graph.inputs) {
            input.dim = bind(input.dim);
        }
        for (Node & node : nodes()) {
            node.dim      = bind(node.dim);
            const Op & op = op_of(node);
            for (int32_t i = 0; i < op.attr_count; ++i) {
                if (op.attrs[i].kind == AttrKind::count) {
                    node.attrs[i] = bind(node.attrs[i]);
                }
            }
        }
    }

    void check_node(size_t id) {
        const Node & node = nodes()[id];
        const Op &   op   = op_of(node);
        check_operand_dims(id, node, op);
        if (node.dim != result_dim(node, op)) {
            fail(code::invalid_graph, "node %%%zu %s: dim is %d, expected %d", id, op.name, node.dim,
                 result_dim(node, op));
        }
        check_attrs(id, node, op);
    }

    void check_operand_dims(size_t id, const Node & node, const Op & op) {
        int32_t rows = 0;
        for (int32_t i = 0; i < node.operand_count; ++i) {
            const int32_t dim  = operand(node, i).dim;
            bool          fits = true;
            switch (op.operands[i].dim) {
                case OperandDim::rows:
                    fits = rows == 0 || rows == dim;
                    rows = dim;
                    break;
                case OperandDim::broadcast: fits = dim == 1 || dim == rows; break;
                case OperandDim::scalar:    fits = dim == 1; break;
                case OperandDim::free:      break;
            }
            if (!fits) {
                fail(code::invalid_graph, "node %%%zu %s: operand %d has %d rows", id, op.name, i, dim);
            }
        }
    }

    int32_t result_dim(const Node & node, const Op & op) {
        return op.dim.apply(node.attrs.data(), [&](int32_t i) { return operand(node, i).dim; });
    }

    // Checks that the rules of the op table cannot express.
    void check_attrs(size_t id, const Node & node, const Op & op) {
        switch (id_of(node)) {
            case OpId::input: {
                const auto & inputs = bound.graph.inputs;
                const bool   exists = node.attrs[0] >= 0 && static_cast<size_t>(node.attrs[0]) < inputs.size();
                if (!exists || inputs[node.attrs[0]].dtype != node.dtype || inputs[node.attrs[0]].dim != node.dim) {
                    fail(code::invalid_graph, "node %%%zu %s: there is no input %d", id, op.name, node.attrs[0]);
                }
                break;
            }
            case OpId::uniform:
                if (node.attrs[0] < 0 || node.attrs[0] >= bound.graph.uniform_count) {
                    fail(code::invalid_graph, "node %%%zu %s: there is no uniform %d", id, op.name, node.attrs[0]);
                }
                break;
            case OpId::clamp:
                if (!(node.attr_f32(0) <= node.attr_f32(1))) {
                    fail(code::invalid_graph, "node %%%zu %s: lo is above hi", id, op.name);
                }
                break;
            case OpId::top_k:
                if (node.dim > operand(node, 0).dim) {
                    fail(code::invalid_graph, "node %%%zu %s: k = %d of %d rows", id, op.name, node.dim,
                         operand(node, 0).dim);
                }
                break;
            case OpId::view: {
                const int32_t rows   = operand(node, 0).dim;
                const int32_t offset = node.attrs[0] < 0 ? node.attrs[0] + rows : node.attrs[0];
                if (offset < 0 || node.dim > rows - offset) {
                    fail(code::invalid_graph, "node %%%zu %s: %d rows from %d on, but there are %d", id, op.name,
                         node.dim, node.attrs[0], rows);
                }
                break;
            }
            default: break;
        }
    }

    void check_outputs() {
        const Outputs & out = bound.graph.outputs;
        if (out.sampled >= 0 && nodes()[out.sampled].dim != 1) {
            fail(code::invalid_graph, "output sampled: node %%%d has %d rows, expected 1", out.sampled,
                 nodes()[out.sampled].dim);
        }
        int32_t rows = out.candidates < 0 ? bound.vocab_size : nodes()[out.candidates].dim;
        for (const int32_t output : { out.logits, out.probs }) {
            if (output >= 0 && nodes()[output].dim != rows) {
                fail(code::invalid_graph, "output node %%%d has %d rows, expected one for each of %d candidates",
                     output, nodes()[output].dim, rows);
            }
        }
        for (const int32_t state : bound.graph.states) {
            if (nodes()[state].dim != 1) {
                fail(code::invalid_graph, "state node %%%d has %d rows, expected 1", state, nodes()[state].dim);
            }
        }
    }

    void find_live() {
        bound.live.assign(nodes().size(), false);
        for (const int32_t node : results_of(bound.graph)) {
            bound.live[node] = true;
        }
        for (size_t id = nodes().size(); id-- > 0;) {
            for (int32_t i = 0; bound.live[id] && i < nodes()[id].operand_count; ++i) {
                bound.live[nodes()[id].operands[i]] = true;
            }
        }
    }

    // An index out of range aborts the process on the CPU and reads arbitrary memory on a GPU. So every i32 value is proved to
    // be in range at its definition, and the builder clamps a cast, which can be any number.
    void limit_rows() {
        const Outputs & out   = bound.graph.outputs;
        auto &          limit = bound.row_limit;
        limit.assign(nodes().size(), unlimited);
        for (const Input & input : bound.graph.inputs) {
            bound.input_limit.push_back(input.is_packed ? max_word + 1 : bound.vocab_size);
        }
        const auto lower = [&](int32_t id, int32_t to) { limit[id] = std::min(limit[id], to); };

        for (const int32_t tokens : { out.sampled, out.candidates }) {
            if (tokens >= 0) {
                lower(tokens, bound.vocab_size);
            }
        }
        for (size_t id = nodes().size(); id-- > 0;) {
            const Node & node = nodes()[id];
            switch (id_of(node)) {
                case OpId::get_rows:
                    lower(node.operands[1], operand(node, 0).dim);
                    lower(node.operands[0], limit[id]);
                    break;
                case OpId::view:     lower(node.operands[0], limit[id]); break;
                case OpId::set_rows: lower(node.operands[2], operand(node, 0).dim); break;
                case OpId::argmax:
                case OpId::argsort:
                case OpId::top_k:    check_range(id, node, operand(node, 0).dim); break;
                case OpId::input:
                    bound.input_limit[node.attrs[0]] = std::min(bound.input_limit[node.attrs[0]], limit[id]);
                    break;
                case OpId::cast:
                    if (operand(node, 0).dtype == Dtype::i32) {
                        lower(node.operands[0], node.dtype == Dtype::i32 ? limit[id] : unlimited);
                    }
                    break;
                default: break;
            }
        }
    }

    void check_range(size_t id, const Node & node, int32_t values) {
        if (values > bound.row_limit[id]) {
            fail(code::invalid_graph, "node %%%zu %s gives numbers below %d, used as indices of only %d rows", id,
                 op_of(node).name, values, bound.row_limit[id]);
        }
    }

    BoundGraph bound;
};

} // namespace

BoundGraph bind_graph(const Graph & graph, int32_t vocab_size) {
    if (vocab_size < 1 || vocab_size > max_dim) {
        fail(code::invalid_argument, "a vocabulary has 1 to %d tokens, found %d", max_dim, vocab_size);
    }
    return Binder(graph, vocab_size).run();
}

} // namespace ggsl
