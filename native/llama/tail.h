// The host tail of a chain: llama.cpp's own CPU samplers on the rows that a graph has left.
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

class Tail {
public:
    // `model` may be null when no stage needs a vocabulary. Throws Failure (INVALID_ARGUMENT).
    Tail(const std::vector<SamplerSpec> & specs, std::shared_ptr<Model> model);

    // Rows whose logit is -inf on the way in are no rows. Throws Failure (INVALID_ARGUMENT; INVALID_LOGITS for NaN and +inf,
    // also when a stage makes them; NO_CANDIDATE when no row is there or left).
    TailRows apply(std::span<const int32_t> tokens, std::span<const float> logits);

    // Tells every stage the next token of the text. Throws Failure (INVALID_ARGUMENT) when a grammar does not accept it; then
    // no stage has taken it.
    void accept(int32_t token);
    // Tells the stages of a text that is there already; a grammar begins after it.
    void accept_prompt(std::span<const int32_t> tokens);
    void reset();
    // An exact copy: it draws the random numbers that this one would.
    Tail clone() const;

private:
    Tail() = default;
    void check_token(int32_t token) const;

    std::shared_ptr<Model>                  model;
    std::vector<std::unique_ptr<TailStage>> stages;
    std::vector<llama_token_data>           rows;
};

} // namespace ggsl
