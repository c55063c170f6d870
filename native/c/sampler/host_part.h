// A chain on the host: on the CPU, from candidates to candidates.
#pragma once

#include "chain.h"
#include "sequence/sequence.h"

#include "graph/evaluate.h"
#include "llama/tail.h"

#include <llama.h>

namespace ggsl::c {

class HostPart {
public:
    // Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    HostPart(std::shared_ptr<const Prepared> prepared, const Sequence & sequence);

    // Throws Failure (INVALID_LOGITS, NO_CANDIDATE, COMPUTE_FAILED, NO_DEVICE).
    void apply(const std::vector<float> & uniforms, const std::vector<Fed> & inputs,
               llama_token_data_array & candidates);

    // The next values of the states and the measures, of the last `apply`.
    const std::vector<float> & scalars() const { return results.states; }

    void accept(int32_t token);
    void accept_prompt(std::span<const int32_t> tokens);
    // Another text, with the present parameters.
    void restart(const Sequence & sequence);

    // An independent copy in the same state.
    std::unique_ptr<HostPart> clone() const;

private:
    explicit HostPart(std::shared_ptr<const Prepared> prepared) : prepared(std::move(prepared)) {}

    void apply_tail(llama_token_data_array & candidates);

    std::shared_ptr<const Prepared> prepared;
    std::unique_ptr<Evaluator>      evaluator; // made by the first `apply`
    std::optional<Tail>             tail;
    Results                         results;
};

} // namespace ggsl::c
