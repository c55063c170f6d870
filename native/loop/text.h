// A text that the context writes on by itself: a sequence of the C library, and the positions of its grammars in native/grammar.
#pragma once

#include "llama/feeder.h"
#include "loop/chain.h"
#include "loop/followed.h"
#include "loop/output.h"

namespace ggsl::loop {

class Text : public Feeder {
public:
    // For which tokens the model need not be asked.
    struct Unasked {
        std::optional<size_t> only; // the feature whose grammar decides alone what comes next, if it allows one token
        bool                  is_written = false; // those of texts that the chain writes
    };

    // Of a saved sequence in JSON, without its grammars and their tokens. `grammars`: a position for each feature that follows one, in
    // their order. Throws Failure (INVALID_ARGUMENT).
    Text(const Chain & chain, std::string_view saved, const std::vector<GrammarPosition> & grammars, Unasked unasked,
         std::optional<c::Pairs> bias);
    // At its beginning, of a chain that opens its grammars. Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    explicit Text(const Chain & chain);

    // Looks for stop texts, and gives the texts of tokens after bytes that are no whole character. Null: without stop texts.
    void show(std::shared_ptr<const Stops> stops, std::string_view rest);

    // Tokens of the text, those of the prompt apart.
    int64_t step() const { return sequence.step(); }
    // Whether its grammars know what may come next, which took about a millisecond at most; if not, it feeds nothing.
    bool is_ready() const;

    std::optional<Forced>  forced() const override;
    std::optional<int32_t> written() const override;
    Move                   accept(int32_t token, std::span<const float> scalars) override;
    bool                   ended() const override { return sequence.stop() != nullptr; }
    Said                   read(std::string_view bytes) override;
    // The texts of the tokens that are left where the text ends.
    std::vector<TextPiece> flush();
    void                   feed(Sampler & sampler) const override;

    // Its parameters, and all else that counts from the next token on.
    c::Sequence sequence;

private:
    std::vector<size_t> followed; // the features that follow a grammar
    Unasked             unasked;
    Output              output;
};

} // namespace ggsl::loop
