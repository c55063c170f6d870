#include "sampler.h"

#include "graph/failure.h"
#include "facts.generated.h"

#include <algorithm>
#include <cmath>

namespace ggsl {

namespace {

Sampler & self(const llama_sampler * sampler) {
    return *static_cast<Sampler *>(sampler->ctx);
}

llama_sampler_i sampler_interface = {
    /* name              */ [](const llama_sampler *) { return "ggsl"; },
    /* accept            */ nullptr,
    /* apply             */ [](llama_sampler * s, llama_token_data_array * candidates) { self(s).apply(candidates); },
    /* reset             */ nullptr,
    /* clone             */ [](const llama_sampler * s) { return llama_sampler_init(s->iface, self(s).clone()); },
    /* free              */ [](llama_sampler * s) { delete &self(s); },
    /* backend_init      */
    [](llama_sampler * s, ggml_backend_buffer_type_t type, uint32_t) { return self(s).backend_init(type); },
    /* backend_accept    */ nullptr,
    /* backend_apply     */
    [](llama_sampler * s, ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data * data) {
        self(s).backend_apply(context, cgraph, data);
    },
    /* backend_set_input */ [](llama_sampler * s) { self(s).backend_set_input(); },
    /* backend_reset     */ [](llama_sampler * s) { self(s).backend_reset(); },
    /* copy_state        */ nullptr,
};

} // namespace

Sampler::Sampler(std::shared_ptr<SamplerGroup> joined, std::shared_ptr<SamplerCounters> counters, int32_t sequence,
                 Role role)
    : sequence(sequence), group(std::move(joined)), counters(std::move(counters)),
      guides(bound().graph.inputs.size(), -1), guide_logits(bound().graph.inputs.size()), role(role) {
    group->join(this);
}

Sampler::~Sampler() {
    group->leave(this);
}

llama_sampler * Sampler::to_llama(std::unique_ptr<Sampler> sampler) {
    return llama_sampler_init(&sampler_interface, sampler.release());
}

Sampler::Row & Sampler::row_at(size_t row) {
    if (row >= facts::max_rows) {
        fail(code::invalid_argument, "row: expected 0 to %zu, found %zu", facts::max_rows - 1, row);
    }
    const size_t inputs = bound().graph.inputs.size();
    while (rows.size() <= row) {
        rows.push_back({ {}, std::vector<std::vector<float>>(inputs), std::vector<std::vector<int32_t>>(inputs) });
    }
    return rows[row];
}

void Sampler::set_uniforms(std::vector<float> values, size_t row) {
    check_uniforms(bound(), values, 1);
    row_at(row).uniforms = std::move(values);
}

void Sampler::set_input(size_t index, std::vector<float> values, size_t row) {
    check_fed(index);
    ggsl::check_input(bound(), index, std::span<const float>(values), 1);
    row_at(row).floats[index] = std::move(values);
}

void Sampler::set_input(size_t index, std::vector<int32_t> values, size_t row) {
    check_fed(index);
    ggsl::check_input(bound(), index, std::span<const int32_t>(values), 1);
    row_at(row).ids[index] = std::move(values);
}

void Sampler::take_feeds(const Sampler & other) {
    rows   = other.rows;
    guides = other.guides;
}

void Sampler::check_fed(size_t index) const {
    if (index < bound().graph.inputs.size() && bound().graph.inputs[index].is_guide) {
        fail(code::invalid_argument, "input %zu is the logits of another sequence: set its guide instead", index);
    }
}

void Sampler::set_guide(size_t index, int32_t guide) {
    if (index >= bound().graph.inputs.size() || !bound().graph.inputs[index].is_guide) {
        fail(code::invalid_argument, "input %zu is not the logits of another sequence", index);
    }
    guides[index] = guide;
}

bool Sampler::has_guides() const {
    return std::any_of(guides.begin(), guides.end(), [](int32_t guide) { return guide >= 0; });
}

void Sampler::give_guide(size_t index, std::span<const float> logits) {
    check_logits(logits, logits.size());
    guide_logits[index] = logits;
}

void Sampler::check_ready(size_t count) {
    if (is_guide()) {
        return;
    }
    for (size_t row = 0; row < count; ++row) {
        if (const std::optional<size_t> lacks = lacking(row_at(row))) {
            const std::string which = row == 0 ? "" : " of row " + std::to_string(row);
            if (*lacks == 0) {
                fail(code::invalid_argument, "the chain has %d uniforms%s that were never set",
                     bound().graph.uniform_count, which.c_str());
            }
            fail(code::invalid_argument, "the chain's input %zu%s was never set", *lacks, which.c_str());
        }
    }
}

bool Sampler::is_ready() const {
    return !is_guide() && !has_guides() && !rows.empty() && !lacking(rows.front());
}

std::optional<size_t> Sampler::lacking(const Row & given) const {
    if (given.uniforms.size() != static_cast<size_t>(bound().graph.uniform_count)) {
        return 0;
    }
    for (size_t i = 1; i < bound().graph.inputs.size(); ++i) {
        const bool is_given = bound().graph.inputs[i].is_constant || guides[i] >= 0;
        if (!is_given && given.floats[i].empty() && given.ids[i].empty()) {
            return i;
        }
    }
    return std::nullopt;
}

bool Sampler::backend_init(ggml_backend_buffer_type_t type) noexcept {
    try {
        counters->upload_bytes += group->check(type);
        return true;
    } catch (const std::exception & e) {
        refused = e.what();
        return false;
    }
}

void Sampler::backend_apply(ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data * data) noexcept {
    // The group gives the outputs of all its rows at once, so llama.cpp reads none.
    ggml_tensor * const row_logits = std::exchange(data->logits, nullptr);
    ggml_tensor * const padded     = row_logits->view_src;
    // The probe's logits are their own tensor, a model's are a view of one row.
    if (padded == nullptr) {
        ++counters->probe_builds;
        // llama.cpp counts nodes for each of its samplers, also for a guide
        group->build_probe(context, cgraph, row_logits);
        return;
    }
    if (counters->build_pending) {
        ++(counters->is_decoding ? counters->graph_builds : counters->reserve_builds);
        counters->build_pending = false;
    }

    // llama.cpp makes them an output of its graph, so no node overwrites them.
    model_logits = padded->src[0];
    if (counters->is_decoding && !is_active()) {
        return; // llama.cpp names row 0 then
    }
    built_rows.push_back(static_cast<int64_t>(row_logits->view_offs / padded->nb[1]));
    if (!is_guide()) {
        group->add_row(built_rows.back());
    }
}

void Sampler::backend_reset() noexcept {
    group->reset();
    model_logits            = nullptr;
    counters->build_pending = true;
    built_rows.clear();
}

// llama.cpp calls it for the sequences of the graph, and not for those that follow them.
void Sampler::backend_set_input() noexcept {
    for (Sampler * follower : followers) {
        follower->backend_set_input();
    }
    if (const std::optional<size_t> bytes = group->upload()) {
        ++counters->set_inputs;
        counters->upload_bytes += *bytes;
    }
}

std::vector<float> Sampler::read_logits(size_t row) const {
    std::vector<float> logits(static_cast<size_t>(model_logits->ne[0]));
    ggml_backend_tensor_get(model_logits, logits.data(), static_cast<size_t>(built_rows[row]) * model_logits->nb[1],
                            logits.size() * sizeof(float));
    return logits;
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
        evaluator = std::make_unique<Evaluator>(*group->source(), bound().vocab_size, 1,
                                                ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU), 1, Family::cpu,
                                                true, group->bundles_ops());
    }
    const std::vector<float> logits = logits_of(*candidates, bound().vocab_size);

    const Row & row = row_at(host_row);
    Feeds       feeds{ logits, row.uniforms, { std::monostate() } };
    for (size_t i = 1; i < bound().graph.inputs.size(); ++i) {
        if (bound().graph.inputs[i].is_guide) {
            feeds.inputs.push_back(guide_logits[i]);
        } else if (bound().graph.inputs[i].is_constant) {
            feeds.inputs.push_back(std::monostate());
        } else if (bound().graph.inputs[i].fed_dtype() == Dtype::f32) {
            feeds.inputs.push_back(std::span<const float>(row.floats[i]));
        } else {
            feeds.inputs.push_back(std::span<const int32_t>(row.ids[i]));
        }
    }
    results = evaluator->run(feeds);
    latest  = { .nodes               = evaluator->nodes(),
                .nodes_without_views = evaluator->nodes_without_views(),
                .readback_bytes      = logits.size() * sizeof(float),
                .devices             = { "CPU" } };
    take_results(results, *candidates);
}

Sampler * Sampler::clone() const noexcept {
    auto * copy = new Sampler(group, counters, sequence, role);
    copy->take_feeds(*this);
    return copy;
}

std::vector<float> logits_of(const llama_token_data_array & candidates, int32_t vocab_size) {
    std::vector<float> logits(static_cast<size_t>(vocab_size), -INFINITY);
    for (size_t i = 0; i < candidates.size; ++i) {
        const llama_token_data & token = candidates.data[i];
        if (token.id < 0 || token.id >= vocab_size) {
            fail(code::invalid_argument, "candidate %zu is token %d of %d", i, token.id, vocab_size);
        }
        logits[static_cast<size_t>(token.id)] = token.logit;
    }
    return logits;
}

void take_results(const Results & results, llama_token_data_array & candidates) {
    const size_t rows = std::max(results.logits.size(), results.probs.size());
    if (rows > candidates.size) {
        fail(code::invalid_argument, "the chain gives %zu rows for %zu candidates", rows, candidates.size);
    }
    for (size_t i = 0; i < rows; ++i) {
        llama_token_data & token = candidates.data[i];
        token.id                 = results.candidates.empty() ? static_cast<llama_token>(i) : results.candidates[i];
        token.logit              = results.logits.empty() ? std::log(results.probs[i]) : results.logits[i];
        token.p                  = results.probs.empty() ? 0.0f : results.probs[i];
    }
    if (rows > 0) {
        candidates.size   = rows;
        candidates.sorted = false;
    }
    if (!results.sampled.empty()) {
        const auto * end    = candidates.data + candidates.size;
        const auto * found  = std::find_if(static_cast<const llama_token_data *>(candidates.data), end,
                                           [&](const llama_token_data & t) { return t.id == results.sampled[0]; });
        candidates.selected = found == end ? -1 : found - candidates.data;
    }
}

} // namespace ggsl
