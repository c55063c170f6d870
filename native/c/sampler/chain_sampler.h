// A sampler: a text's state, and the chain that runs on it in the model's graph or on the host.
#pragma once

#include "sampler/graph_part.h"
#include "sampler/host_part.h"

namespace ggsl::c {

class ChainSampler {
public:
    // Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    explicit ChainSampler(std::shared_ptr<const Prepared> prepared);

    // What llama.cpp calls. None throws: a failure is kept as the fault.
    void                          apply(llama_token_data_array & candidates) noexcept;
    void                          accept(int32_t token) noexcept;
    void                          restart() noexcept;
    std::unique_ptr<ChainSampler> clone() const; // throws
    void                          copy_state(const ChainSampler & from) noexcept;
    bool                          backend_init(ggml_backend_buffer_type_t type, uint32_t outputs_per_sequence) noexcept;
    void backend_apply(ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data & data) noexcept;
    void backend_set_input() noexcept;
    void backend_reset() noexcept;

    // Throw Failure (INVALID_ARGUMENT), and then nothing has changed.
    void accept_prompt(std::span<const int32_t> tokens);
    void set_param(size_t index, double value);
    void set_draft(std::span<const int32_t> tokens);
    void resume(Sequence sequence);

    const Prepared &    prepared() const { return *shared; }
    const Spec &        spec() const { return *shared->spec; }
    const std::string & fault() const { return failure; }
    const std::string & refusal() const { return refused; }
    bool                is_in_graph() const { return was_in_graph; }

    Sequence sequence;

private:
    // since the last token was accepted; `otherwise`: the row after it was computed for another text
    enum class Evaluated { no, in_graph, on_host, otherwise };

    std::vector<float>            scalars();
    Evaluated                     next_row(int32_t token);
    void                          upload();
    template <typename Work> void noting(const Work & work) noexcept;
    void                          mark_end(llama_token_data_array & candidates) const noexcept;
    bool                          reads(size_t param) const;

    std::shared_ptr<const Prepared> shared;
    std::unique_ptr<HostPart>       host;
    std::unique_ptr<GraphPart>      graph; // null: in no graph
    std::unique_ptr<Ahead>          ahead; // null: a sequence has one output
    Evaluated                       evaluated    = Evaluated::no;
    bool                            was_in_graph = false;
    std::vector<int32_t>            draft;   // that the next batch has after the text
    std::vector<FedRow>             fed;     // to the rows of the latest batch
    size_t                          row = 0; // of them, that gives the next token
    std::string                     failure, refused;
};

// A llama_sampler that owns `sampler`.
llama_sampler * to_llama(std::unique_ptr<ChainSampler> sampler);

// Throws Failure (INVALID_ARGUMENT) for a sampler of another kind.
ChainSampler &       sampler_of(llama_sampler * sampler);
const ChainSampler & sampler_of(const llama_sampler * sampler);

} // namespace ggsl::c
