// A tail stage: a CPU sampler of llama.cpp, with exact copies and rejection of tokens.
#pragma once

#include "grammar.h"

namespace ggsl {

class TailStage {
public:
    TailStage(std::string name, SamplerPtr sampler) : name(std::move(name)), sampler(std::move(sampler)) {}
    virtual ~TailStage() = default;

    virtual void apply(llama_token_data_array & rows) { llama_sampler_apply(sampler.get(), &rows); }
    virtual void accept(llama_token token) { llama_sampler_accept(sampler.get(), token); }
    virtual void reset() { llama_sampler_reset(sampler.get()); }
    virtual std::unique_ptr<TailStage> clone() const;

    // Whether `accept` may throw; only such a stage supports undo.
    virtual bool may_refuse() const { return false; }
    virtual void undo() {}

    // Memory for the text, if `more` tokens follow.
    virtual size_t bytes_after(size_t) const { return 0; }

    const std::string name;

protected:
    SamplerPtr sampler;
};

// Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
// `model` may be null if the stage needs no vocabulary.
std::unique_ptr<TailStage> make_stage(const SamplerSpec & spec, const Model * model);

} // namespace ggsl
