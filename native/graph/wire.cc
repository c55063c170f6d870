#include "wire.h"

#include "failure.h"
#include "ops.h"

#include <cmath>
#include <cstring>

namespace ggsl {

float Node::attr_f32(size_t index) const {
    float value;
    std::memcpy(&value, &attrs[index], sizeof(value));
    return value;
}

namespace {

class Reader {
public:
    Reader(const int32_t * words, size_t count) : words(words), count(count) {}

    int32_t next() {
        if (position >= count) {
            fail(code::invalid_graph, "the wire graph ends too early, after %zu words", count);
        }
        return words[position++];
    }

    int32_t next_in(int32_t min, int32_t max, const char * what) {
        const int32_t value = next();
        if (value < min || value > max) {
            fail(code::invalid_graph, "wire word %zu: expected %s from %d to %d, found %d", position - 1, what, min,
                 max, value);
        }
        return value;
    }

    int32_t next_dim() {
        const int32_t value = next_in(dim_vocabulary, max_dim, "a dim (-1 for the vocabulary)");
        if (value == 0) {
            fail(code::invalid_graph, "wire word %zu: a dim is 0", position - 1);
        }
        return value;
    }

    Dtype next_dtype() { return static_cast<Dtype>(next_in(0, 1, "a dtype")); }

    bool at_end() const { return position == count; }

private:
    const int32_t * words;
    size_t          count;
    size_t          position = 0;
};

Dtype result_dtype(const Graph & graph, const Op & op, const Node & node) {
    return static_cast<Dtype>(
        op.dtype.apply(node.attrs.data(), [&](int32_t i) { return graph.nodes[node.operands[i]].dtype; }));
}

void check_operands(const Graph & graph, const Op & op, const Node & node, size_t id) {
    for (int32_t i = 0; i < node.operand_count; ++i) {
        const Dtype found = graph.nodes[node.operands[i]].dtype;
        const bool  fits  = op.operands[i].dtype == OperandDtype::any ||
                          (op.operands[i].dtype == OperandDtype::i32) == (found == Dtype::i32);
        if (!fits) {
            fail(code::invalid_graph, "node %%%zu %s: operand %d is %s", id, op.name, i,
                 found == Dtype::i32 ? "i32" : "f32");
        }
    }
}

void read_attrs(Reader & reader, const Op & op, Node & node, size_t id) {
    for (int32_t i = 0; i < op.attr_count; ++i) {
        switch (op.attrs[i].kind) {
            case AttrKind::count:   node.attrs[i] = reader.next_dim(); break;
            case AttrKind::integer: node.attrs[i] = reader.next_in(-max_dim, max_dim, "an integer attribute"); break;
            case AttrKind::choice:  node.attrs[i] = reader.next_in(0, op.attrs[i].choices - 1, "a choice"); break;
            case AttrKind::f32:
                node.attrs[i] = reader.next();
                if (std::isnan(node.attr_f32(i))) {
                    fail(code::invalid_graph, "node %%%zu %s: attribute %d is NaN", id, op.name, i);
                }
                break;
        }
    }
}

Node read_node(Reader & reader, const Graph & graph) {
    const size_t  id    = graph.nodes.size();
    const int32_t count = static_cast<int32_t>(op_table().size());

    Node node{};
    node.op    = reader.next_in(0, count - 1, "an op number");
    node.dtype = reader.next_dtype();
    node.dim   = reader.next_dim();

    const Op & op      = op_table()[node.op];
    node.operand_count = reader.next_in(op.required_operands(), op.operand_count, "an operand count");
    for (int32_t i = 0; i < node.operand_count; ++i) {
        node.operands[i] = reader.next_in(0, static_cast<int32_t>(id) - 1, "an earlier node");
    }
    read_attrs(reader, op, node, id);
    check_operands(graph, op, node, id);
    if (node.dtype != result_dtype(graph, op, node)) {
        fail(code::invalid_graph, "node %%%zu %s: wrong dtype", id, op.name);
    }
    return node;
}

void check_output(const Graph & graph, int32_t node, Dtype dtype, const char * name) {
    if (node >= 0 && graph.nodes[node].dtype != dtype) {
        fail(code::invalid_graph, "output %s: node %%%d should be %s", name, node, dtype == Dtype::i32 ? "i32" : "f32");
    }
}

} // namespace

std::vector<int32_t> results_of(const Graph & graph) {
    std::vector<int32_t> nodes = { graph.outputs.sampled, graph.outputs.candidates, graph.outputs.logits,
                                   graph.outputs.probs };
    std::erase_if(nodes, [](int32_t node) { return node < 0; });
    nodes.insert(nodes.end(), graph.states.begin(), graph.states.end());
    nodes.insert(nodes.end(), graph.taps.begin(), graph.taps.end());
    return nodes;
}

Graph decode_wire(const int32_t * words, size_t count) {
    Reader reader(words, count);
    if (reader.next() != wire_magic) {
        fail(code::invalid_graph, "this is not a wire graph: the first word should be 0x%x", wire_magic);
    }
    if (const int32_t version = reader.next(); version != wire_version) {
        fail(code::invalid_graph, "wire version %d, but this build reads version %d: run npm run build:native again",
             version, wire_version);
    }

    Graph graph;
    graph.uniform_count         = reader.next_in(0, max_uniforms, "a uniform count");
    const int32_t   input_count = reader.next_in(1, max_inputs, "an input count");
    const int32_t   state_count = reader.next_in(0, max_states, "a count of states, measures and stops");
    const int32_t   tap_count   = reader.next_in(0, max_taps, "a tap count");
    const int32_t   node_count  = reader.next_in(1, max_nodes, "a node count");
    int32_t * const outputs[]   = { &graph.outputs.sampled, &graph.outputs.candidates, &graph.outputs.logits,
                                    &graph.outputs.probs };
    for (int32_t * output : outputs) {
        *output = reader.next_in(-1, node_count - 1, "a node or -1");
    }
    for (int32_t i = 0; i < input_count; ++i) {
        const Dtype   dtype  = reader.next_dtype();
        const int32_t dim    = reader.next_dim();
        const int32_t role   = reader.next_in(0, 3, "the role of an input");
        const bool    is_fed = role == 0;
        if (!is_fed && (i == 0 || dtype != Dtype::f32 || dim != dim_vocabulary)) {
            fail(code::invalid_graph, "input %d: a guide, a constant or bits must be f32[V], after the logits", i);
        }
        graph.inputs.push_back({ dtype, dim, role == 1, role == 2, role == 3 });
    }
    if (graph.inputs[0] != Input{ Dtype::f32, dim_vocabulary, false }) {
        fail(code::invalid_graph, "input 0 must be the logits, f32[V]");
    }
    for (int32_t i = 0; i < state_count; ++i) {
        graph.states.push_back(reader.next_in(0, node_count - 1, "the node of a state, a measure or a stop"));
    }
    for (int32_t i = 0; i < tap_count; ++i) {
        graph.taps.push_back(reader.next_in(0, node_count - 1, "a tapped node"));
    }
    for (int32_t i = 0; i < node_count; ++i) {
        graph.nodes.push_back(read_node(reader, graph));
    }
    if (!reader.at_end()) {
        fail(code::invalid_graph, "the wire graph has words after its last node");
    }

    check_output(graph, graph.outputs.sampled, Dtype::i32, "sampled");
    check_output(graph, graph.outputs.candidates, Dtype::i32, "candidates");
    check_output(graph, graph.outputs.logits, Dtype::f32, "logits");
    check_output(graph, graph.outputs.probs, Dtype::f32, "probs");
    for (const int32_t state : graph.states) {
        check_output(graph, state, Dtype::f32, "state");
    }
    return graph;
}

} // namespace ggsl
