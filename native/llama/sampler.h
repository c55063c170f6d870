// A graph as llama.cpp's `llama_sampler_i`: part of the model's own graph through its backend_* members, or on the host
// through `apply`. One sampler serves one sequence, which may have several rows in a batch: tokens with an output, one after the
// other. Its group serves all sequences with the same chain.
#pragma once

#include "graph/evaluate.h"
#include "sampler_group.h"

#include <llama.h>

#include <algorithm>

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

    // Of a row of the next batches, counted from 0. Kept until the next call; every run uploads them. Throws Failure
    // (INVALID_ARGUMENT).
    void set_uniforms(std::vector<float> values, size_t row = 0);
    void set_input(size_t index, std::vector<float> values, size_t row = 0);
    void set_input(size_t index, std::vector<int32_t> values, size_t row = 0);
    // The sequence whose logits an input reads, row by row. Throws Failure (INVALID_ARGUMENT) for an input that is no guide.
    void set_guide(size_t index, int32_t guide);
    // Throws Failure (INVALID_ARGUMENT) if uniforms or an input of one of the first `count` rows were never set; a guide needs none.
    void check_ready(size_t count);
    // Whether the next row has all it needs, and reads no other sequence.
    bool is_ready() const;
    // Takes what was set for another sampler with the same chain.
    void take_feeds(const Sampler & other);

    const int32_t sequence;
    bool          is_guide() const { return role == Role::guides; }
    // -1: never set, or the input is no guide.
    int32_t guide(size_t index) const { return guides[index]; }
    bool    has_guides() const;
    // For the next `apply`, which reads them. Throws Failure (INVALID_LOGITS).
    void give_guide(size_t index, std::span<const float> logits);

    // The rows of this sequence in the next graph: how many, and which is the first. llama.cpp calls `backend_apply` for all
    // sequences, but states of those without a row must not be computed.
    size_t active_rows = 0;
    size_t first_row   = 0;
    bool   is_active() const { return active_rows > 0; }
    // Whose row of the logits it reads in the next graph, where its sequence has no token there; else null.
    const Sampler * source = nullptr;
    // Those that read its row.
    std::vector<Sampler *> followers = {};

    // After a decode; `row` counts from `first_row`. `read_logits`: the model's own, which cost nothing until they are read.
    std::vector<float> read_logits(size_t row) const;
    Results            read_results(size_t row) const { return group->results(*this, row); }
    // Of the latest `apply`.
    const SamplerStats & stats() const { return latest; }

    // Why the graph cannot be part of the model's; empty if it can. Known once the sampler is in a context.
    const std::string & refusal() const { return refused; }

    // The row whose uniforms and inputs the next `apply` reads.
    size_t host_row = 0;
    // The results of the last `apply`, or why it failed.
    const Results &     host_results() const { return results; }
    const std::string & host_error() const { return error; }

    const Outputs & outputs() const { return bound().graph.outputs; }
    size_t          state_count() const { return bound().graph.states.size(); }

    // The group, and where the rows of this sequence are in its latest build; `row` counts from `first_row`.
    const std::shared_ptr<SamplerGroup> & shared_group() const { return group; }
    int64_t                               built_row(size_t row) const { return built_rows[row]; }
    // Its one row is that of its source.
    void                     follow() { built_rows = { source->built_row(0) }; }
    size_t                   rows_in_graph() const { return std::min(active_rows, built_rows.size()); }
    std::span<const float>   uniform_values(size_t row) const { return rows[first_row + row].uniforms; }
    std::span<const float>   float_input(size_t row, size_t index) const { return rows[first_row + row].floats[index]; }
    std::span<const int32_t> id_input(size_t row, size_t index) const { return rows[first_row + row].ids[index]; }

    // The members of llama_sampler_i. None throws.
    bool      backend_init(ggml_backend_buffer_type_t type) noexcept;
    void      backend_apply(ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data * data) noexcept;
    void      backend_set_input() noexcept;
    void      backend_reset() noexcept;
    void      apply(llama_token_data_array * candidates) noexcept;
    Sampler * clone() const noexcept;

private:
    // What was set for a row; inputs by index.
    struct Row {
        std::vector<float>                uniforms;
        std::vector<std::vector<float>>   floats;
        std::vector<std::vector<int32_t>> ids;
    };

    const BoundGraph & bound() const { return group->bound_graph(); }
    Row &              row_at(size_t row);
    // What was never set of a row: an input, or 0 for the uniforms.
    std::optional<size_t> lacking(const Row & given) const;
    void                  check_fed(size_t index) const;
    void                  run_on_host(llama_token_data_array * candidates);

    std::shared_ptr<SamplerGroup>    group;
    std::shared_ptr<SamplerCounters> counters;

    std::vector<Row>                    rows;
    std::vector<int32_t>                guides; // by input
    std::vector<std::span<const float>> guide_logits;
    Role                                role;

    // Of the latest build.
    const ggml_tensor *  model_logits = nullptr; // with a row for each output
    std::vector<int64_t> built_rows;
    SamplerStats         latest;
    std::string          refused;

    std::unique_ptr<Evaluator> evaluator; // created by the first `apply`
    Results                    results;
    std::string                error;
};

// A logit for each token; tokens that are no longer candidates are dropped rows. Throws Failure (INVALID_ARGUMENT).
std::vector<float> logits_of(const llama_token_data_array & candidates, int32_t vocab_size);

// The remaining rows become the candidates, in their order; without row outputs only the token is marked. Throws Failure
// (INVALID_ARGUMENT) if there are more of them than candidates.
void take_results(const Results & results, llama_token_data_array & candidates);

} // namespace ggsl
