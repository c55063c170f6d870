// A text that the context writes on by itself: a sequence of the C library, and the positions of its grammars in native/grammar.
#pragma once

#include "llama/feeder.h"
#include "llama/model.h"
#include "grammar/grammar.h"
#include "loop/output.h"
#include "sequence/sequence.h"

namespace ggsl::loop {

// A chain in the vocabulary of a model; shared by its texts. Throws Failure (INVALID_SPEC, INVALID_ARGUMENT).
class Chain {
public:
    Chain(const c::Place & place, std::string_view spec);

    const std::shared_ptr<const c::Spec> &    spec() const { return read; }
    const std::shared_ptr<const c::Lookups> & lookups() const { return looked_up; }

private:
    std::shared_ptr<const c::Spec>    read;
    std::shared_ptr<const c::Lookups> looked_up;
};

// Where texts of a model look up tokens. Their grammars are given as positions.
c::Place place_of(const std::shared_ptr<Model> & model);

using GrammarPosition = std::shared_ptr<const grammar::Position>;

class Text : public Feeder {
public:
    // Of a saved sequence in JSON, without its grammars and their tokens. `grammars`: a position for each feature that follows one, in
    // their order. `only`: the feature whose grammar decides alone what comes next, if it allows one token. Throws Failure
    // (INVALID_ARGUMENT).
    Text(const Chain & chain, std::string_view saved, const std::vector<GrammarPosition> & grammars,
         std::optional<size_t> only, std::optional<c::Pairs> bias);

    // Looks for stop texts, and gives the texts of tokens after bytes that are no whole character. Null: without stop texts.
    void show(std::shared_ptr<const Stops> stops, std::string_view rest);

    // Tokens of the text, those of the prompt apart.
    int64_t step() const { return sequence.step(); }
    // Whether its grammars know what may come next, which took about a millisecond at most; if not, it feeds nothing.
    bool is_ready() const;

    std::optional<int32_t> only_token() const override;
    Move                   accept(int32_t token, std::span<const float> scalars) override;
    bool                   ended() const override { return sequence.stop() != nullptr; }
    Said                   read(std::string_view bytes) override;
    void                   feed(Sampler & sampler) const override;

private:
    c::Sequence           sequence;
    std::vector<size_t>   followed; // the features that follow a grammar
    std::optional<size_t> only;
    Output                output;
};

} // namespace ggsl::loop
