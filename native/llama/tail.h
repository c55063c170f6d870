// The host tail of a chain: llama.cpp's own CPU samplers on the rows that the graph leaves.
#pragma once

#include "model.h"
#include "tail_stage.h"

#include <span>

namespace ggsl {

// Rows in llama.cpp's order; `probs` is the softmax of `logits`.
struct TailRows {
    std::vector<int32_t> tokens;
    std::vector<float>   logits;
    std::vector<float>   probs;
    int32_t              selected = -1; // a token; -1: no stage picks
};

// Memory of one tail for its copies of the text.
inline constexpr size_t max_tail_bytes = 256u << 20;

class Tail {
public:
    // `model` may be null if no stage needs a vocabulary. Throws Failure (INVALID_ARGUMENT).
    Tail(const std::vector<SamplerSpec> & specs, std::shared_ptr<Model> model);

    // Ignores rows with the logit -inf. Throws Failure (INVALID_ARGUMENT; INVALID_LOGITS for NaN and +inf, also if a stage
    // produces them; NO_CANDIDATE if no row is given or left).
    TailRows apply(std::span<const int32_t> tokens, std::span<const float> logits);

    // Passes the next token of the text to every stage. Throws Failure (INVALID_ARGUMENT) if a grammar does not accept it, and
    // LIMIT_EXCEEDED; then no stage has accepted it.
    void accept(int32_t token);
    // Passes the prompt to the stages; a grammar starts after it.
    void accept_prompt(std::span<const int32_t> tokens);
    void reset();
    // An exact copy: it draws the same random numbers as this one would.
    Tail clone() const;

private:
    Tail() = default;
    void check_token(int32_t token) const;
    void check_memory(size_t more) const;

    std::shared_ptr<Model>                  model;
    std::vector<std::unique_ptr<TailStage>> stages;
    std::vector<llama_token_data>           rows;
};

} // namespace ggsl
