// A GBNF grammar and the parse state of a text, by llama.cpp's own grammar sampler.
#pragma once

#include "sampler_spec.h"

namespace ggsl {

// llama.cpp's sampler for a grammar. Throws Failure (INVALID_ARGUMENT) that says what is wrong with the text.
SamplerPtr make_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root);

class Grammar {
public:
    // `sampler` is the result of make_grammar.
    Grammar(const llama_vocab * vocab, SamplerPtr sampler) : vocab(vocab), sampler(std::move(sampler)) {}

    // Sets the logit of tokens that cannot come next to -inf.
    void apply(llama_token_data_array & rows) { llama_sampler_apply(sampler.get(), &rows); }

    // For each token of the vocabulary 1 if it can come next, else 0; end-of-text tokens can where the grammar may end.
    std::vector<float> allowed();

    // Throws Failure (INVALID_ARGUMENT) if the token cannot come next; the state is then unchanged.
    void accept(llama_token token);
    // Undoes the last accept.
    void    undo();
    void    reset();
    Grammar clone() const;

private:
    bool allows(llama_token token);
    void replay();

    const llama_vocab *      vocab;
    SamplerPtr               sampler;
    std::vector<llama_token> accepted;
};

} // namespace ggsl
