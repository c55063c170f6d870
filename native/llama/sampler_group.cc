#include "sampler_group.h"

#include "graph/backend.h"
#include "graph/failure.h"
#include "graph/support.h"
#include "sampler.h"

#include <algorithm>

namespace ggsl {

namespace {

// llama.cpp probes every chain in a ggml_context for GGML_DEFAULT_GRAPH_SIZE tensors. Besides the subgraph it holds logits, their
// copy and its view, and a view of each output.
constexpr size_t max_probe_tensors = GGML_DEFAULT_GRAPH_SIZE - 8;

// With several rows a graph has a few more reshapes, and llama.cpp reserves room for the probe's size.
constexpr int64_t probe_rows = 2;

} // namespace

SamplerGroup::SamplerGroup(std::shared_ptr<const Graph> given, int32_t vocab_size)
    : graph(std::move(given)), bound(bind_graph(*graph, vocab_size)) {
    check_columns(bound);
}

size_t SamplerGroup::check(ggml_backend_buffer_type_t type) {
    if (probe.vocab_size == 0) {
        probe = bind_graph(*graph, probe_vocab_size);
    }
    ggml_backend_dev_t const device = device_of(type);
    family                          = family_of(device);
    for (const BoundGraph * candidate : { &bound, &probe }) {
        for (const int64_t count : { int64_t{ 1 }, probe_rows }) {
            ContextPtr  context;
            const Built tried = dry_build(context, *candidate, count, family, true);
            if (tried.tensors.size() > max_probe_tensors) {
                fail(code::invalid_graph,
                     "the chain needs %zu tensors, but llama.cpp takes at most %zu in a model's graph",
                     tried.tensors.size(), max_probe_tensors);
            }
            check_support(tried, device);
        }
    }
    latest.sequence_bytes = bytes_per_row(bound, device);
    if (columns != nullptr) {
        return 0;
    }
    columns             = std::make_unique<Columns>(bound, type, family);
    latest.column_bytes = columns->bytes();
    return columns->uploaded_bytes();
}

const Built & SamplerGroup::build(ggml_context * context, ggml_cgraph * model_graph, ggml_tensor * padded) {
    if (rows == 0) {
        // The model's own tensor, so that the padded copy is not computed; a graph without outputs has only the padding.
        ggml_tensor * const logits = padded->src[0]->ne[1] > 0 ? padded->src[0] : padded;
        rows                       = logits->ne[1];
        built                      = build_graph(context, bound, rows, logits, family, logits, columns.get());
        latest                     = {
            built.nodes, built.nodes_without_views, 0, latest.sequence_bytes, latest.column_bytes, latest.devices
        };
        cgraph        = model_graph;
        devices_known = false;
    }
    return built;
}

Built SamplerGroup::build_probe(ggml_context * context, ggml_tensor * logits) const {
    ggml_tensor * repeated = ggml_repeat_4d(context, logits, logits->ne[0], probe_rows, 1, 1);
    return build_graph(context, probe, probe_rows, repeated, family, repeated);
}

void SamplerGroup::reset() {
    built  = Built();
    cgraph = nullptr;
    rows   = 0;
    begin_batch();
}

void SamplerGroup::begin_batch() {
    is_uploaded = false;
    states.clear();
}

std::vector<TapValues> SamplerGroup::read_taps(int64_t row) const {
    std::vector<TapValues> values;
    for (const ggml_tensor * tap : built.taps) {
        const auto read = [&](auto numbers) {
            numbers.resize(static_cast<size_t>(tap->ne[0]));
            ggml_backend_tensor_get(tap, numbers.data(), static_cast<size_t>(row) * tap->nb[1],
                                    numbers.size() * sizeof(numbers[0]));
            values.emplace_back(std::move(numbers));
        };
        if (tap->type == GGML_TYPE_F32) {
            read(std::vector<float>());
        } else {
            read(std::vector<int32_t>());
        }
    }
    return values;
}

std::optional<size_t> SamplerGroup::upload() {
    if (is_uploaded) {
        return std::nullopt;
    }
    is_uploaded = true;
    ++uploads;
    size_t bytes = upload_uniforms();
    for (size_t i = 1; i < built.inputs.size(); ++i) {
        if (bound.graph.inputs[i].is_constant) {
            continue;
        }
        if (bound.graph.inputs[i].is_guide) {
            bytes += upload_guide(i);
        } else if (bound.graph.inputs[i].fed_dtype() == Dtype::f32) {
            bytes += upload_rows<float>(built.inputs[i],
                                        [i](const Sampler & member, size_t row) { return member.float_input(row, i); });
        } else {
            bytes += upload_rows<int32_t>(built.inputs[i],
                                          [i](const Sampler & member, size_t row) { return member.id_input(row, i); });
        }
    }
    if (!devices_known) {
        find_devices();
    }
    return bytes;
}

// Other rows belong to sequences with other chains or none. They are also computed, so they get valid values: token ids out of
// range would abort the process.
template <typename T, typename Row> size_t SamplerGroup::upload_rows(ggml_tensor * tensor, Row row_of) const {
    if (tensor == nullptr || tensor->buffer == nullptr) {
        return 0;
    }
    const auto     size = static_cast<size_t>(tensor->ne[0]);
    std::vector<T> values(size * static_cast<size_t>(rows));
    for (const Sampler * member : members) {
        for (size_t i = 0; i < member->active_rows && !member->is_guide(); ++i) {
            const std::span<const T> row = row_of(*member, i);
            std::copy(row.begin(), row.end(), values.begin() + member->built_row(i) * static_cast<int64_t>(size));
        }
    }
    ggml_backend_tensor_set(tensor, values.data(), 0, ggml_nbytes(tensor));
    return ggml_nbytes(tensor);
}

// Other rows get row 0, which is there in every batch.
size_t SamplerGroup::upload_guide(size_t input) const {
    ggml_tensor * const at = built.inputs[input];
    if (at == nullptr || at->buffer == nullptr) {
        return 0;
    }
    std::vector<int32_t> values(static_cast<size_t>(rows));
    for (const Sampler * member : members) {
        for (size_t i = 0; i < member->active_rows && !member->is_guide(); ++i) {
            const Sampler * guide                             = find(member->guide(input));
            values[static_cast<size_t>(member->built_row(i))] = static_cast<int32_t>(guide->built_row(i));
        }
    }
    ggml_backend_tensor_set(at, values.data(), 0, ggml_nbytes(at));
    return ggml_nbytes(at);
}

const Sampler * SamplerGroup::find(int32_t sequence) const {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const Sampler * member) { return member->sequence == sequence; });
    return found == members.end() ? nullptr : *found;
}

// A uniform is one row of the tensor, over the sequences.
size_t SamplerGroup::upload_uniforms() const {
    if (built.uniforms == nullptr || built.uniforms->buffer == nullptr) {
        return 0;
    }
    const auto         count = static_cast<size_t>(rows);
    std::vector<float> values(count * static_cast<size_t>(bound.graph.uniform_count));
    for (const Sampler * member : members) {
        for (size_t i = 0; i < member->active_rows && !member->is_guide(); ++i) {
            const std::span<const float> row = member->uniform_values(i);
            for (size_t uniform = 0; uniform < row.size(); ++uniform) {
                values[uniform * count + static_cast<size_t>(member->built_row(i))] = row[uniform];
            }
        }
    }
    ggml_backend_tensor_set(built.uniforms, values.data(), 0, ggml_nbytes(built.uniforms));
    return ggml_nbytes(built.uniforms);
}

void SamplerGroup::find_devices() {
    devices_known = true;
    latest.devices.clear();
    for (const ggml_tensor * tensor : built.tensors) {
        if (tensor->op != GGML_OP_NONE && tensor->buffer != nullptr) {
            latest.devices.insert(ggml_backend_dev_name(device_of(ggml_backend_buffer_get_type(tensor->buffer))));
        }
    }
}

std::vector<float> SamplerGroup::read_states(int64_t row) {
    if (states.empty()) {
        for (const ggml_tensor * tensor : built.states) {
            states.emplace_back(static_cast<size_t>(rows));
            ggml_backend_tensor_get(tensor, states.back().data(), 0, ggml_nbytes(tensor));
        }
    }
    std::vector<float> values(states.size());
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = states[i][static_cast<size_t>(row)];
    }
    return values;
}

} // namespace ggsl
