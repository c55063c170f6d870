#include "sampler.h"

#include "backend.h"
#include "failure.h"
#include "ops.h"

#include <algorithm>
#include <cmath>

namespace ggsl {

namespace {

// llama.cpp tries every chain on this many candidates, in a ggml_context for GGML_DEFAULT_GRAPH_SIZE tensors.
constexpr int32_t probe_vocab_size  = 128 * 1024;
constexpr size_t  max_probe_tensors = GGML_DEFAULT_GRAPH_SIZE - 2;

struct ContextDeleter {
    void operator()(ggml_context * context) const { ggml_free(context); }
};
using ContextPtr = std::unique_ptr<ggml_context, ContextDeleter>;

// Builds for its shape only: nothing is allocated or computed.
Built dry_build(ContextPtr & context, const BoundGraph & bound) {
    context.reset(ggml_init({ (max_tensors(bound) + 1) * ggml_tensor_overhead(), nullptr, true }));
    if (!context) {
        fail(code::out_of_memory, "no memory to build a graph of %zu nodes", bound.graph.nodes.size());
    }
    return build_graph(context.get(), bound, 1, ggml_new_tensor_1d(context.get(), GGML_TYPE_F32, bound.vocab_size));
}

Sampler & self(const llama_sampler * sampler) {
    return *static_cast<Sampler *>(sampler->ctx);
}

llama_sampler_i interface = {
    /* name              */ [](const llama_sampler *) { return "ggsl"; },
    /* accept            */ nullptr,
    /* apply             */ [](llama_sampler * s, llama_token_data_array * candidates) { self(s).apply(candidates); },
    /* reset             */ nullptr,
    /* clone             */ [](const llama_sampler * s) { return llama_sampler_init(s->iface, self(s).clone()); },
    /* free              */ [](llama_sampler * s) { delete &self(s); },
    /* backend_init      */ [](llama_sampler * s, ggml_backend_buffer_type_t type, uint32_t) { return self(s).backend_init(type); },
    /* backend_accept    */ nullptr,
    /* backend_apply     */ [](llama_sampler * s, ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data * data) {
        self(s).backend_apply(context, cgraph, data);
    },
    /* backend_set_input */ [](llama_sampler * s) { self(s).backend_set_input(); },
    /* backend_reset     */ [](llama_sampler * s) { self(s).backend_reset(); },
    /* copy_state        */ nullptr,
};

} // namespace

Sampler::Sampler(std::shared_ptr<const Graph> graph, int32_t vocab_size, std::shared_ptr<SamplerCounters> counters)
    : graph(graph), counters(std::move(counters)), bound(bind_graph(*graph, vocab_size)), float_inputs(graph->inputs.size()),
      id_inputs(graph->inputs.size()) {}

llama_sampler * Sampler::to_llama(std::unique_ptr<Sampler> sampler) {
    return llama_sampler_init(&interface, sampler.release());
}

void Sampler::set_uniforms(std::vector<float> values) {
    check_uniforms(bound, values, 1);
    uniforms = std::move(values);
}

void Sampler::set_input(size_t index, std::vector<float> values) {
    ggsl::check_input(bound, index, std::span<const float>(values), 1);
    float_inputs[index] = std::move(values);
}

void Sampler::set_input(size_t index, std::vector<int32_t> values) {
    ggsl::check_input(bound, index, std::span<const int32_t>(values), 1);
    id_inputs[index] = std::move(values);
}

void Sampler::check_ready() const {
    if (uniforms.size() != static_cast<size_t>(bound.graph.uniform_count)) {
        fail(code::invalid_argument, "the chain has %d uniforms that were never set", bound.graph.uniform_count);
    }
    for (size_t i = 1; i < bound.graph.inputs.size(); ++i) {
        if (float_inputs[i].empty() && id_inputs[i].empty()) {
            fail(code::invalid_argument, "the chain's input %zu was never set", i);
        }
    }
}

bool Sampler::backend_init(ggml_backend_buffer_type_t type) noexcept {
    try {
        probe = bind_graph(*graph, probe_vocab_size);
        for (const BoundGraph * candidate : { &bound, &probe }) {
            ContextPtr  context;
            const Built tried = dry_build(context, *candidate);
            if (tried.tensors.size() > max_probe_tensors) {
                fail(code::invalid_graph, "the chain needs %zu tensors, but llama.cpp takes at most %zu in a model's graph",
                     tried.tensors.size(), max_probe_tensors);
            }
            check_support(tried, device_of(type));
        }
        return true;
    } catch (const std::exception & e) {
        refused = e.what();
        return false;
    }
}

const BoundGraph & Sampler::bound_to(int64_t vocab_size) const {
    return vocab_size == bound.vocab_size ? bound : probe;
}

void Sampler::backend_apply(ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data * data) noexcept {
    // The probe's logits are a tensor of their own, those of a model a view of one row.
    const bool is_probe = data->logits->view_src == nullptr;
    if (is_probe) {
        ++counters->probe_builds;
    } else if (counters->build_pending) {
        ++(counters->is_decoding ? counters->graph_builds : counters->reserve_builds);
        counters->build_pending = false;
    }

    if (keeps_logits && !is_probe) {
        // Nobody may write over them, and they are computed even where the chain does not look at them.
        raw_logits = data->logits;
        ggml_set_output(raw_logits->view_src);
        ggml_build_forward_expand(cgraph, raw_logits);
    }
    built            = build_graph(context, bound_to(data->logits->ne[0]), 1, data->logits);
    data->sampled    = built.sampled;
    data->candidates = built.candidates;
    data->logits     = built.logits;
    data->probs      = built.probs;

    latest = { built.nodes, built.nodes_without_views, built.states.size() * sizeof(float), latest.devices };
    devices_known = false;
    for (const ggml_tensor * tensor : { data->sampled, data->candidates, data->logits, data->probs, raw_logits }) {
        latest.readback_bytes += tensor == nullptr ? 0 : ggml_nbytes(tensor);
    }
    for (ggml_tensor * state : built.states) {
        ggml_tensor * choice[] = { built.inputs[0], state };
        ggml_build_forward_select(cgraph, choice, 2, active ? 1 : 0);
    }
}

void Sampler::backend_reset() noexcept {
    built                   = Built();
    raw_logits              = nullptr;
    counters->build_pending = true;
}

void Sampler::backend_set_input() noexcept {
    ++counters->set_inputs;
    const auto write = [](ggml_tensor * tensor, const auto & values) {
        if (tensor != nullptr && tensor->buffer != nullptr && !values.empty()) {
            ggml_backend_tensor_set(tensor, values.data(), 0, ggml_nbytes(tensor));
        }
    };
    write(built.uniforms, uniforms);
    for (size_t i = 1; i < built.inputs.size(); ++i) {
        write(built.inputs[i], float_inputs[i]);
        write(built.inputs[i], id_inputs[i]);
    }
    if (!devices_known) {
        find_devices();
    }
}

void Sampler::find_devices() {
    devices_known = true;
    latest.devices.clear();
    for (const ggml_tensor * tensor : built.tensors) {
        if (tensor->op != GGML_OP_NONE && tensor->buffer != nullptr) {
            latest.devices.insert(ggml_backend_dev_name(device_of(ggml_backend_buffer_get_type(tensor->buffer))));
        }
    }
}

std::vector<float> Sampler::read_logits() const {
    std::vector<float> logits(static_cast<size_t>(ggml_nelements(raw_logits)));
    ggml_backend_tensor_get(raw_logits, logits.data(), 0, ggml_nbytes(raw_logits));
    return logits;
}

std::vector<float> Sampler::read_states() const {
    std::vector<float> states(built.states.size());
    for (size_t i = 0; i < states.size(); ++i) {
        ggml_backend_tensor_get(built.states[i], &states[i], 0, sizeof(float));
    }
    return states;
}

void Sampler::apply(llama_token_data_array * candidates) noexcept {
    try {
        error.clear();
        run_on_host(candidates);
    } catch (const std::exception & e) {
        error = e.what();
    }
}

void Sampler::run_on_host(llama_token_data_array * candidates) {
    if (!evaluator) {
        evaluator = std::make_unique<Evaluator>(*graph, bound.vocab_size, 1, ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU), 1);
    }
    // Tokens that are no candidates any more are dropped rows.
    std::vector<float> logits(static_cast<size_t>(bound.vocab_size), -INFINITY);
    for (size_t i = 0; i < candidates->size; ++i) {
        const llama_token_data & token = candidates->data[i];
        if (token.id < 0 || token.id >= bound.vocab_size) {
            fail(code::invalid_argument, "candidate %zu is token %d of %d", i, token.id, bound.vocab_size);
        }
        logits[static_cast<size_t>(token.id)] = token.logit;
    }

    Feeds feeds{ logits, uniforms, { std::monostate() } };
    for (size_t i = 1; i < bound.graph.inputs.size(); ++i) {
        if (bound.graph.inputs[i].dtype == Dtype::f32) {
            feeds.inputs.push_back(std::span<const float>(float_inputs[i]));
        } else {
            feeds.inputs.push_back(std::span<const int32_t>(id_inputs[i]));
        }
    }
    results = evaluator->run(feeds);
    latest  = { evaluator->nodes(), evaluator->nodes_without_views(), logits.size() * sizeof(float), { "CPU" } };
    take_results(candidates);
}

// The rows that are left become the candidates, in their order; without row outputs only the token is marked.
void Sampler::take_results(llama_token_data_array * candidates) const {
    const size_t rows = std::max(results.logits.size(), results.probs.size());
    if (rows > candidates->size) {
        fail(code::invalid_argument, "the chain gives %zu rows for %zu candidates", rows, candidates->size);
    }
    for (size_t i = 0; i < rows; ++i) {
        llama_token_data & token = candidates->data[i];
        token.id    = results.candidates.empty() ? static_cast<llama_token>(i) : results.candidates[i];
        token.logit = results.logits.empty() ? std::log(results.probs[i]) : results.logits[i];
        token.p     = results.probs.empty() ? 0.0f : results.probs[i];
    }
    if (rows > 0) {
        candidates->size   = rows;
        candidates->sorted = false;
    }
    if (!results.sampled.empty()) {
        const auto * end   = candidates->data + candidates->size;
        const auto * found = std::find_if(static_cast<const llama_token_data *>(candidates->data), end,
                                          [&](const llama_token_data & t) { return t.id == results.sampled[0]; });
        candidates->selected = found == end ? -1 : found - candidates->data;
    }
}

Sampler * Sampler::clone() const noexcept {
    auto * copy        = new Sampler(graph, bound.vocab_size, counters);
    copy->keeps_logits = keeps_logits;
    copy->uniforms     = uniforms;
    copy->float_inputs = float_inputs;
    copy->id_inputs    = id_inputs;
    return copy;
}

} // namespace ggsl
