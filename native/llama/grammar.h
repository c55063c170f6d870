// A GBNF grammar and the parse state of a text.
#pragma once

#include "grammar_states.h"
#include "sampler_spec.h"

namespace ggsl {

class Model;
class TokenTexts;

// llama.cpp's own sampler for a grammar. Throws Failure (INVALID_ARGUMENT) that says what is wrong with the text.
SamplerPtr make_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root);

// The grammar and the vocabulary are shared by copies, which are cheap. It reads the text as llama.cpp's sampler does, but searches
// each position once, and its work for a token is limited: max_grammar_steps, max_grammar_stacks.
class Grammar {
public:
    // Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    Grammar(const Model & model, const std::string & text, const std::string & root);

    // Sets the logit of tokens that cannot come next to -inf. Throws Failure (LIMIT_EXCEEDED).
    void apply(llama_token_data_array & rows) const;

    // For each token of the vocabulary 1 if it can come next, else 0; end-of-text tokens can where the grammar may end. Throws
    // Failure (LIMIT_EXCEEDED).
    std::vector<float> allowed() const;

    // Throws Failure (INVALID_ARGUMENT) if the token cannot come next, and LIMIT_EXCEEDED; the state is then unchanged.
    void accept(llama_token token);
    // Undoes the last accept.
    void undo() { state = before; }
    void reset() { state = {}; }
    // Of the state, without what copies share.
    size_t bytes() const;

private:
    bool               accept_text(GrammarSearch & search, llama_token token, GrammarSearch::Cursor & cursor) const;
    bool               allows(GrammarSearch & search, llama_token token) const;
    std::vector<float> all_allowed(GrammarSearch & search) const;

    std::shared_ptr<const GrammarRules> rules;
    std::shared_ptr<const TokenTexts>   texts;
    GrammarState                        state; // without stacks: the beginning
    GrammarState                        before;
};

} // namespace ggsl
