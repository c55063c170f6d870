#include "sampler/graph_part.h"

#include "error.h"

#include "graph/support.h"
#include "llama/facts.generated.h"

namespace ggsl::c {

namespace {

// llama.cpp tries every chain in a ggml_context for GGML_DEFAULT_GRAPH_SIZE tensors; it holds the logits as well.
constexpr size_t max_probe_tensors = GGML_DEFAULT_GRAPH_SIZE - 8;

// Only the scalars: llama.cpp reads the outputs.
Readout scalars_of(ggml_context * context, const Built & built, Family family) {
    Built scalars;
    scalars.states = built.states;
    return Readout(context, scalars, 1, family);
}

void check_shape(const Spec & spec, uint32_t outputs_per_sequence) {
    if (outputs_per_sequence > facts::max_rows) {
        refuse(code::unsupported, "the context has up to " + std::to_string(outputs_per_sequence) +
                                      " outputs of a sequence in a batch, and a chain in the graph at most " +
                                      std::to_string(facts::max_rows) +
                                      ": set llama_context_params.n_outputs_max_per_seq to the most tokens of a "
                                      "draft and one more, or to 1 without drafts");
    }
    if (!spec.tail.empty()) {
        refuse(code::unsupported, "the chain `" + spec.name + "` has a host tail");
    }
    if (spec.outputs.sampled < 0 && spec.outputs.logits < 0) {
        refuse(code::unsupported, "the chain `" + spec.name + "` neither picks a token nor gives logits");
    }
}

} // namespace

GraphPart::GraphPart(std::shared_ptr<const Prepared> given, ggml_backend_buffer_type_t type,
                     uint32_t outputs_per_sequence)
    : prepared(std::move(given)), type(type), most(std::max<size_t>(outputs_per_sequence, 1)) {
    const Spec & spec = *prepared->spec;
    check_shape(spec, outputs_per_sequence);
    ggml_backend_dev_t const device = device_of(type);
    family                          = family_of(device);
    probe                           = bind_graph(*prepared->graph, probe_vocab_size);
    for (const BoundGraph * bound : { prepared->bound.get(), static_cast<const BoundGraph *>(&probe) }) {
        ContextPtr   context;
        const Built  tried  = dry_build(context, *bound, 1, family, false);
        const size_t needed = tried.tensors.size() + max_readout_tensors(*bound);
        if (needed > max_probe_tensors) {
            refuse(code::invalid_graph, "the chain needs " + std::to_string(needed) +
                                            " tensors, and llama.cpp takes at most " +
                                            std::to_string(max_probe_tensors) + " in a model's graph");
        }
        check_support(tried, device, target_of(device));
    }
    if (family == Family::cpu) {
        bundles = std::make_unique<bundles::Bundles>(*prepared->bound, 1);
    }
    columns     = prepared->columns(type);
    uniforms_at = reserve(spec.uniforms.size());
    for (const SpecInput & input : spec.inputs) {
        inputs_at.push_back(reserve(static_cast<size_t>(input.fed_size(prepared->model->vocab_size()))));
    }
    buffer.reset(ggml_backend_buft_alloc_buffer(type, std::max<size_t>(size * most, 1)));
    if (!buffer) {
        refuse(code::out_of_memory,
               "no memory for the inputs of a chain on " + std::string(ggml_backend_buft_name(type)));
    }
    ggml_backend_buffer_clear(buffer.get(), 0); // zeros are valid inputs
}

size_t GraphPart::reserve(size_t numbers) {
    const size_t alignment = ggml_backend_buft_get_alignment(type);
    const size_t at        = size;
    size += (numbers * sizeof(float) + alignment - 1) / alignment * alignment;
    return at;
}

// Memory of this object for a tensor that the host writes: to the scheduler it is like a weight.
void GraphPart::place(ggml_tensor * tensor, size_t row, size_t at) const {
    if (tensor == nullptr || tensor->buffer != nullptr) {
        return; // nothing reads it, or it is a column
    }
    tensor->flags &= ~GGML_TENSOR_FLAG_INPUT;
    ggml_backend_tensor_alloc(buffer.get(), tensor,
                              static_cast<uint8_t *>(ggml_backend_buffer_get_base(buffer.get())) + row * size + at);
}

void GraphPart::build(ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data & data) {
    ggml_tensor * const given    = data.logits;
    const bool          is_probe = given->view_src == nullptr;
    ggml_tensor * const logits   = ggml_reshape_2d(context, given, given->ne[0], 1);
    const Built         made =
        is_probe ? build_graph(context, probe, 1, logits, family)
                         : build_graph(context, *prepared->bound, 1, logits, family, nullptr, columns.get(), bundles.get());
    Readout read = scalars_of(context, made, family);
    for (ggml_tensor * root : read.roots()) {
        ggml_build_forward_expand(cgraph, root);
    }
    // a chain that picks needs nothing else on the host
    const bool picks = made.sampled != nullptr;
    data.sampled     = made.sampled;
    data.logits      = picks ? nullptr : made.logits;
    data.probs       = picks ? nullptr : made.probs;
    data.candidates  = picks ? nullptr : made.candidates;
    if (is_probe) {
        return;
    }
    const size_t row = rows.size();
    if (row == most) {
        refuse(code::internal, "llama.cpp has more outputs of a sequence than it said");
    }
    place(made.uniforms, row, uniforms_at);
    for (size_t i = 1; i < made.inputs.size(); ++i) {
        place(made.inputs[i], row, inputs_at[i]);
    }
    rows.push_back({ made, std::move(read) });
}

void GraphPart::reset() {
    rows.clear();
}

void GraphPart::upload(const std::vector<FedRow> & fed) {
    for (size_t row = 0; row < rows.size(); ++row) {
        upload(rows[row], fed[row]);
    }
}

void GraphPart::upload(Row & row, const FedRow & fed) {
    const Built & built = row.built;
    check_uniforms(*prepared->bound, fed.uniforms, 1);
    row.readout.clear();
    const auto write = [](ggml_tensor * tensor, const void * data) {
        if (tensor != nullptr) {
            ggml_backend_tensor_set(tensor, data, 0, ggml_nbytes(tensor));
        }
    };
    for (size_t i = 1; i < built.inputs.size(); ++i) {
        if (!prepared->bound->graph.inputs[i].is_constant) {
            std::visit(
                [&](const auto & values) {
                    check_input(*prepared->bound, i, std::span(values), 1);
                    write(built.inputs[i], values.data());
                },
                fed.inputs[i - 1]);
        }
    }
    write(built.uniforms, fed.uniforms.data());
}

std::vector<float> GraphPart::scalars(size_t row) {
    return rows[row].readout.row(0).states;
}

} // namespace ggsl::c
