#include "sampler_group.h"

#include "graph/backend.h"
#include "graph/failure.h"
#include "graph/support.h"
#include "sampler.h"

#include <algorithm>

namespace ggsl {

namespace {

// llama.cpp probes every chain in a ggml_context for GGML_DEFAULT_GRAPH_SIZE tensors. Besides the subgraph and its readout it holds
// logits and their copy.
constexpr size_t max_probe_tensors = GGML_DEFAULT_GRAPH_SIZE - 8;

// With several rows a graph has a few more reshapes, and llama.cpp reserves room for the probe's size.
constexpr int64_t probe_rows = 2;

} // namespace

SamplerGroup::SamplerGroup(std::shared_ptr<const Graph> given, int32_t vocab_size, int bundle_threads)
    : graph(std::move(given)), bound(bind_graph(*graph, vocab_size)), bundle_threads(bundle_threads) {
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
            ContextPtr   context;
            const Built  tried  = dry_build(context, *candidate, count, family, true);
            const size_t needed = tried.tensors.size() + max_readout_tensors(*candidate);
            if (needed > max_probe_tensors) {
                fail(code::invalid_graph,
                     "the chain needs %zu tensors, but llama.cpp takes at most %zu in a model's graph", needed,
                     max_probe_tensors);
            }
            check_support(tried, device, target_of(device));
        }
    }
    if (bundles == nullptr && family == Family::cpu && bundle_threads > 0) {
        bundles = std::make_unique<bundles::Bundles>(bound, bundle_threads);
    }
    latest.sequence_bytes = bytes_per_row(bound, device);
    if (columns != nullptr) {
        return 0;
    }
    columns             = std::make_unique<Columns>(bound, type, family);
    latest.column_bytes = columns->bytes();
    return columns->uploaded_bytes();
}

void SamplerGroup::build(ggml_context * context, ggml_cgraph * model_graph, ggml_tensor * padded, bool is_active) {
    // The model's own tensor, so that the padded copy is not computed; a graph without outputs has only the padding.
    ggml_tensor * const logits = padded->src[0]->ne[1] > 0 ? padded->src[0] : padded;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    add_followers();
    if (rows.empty()) {
        rows.push_back(0);
    }
    const auto          count = static_cast<int64_t>(rows.size());
    ggml_tensor * const own   = rows_of(context, logits);
    built                     = build_graph(context, bound, count, own, family, logits, columns.get(), bundles.get());
    readout                   = Readout(context, built, count, family);
    // Nodes of a group that no sequence of the batch belongs to are part of the graph, but not computed.
    for (ggml_tensor * root : readout.roots()) {
        ggml_tensor * choice[] = { padded->src[0], root };
        ggml_build_forward_select(model_graph, choice, 2, is_active ? 1 : 0);
    }
    latest.nodes               = built.nodes;
    latest.nodes_without_views = built.nodes_without_views;
    latest.readback_bytes      = readout.bytes_per_row();
    latest.reads               = readout.reads();
    cgraph                     = model_graph;
    devices_known              = false;
}

void SamplerGroup::add_followers() {
    for (Sampler * member : members) {
        if (member->source != nullptr) {
            member->follow();
            rows.push_back(member->built_row(0));
            followers.push_back(member);
        }
    }
}

// The rows of the logits, in one piece.
ggml_tensor * SamplerGroup::rows_of(ggml_context * context, ggml_tensor * logits) {
    const auto    count = static_cast<int64_t>(rows.size());
    const int64_t first = rows.front();
    const bool    is_range =
        std::adjacent_find(rows.begin(), rows.end(), [](int64_t a, int64_t b) { return b != a + 1; }) == rows.end();
    gathered = nullptr;
    if (is_range) {
        return count == logits->ne[1] ? logits
                                      : ggml_view_2d(context, logits, logits->ne[0], count, logits->nb[1],
                                                     static_cast<size_t>(first) * logits->nb[1]);
    }
    gathered = ggml_new_tensor_1d(context, GGML_TYPE_I32, count);
    ggml_set_input(gathered);
    return ggml_get_rows(context, logits, gathered);
}

int64_t SamplerGroup::place_of(const Sampler & member, size_t row) const {
    const auto end   = rows.end() - static_cast<ptrdiff_t>(followers.size());
    const auto found = std::find(followers.begin(), followers.end(), &member);
    return found != followers.end() ? end - rows.begin() + (found - followers.begin())
                                    : std::lower_bound(rows.begin(), end, member.built_row(row)) - rows.begin();
}

void SamplerGroup::build_probe(ggml_context * context, ggml_cgraph * probe_graph, ggml_tensor * logits) const {
    ggml_tensor * repeated = ggml_repeat_4d(context, logits, logits->ne[0], probe_rows, 1, 1);
    const Built   tried    = build_graph(context, probe, probe_rows, repeated, family, repeated);
    const Readout read(context, tried, probe_rows, family);
    for (ggml_tensor * root : read.roots()) {
        ggml_build_forward_expand(probe_graph, root);
    }
}

void SamplerGroup::reset() {
    rows.clear();
    followers.clear();
    built   = Built();
    readout = Readout();
    cgraph  = nullptr;
    begin_batch();
}

void SamplerGroup::begin_batch() {
    is_uploaded = false;
    readout.clear();
}

std::optional<size_t> SamplerGroup::upload() {
    if (is_uploaded) {
        return std::nullopt;
    }
    is_uploaded = true;
    ++uploads;
    size_t bytes = upload_uniforms() + upload_rows_of_logits();
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

size_t SamplerGroup::upload_rows_of_logits() const {
    if (gathered == nullptr || gathered->buffer == nullptr) {
        return 0;
    }
    const std::vector<int32_t> values(rows.begin(), rows.end());
    ggml_backend_tensor_set(gathered, values.data(), 0, ggml_nbytes(gathered));
    return ggml_nbytes(gathered);
}

// A row that no active member has gets valid values: token ids out of range would abort the process.
template <typename T, typename Row> size_t SamplerGroup::upload_rows(ggml_tensor * tensor, Row row_of) const {
    if (tensor == nullptr || tensor->buffer == nullptr) {
        return 0;
    }
    const auto     size = static_cast<size_t>(tensor->ne[0]);
    std::vector<T> values(size * rows.size());
    for (const Sampler * member : members) {
        for (size_t i = 0; i < member->rows_in_graph() && !member->is_guide(); ++i) {
            const std::span<const T> row = row_of(*member, i);
            std::copy(row.begin(), row.end(), values.begin() + place_of(*member, i) * static_cast<int64_t>(size));
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
    std::vector<int32_t> values(rows.size());
    for (const Sampler * member : members) {
        for (size_t i = 0; i < member->rows_in_graph() && !member->is_guide(); ++i) {
            const Sampler * guide = find(member->guide(input));
            const auto      place = static_cast<size_t>(place_of(*member, i));
            values[place]         = static_cast<int32_t>(guide->built_row(i));
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
    const size_t       count = rows.size();
    std::vector<float> values(count * static_cast<size_t>(bound.graph.uniform_count));
    for (const Sampler * member : members) {
        for (size_t i = 0; i < member->rows_in_graph() && !member->is_guide(); ++i) {
            const std::span<const float> row   = member->uniform_values(i);
            const auto                   place = static_cast<size_t>(place_of(*member, i));
            for (size_t uniform = 0; uniform < row.size(); ++uniform) {
                values[uniform * count + place] = row[uniform];
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
        // a view is where its data are
        if (tensor->op != GGML_OP_NONE && !is_view(tensor) && tensor->buffer != nullptr) {
            latest.devices.insert(ggml_backend_dev_name(device_of(ggml_backend_buffer_get_type(tensor->buffer))));
        }
    }
}

} // namespace ggsl
