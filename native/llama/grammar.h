// A GBNF grammar and where a text stands in it, by llama.cpp's own grammar sampler.
#pragma once

#include "sampler_spec.h"

namespace ggsl {

// llama.cpp's sampler for a grammar. Throws Failure (INVALID_ARGUMENT) with what is wrong with the text.
SamplerPtr make_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root);

class Grammar {
public:
    // `sampler` is what make_grammar gave.
    Grammar(const llama_vocab * vocab, SamplerPtr sampler) : vocab(vocab), sampler(std::move(sampler)) {}

    // Rows that can not come next get the logit -inf.
    void apply(llama_token_data_array & rows) { llama_sampler_apply(sampler.get(), &rows); }

    // For each token of the vocabulary 1 if it can come next, else 0; tokens that end a text where the grammar may end.
    std::vector<float> allowed();

    // Throws Failure (INVALID_ARGUMENT) when the token can not come next; the state is then as before.
    void accept(llama_token token);
    // Takes the last accept back.
    void undo();
    void reset();
    Grammar clone() const;

private:
    bool allows(llama_token token);
    void replay();

    const llama_vocab *      vocab;
    SamplerPtr               sampler;
    std::vector<llama_token> accepted;
};

} // namespace ggsl
