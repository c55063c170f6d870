#include "sampler/ahead.h"

#include "error.h"

#include "graph/ops.h"

#include <algorithm>

namespace ggsl::c {

namespace {

// The graph of the first `count` states alone, with the nodes that they are computed from.
Graph part_of(const Graph & graph, size_t count) {
    std::vector<bool> needed(graph.nodes.size(), false);
    for (size_t i = 0; i < count; ++i) {
        needed[static_cast<size_t>(graph.states[i])] = true;
    }
    for (size_t id = graph.nodes.size(); id-- > 0;) {
        for (int32_t i = 0; needed[id] && i < graph.nodes[id].operand_count; ++i) {
            needed[static_cast<size_t>(graph.nodes[id].operands[static_cast<size_t>(i)])] = true;
        }
    }
    Graph part;
    part.uniform_count = graph.uniform_count;
    part.inputs        = { graph.inputs[0] };
    std::vector<int32_t> moved(graph.nodes.size(), -1);
    for (size_t id = 0; id < graph.nodes.size(); ++id) {
        if (needed[id]) {
            moved[id] = static_cast<int32_t>(part.nodes.size());
            Node node = graph.nodes[id];
            for (int32_t i = 0; i < node.operand_count; ++i) {
                int32_t & operand = node.operands[static_cast<size_t>(i)];
                operand           = moved[static_cast<size_t>(operand)];
            }
            part.nodes.push_back(node);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        part.states.push_back(moved[static_cast<size_t>(graph.states[i])]);
    }
    return part;
}

bool reads_inputs(const Graph & graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                       [](const Node & node) { return id_of(node) == OpId::input; });
}

} // namespace

FedRow row_of(const Sequence & sequence) {
    return { sequence.uniforms(), sequence.inputs() };
}

Ahead::Ahead(std::shared_ptr<const Prepared> given) : prepared(std::move(given)) {
    const Spec & spec = *prepared->spec;
    const size_t kept = spec.states.size() + spec.windows.size();
    if (kept == 0) {
        return;
    }
    const Graph part = part_of(*prepared->graph, kept);
    if (reads_inputs(part)) {
        refuse(code::unsupported, "the states of the chain `" + spec.name +
                                      "` depend on logits, so it is not known what a second output of a sequence "
                                      "reads before the first one is computed: set "
                                      "llama_context_params.n_outputs_max_per_seq to 1");
    }
    const int32_t size = prepared->model->vocab_size();
    logits.assign(static_cast<size_t>(size), 0);
    evaluator = std::make_unique<Evaluator>(part, size, 1, ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU), 1);
}

std::vector<float> Ahead::scalars(const FedRow & row) {
    std::vector<float> values;
    if (evaluator) {
        values = evaluator->run({ logits, row.uniforms, { std::monostate() } }).states;
    }
    values.resize(prepared->spec->scalars().size()); // no row reads a measure
    return values;
}

std::vector<FedRow> Ahead::rows(const Sequence & sequence, std::span<const int32_t> draft, size_t count) {
    std::vector<FedRow> made{ row_of(sequence) };
    Sequence            after = sequence;
    while (made.size() < count) {
        const size_t at = made.size() - 1;
        try {
            after.accept(at < draft.size() ? draft[at] : 0, scalars(made.back()));
            made.push_back(row_of(after));
        } catch (const Failure &) {
            // a limit that the text meets at this token: then it is a fault of the text, and this row is not used
            made.resize(count, FedRow(made.back()));
        }
    }
    return made;
}

} // namespace ggsl::c
