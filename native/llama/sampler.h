// A graph as llama.cpp's `llama_sampler_i`: part of the model's own graph through its backend_* members, or on the host
// through `apply`. One sampler serves one sequence; its group, all sequences with the same chain.
#pragma once

#include "graph/evaluate.h"
#include "sampler_group.h"

#include <llama.h>

namespace ggsl {

// Counts over all samplers of one context.
struct SamplerCounters {
    int64_t graph_builds   = 0; // builds of the model's graph with samplers, while decoding
    int64_t reserve_builds = 0; // the same while llama.cpp measures the worst case of a new context
    int64_t probe_builds   = 0; // trial builds at llama.cpp's probe size
    int64_t set_inputs     = 0; // uploads of uniforms and inputs, one per group and token
    size_t  upload_bytes   = 0; // of these, and of columns that stay on the device

    bool is_decoding = false;

    // A build resets every sampler before it applies the first.
    bool build_pending = false;
};

// What a sequence does with its chain: it picks tokens, or it is a guide, whose logits other sequences of the group read. A guide
// gives no results, and nothing of its row is copied to the host.
enum class Role { picks, guides };

class Sampler {
public:
    Sampler(std::shared_ptr<SamplerGroup> group, std::shared_ptr<SamplerCounters> counters, int32_t sequence,
            Role role);
    ~Sampler();
    Sampler(const Sampler &)             = delete;
    Sampler & operator=(const Sampler &) = delete;

    // A llama_sampler that owns `sampler`.
    static llama_sampler * to_llama(std::unique_ptr<Sampler> sampler);

    // Kept until the next call; every run uploads them. Throws Failure (INVALID_ARGUMENT).
    void set_uniforms(std::vector<float> values);
    void set_input(size_t index, std::vector<float> values);
    void set_input(size_t index, std::vector<int32_t> values);
    // The sequence whose logits an input reads. Throws Failure (INVALID_ARGUMENT) for an input that is no guide.
    void set_guide(size_t index, int32_t guide);
    // Throws Failure (INVALID_ARGUMENT) if uniforms or an input were never set; a guide needs none.
    void check_ready() const;

    const int32_t sequence;
    bool          is_guide() const { return role == Role::guides; }
    // -1: never set, or the input is no guide.
    int32_t guide(size_t index) const { return guides[index]; }
    bool    has_guides() const;
    // For the next `apply`, which reads them. Throws Failure (INVALID_LOGITS).
    void give_guide(size_t index, std::span<const float> logits);

    // Whether the next batch has an output for this sequence. llama.cpp calls `backend_apply` for all sequences, but states of
    // the others must not be computed.
    bool active = false;

    // After a decode with an output for this sequence. `read_logits`: the model's own, which cost nothing until they are read.
    std::vector<float>     read_logits() const;
    std::vector<float>     read_states() const;
    std::vector<TapValues> read_taps() const { return group->read_taps(built_row); }
    // Of the latest build, with the nodes of the whole group, or of the latest `apply`.
    const SamplerStats & stats() const { return latest; }

    // Why the graph cannot be part of the model's; empty if it can. Known once the sampler is in a context.
    const std::string & refusal() const { return refused; }

    // The results of the last `apply`, or why it failed.
    const Results &     host_results() const { return results; }
    const std::string & host_error() const { return error; }

    const Outputs & outputs() const { return bound().graph.outputs; }
    size_t          state_count() const { return bound().graph.states.size(); }

    // The group, and this sequence's row in its latest build.
    const std::shared_ptr<SamplerGroup> & shared_group() const { return group; }
    int64_t                               row() const { return built_row; }
    std::span<const float>                uniform_values() const { return uniforms; }
    std::span<const float>                float_input(size_t index) const { return float_inputs[index]; }
    std::span<const int32_t>              id_input(size_t index) const { return id_inputs[index]; }

    // The members of llama_sampler_i. None throws.
    bool      backend_init(ggml_backend_buffer_type_t type) noexcept;
    void      backend_apply(ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data * data) noexcept;
    void      backend_set_input() noexcept;
    void      backend_reset() noexcept;
    void      apply(llama_token_data_array * candidates) noexcept;
    Sampler * clone() const noexcept;

private:
    const BoundGraph & bound() const { return group->bound_graph(); }
    void               check_fed(size_t index) const;
    void               run_on_host(llama_token_data_array * candidates);
    void               take_results(llama_token_data_array * candidates) const;

    std::shared_ptr<SamplerGroup>    group;
    std::shared_ptr<SamplerCounters> counters;

    std::vector<float>                  uniforms;
    std::vector<std::vector<float>>     float_inputs;
    std::vector<std::vector<int32_t>>   id_inputs;
    std::vector<int32_t>                guides; // by input
    std::vector<std::span<const float>> guide_logits;
    Role                                role;

    ggml_tensor * raw_logits = nullptr; // of the latest build: the model's, with a row for each output
    int64_t       built_row  = 0;
    SamplerStats  latest;
    std::string   refused;

    std::unique_ptr<Evaluator> evaluator; // created by the first `apply`
    Results                    results;
    std::string                error;
};

} // namespace ggsl
