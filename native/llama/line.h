// A text that is written on: what the next batch reads of it, and what came of it.
#pragma once

#include "graph/failure.h"
#include "context.h"

namespace ggsl {

class Line {
public:
    // Why it does not go on.
    enum class End {
        none,
        token,   // one that ends the text
        stop,    // a stop text
        chain,   // a stop of its chain
        count,   // it has as many tokens as it may have
        context, // there is no room for another one
        feeder,  // it cannot go on by itself, or was stopped
    };

    // `number`: of the text, in what is found.
    Line(const Context & context, const Model & model, Ahead text, size_t number);

    // The last token that it has in the first batch, and what the chain gets for the next one. Throws Failure.
    void begin(const Batch & batch, Sampler & sampler);
    // In place of it: `add_to` adds its last token, which the model has not read, at this position.
    void begin_with(int32_t last, int32_t at);

    int32_t sequence() const { return text.sequence; }
    // Its tokens are in another sequence now.
    void move_to(int32_t sequence) { text.sequence = sequence; }

    bool goes_on() const { return ended == End::none; }
    End  end() const { return ended; }
    void stop() { ended = End::feeder; }
    // What the feeder threw for the last token.
    const std::optional<Failure> & failure() const { return failed; }

    // Adds the token that was picked last, and those that can only follow; `found` gets those of a text that ends with them. Throws
    // Failure.
    void add_to(Batch & batch, Sampler & sampler, std::vector<Written> & found);
    // Reads what a batch gave.
    void take(const Results & results, std::vector<Written> & found);

private:
    void         end_with_forced(End why, std::vector<Written> & found);
    End          limit(size_t more) const;
    Feeder::Move moved(const std::vector<float> & scalars);

    const Context &        context;
    const Model &          model;
    Ahead                  text;
    const size_t           number;
    int32_t                position = -1; // of the last token in a batch
    int32_t                token    = -1;
    size_t                 written  = 0;
    End                    ended    = End::none;
    std::optional<Failure> failed;
    std::vector<Written>   forced;
};

} // namespace ggsl
