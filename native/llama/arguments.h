// Reads and checks the parameters of one sampler. Everything throws Failure (INVALID_ARGUMENT).
#pragma once

#include "facts.h"
#include "sampler_spec.h"

namespace ggsl {

class Arguments {
public:
    Arguments(const SamplerSpec & spec, std::span<const facts::Parameter> parameters, const llama_vocab * vocab)
        : spec(spec), parameters(parameters), vocab_or_null(vocab) {}

    // An absent parameter has its default.
    float   f32(const char * name);
    int32_t i32(const char * name);
    size_t  min_keep() { return static_cast<size_t>(i32("min_keep")); }
    // "random" becomes a number here, so that a clone draws what the original would.
    uint32_t    seed();
    std::string text(const char * name);

    // Pairs [token, value]; a value may be -inf.
    std::vector<llama_logit_bias> biases(const char * name);

    // Sequence breakers: either texts, or tokens and lists of tokens.
    struct Breakers {
        std::vector<std::string>              texts;
        std::vector<std::vector<llama_token>> tokens;
    };
    Breakers breakers(const char * name);

    bool                has_vocab() const { return vocab_or_null != nullptr; }
    const llama_vocab * vocab(const char * what_for) const;
    // The parameter `n_vocab`, or the vocabulary's size; 0 without either.
    int32_t n_vocab();

    // After the last parameter: rejects parameters that were not read.
    void finish() const;

    [[noreturn]] void refuse(const std::string & name, const std::string & expected, const Value & found) const;

private:
    const Value *            find(const char * name);
    const facts::Parameter & parameter(const char * name) const;
    int32_t                  integer(const char * name, const Value & value, double min, double max) const;
    llama_token              token(const char * name, const Value & value) const;

    const SamplerSpec &               spec;
    std::span<const facts::Parameter> parameters;
    const llama_vocab *               vocab_or_null;
    std::vector<std::string>          known;
};

} // namespace ggsl
