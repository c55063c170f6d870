// A graph as llama.cpp's `llama_sampler_i`: part of the model's own graph through its backend_* members, or on the host
// through `apply`. One sampler serves one sequence.
#pragma once

#include "evaluate.h"

#include <llama.h>

#include <optional>
#include <set>

namespace ggsl {

// What happened in one context, over all its samplers.
struct SamplerCounters {
    int64_t graph_builds   = 0; // builds of the model's graph, with samplers in it, while decoding
    int64_t reserve_builds = 0; // the same while llama.cpp measures the worst case of a new context
    int64_t probe_builds   = 0; // trial builds at llama.cpp's probe size
    int64_t set_inputs     = 0; // uploads of uniforms and inputs, one for each sequence and token

    bool is_decoding = false;

    // A build resets every sampler before it applies the first.
    bool build_pending = false;
};

// One sequence's share of the work for a token.
struct SamplerStats {
    size_t                nodes               = 0;
    size_t                nodes_without_views = 0;
    size_t                readback_bytes      = 0; // to the host for one output
    std::set<std::string> devices;                 // where the nodes ran
};

class Sampler {
public:
    // Throws Failure (INVALID_GRAPH) when the graph does not fit the vocabulary.
    Sampler(std::shared_ptr<const Graph> graph, int32_t vocab_size, std::shared_ptr<SamplerCounters> counters);

    // A llama_sampler that owns `sampler`.
    static llama_sampler * to_llama(std::unique_ptr<Sampler> sampler);

    // Kept until the next call; every run uploads them. Throws Failure (INVALID_ARGUMENT).
    void set_uniforms(std::vector<float> values);
    void set_input(size_t index, std::vector<float> values);
    void set_input(size_t index, std::vector<int32_t> values);
    // Throws Failure (INVALID_ARGUMENT) when a run would miss uniforms or an input.
    void check_ready() const;

    // Whether the batch about to be decoded has an output for this sequence. llama.cpp calls `backend_apply` for all
    // sequences alike, but states of the others must not be computed.
    bool active = false;

    // Whether the raw logits are to stay readable after a decode.
    bool keeps_logits = false;

    // After a decode with an output for this sequence. `read_logits` needs `keeps_logits`.
    std::vector<float> read_logits() const;
    std::vector<float> read_states() const;
    // Of the latest build or `apply`.
    const SamplerStats & stats() const { return latest; }

    // Why the graph can not be part of the model's; empty when it can. Known once the sampler is in a context.
    const std::string & refusal() const { return refused; }

    // What the last `apply` gave, or why it failed.
    const Results &     host_results() const { return results; }
    const std::string & host_error() const { return error; }

    const Outputs & outputs() const { return bound.graph.outputs; }
    size_t state_count() const { return bound.graph.states.size(); }

    // The members of llama_sampler_i. None throws.
    bool backend_init(ggml_backend_buffer_type_t type) noexcept;
    void backend_apply(ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data * data) noexcept;
    void backend_set_input() noexcept;
    void backend_reset() noexcept;
    void apply(llama_token_data_array * candidates) noexcept;
    Sampler * clone() const noexcept;

private:
    const BoundGraph & bound_to(int64_t vocab_size) const;
    void run_on_host(llama_token_data_array * candidates);
    void take_results(llama_token_data_array * candidates) const;
    void find_devices();

    std::shared_ptr<const Graph>     graph;
    std::shared_ptr<SamplerCounters> counters;
    BoundGraph bound; // to the model's vocabulary
    BoundGraph probe; // to llama.cpp's probe size

    std::vector<float>                uniforms;
    std::vector<std::vector<float>>   float_inputs;
    std::vector<std::vector<int32_t>> id_inputs;

    ggml_tensor *         raw_logits = nullptr; // of the latest build, when kept: a view of this sequence's row
    Built                 built; // of the latest build; its tensors live as long as llama.cpp's graph
    SamplerStats          latest;
    bool                  devices_known = false; // buffers are there only once a build is computed
    std::string           refused;

    std::unique_ptr<Evaluator> evaluator; // made by the first `apply`
    Results     results;
    std::string error;
};

} // namespace ggsl
