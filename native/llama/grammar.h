// A GBNF grammar and the position of a text in it.
#pragma once

#include "sampler_spec.h"

namespace ggsl {

class Model;

namespace grammar {
class Position;
}

// llama.cpp's own sampler for a grammar. Throws Failure (INVALID_ARGUMENT) that says what is wrong with the text.
SamplerPtr make_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root);

// llama.cpp's parser reads the text, and the engine of native/grammar follows it. Copies are cheap and share everything.
class Grammar {
public:
    // `rules`: the names of those that `marks` is about, at most 32. Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    Grammar(const Model & model, const std::string & text, const std::string & root,
            const std::vector<std::string> & rules = {});

    // Sets the logit of tokens that cannot come next to -inf. Throws Failure (LIMIT_EXCEEDED).
    void apply(llama_token_data_array & rows) const;

    size_t vocab_size() const;
    // A bit for each token of the vocabulary, whether it can come next; end-of-text tokens can where the grammar may end. Throws
    // Failure (LIMIT_EXCEEDED).
    std::vector<uint32_t> bits() const;

    // A bit for each of the rules: whether the next byte may be one of it.
    uint32_t marks() const;

    // Throws Failure (INVALID_ARGUMENT) if the token cannot come next, and LIMIT_EXCEEDED; the position is then unchanged.
    void accept(llama_token token);
    // Undoes the last accept.
    void undo() { at = before; }
    void reset() { at = before = beginning; }

private:
    using PositionPtr = std::shared_ptr<const grammar::Position>;

    PositionPtr beginning;
    PositionPtr at;
    PositionPtr before;
};

} // namespace ggsl
