// What the chain of a text gets while the text is written on.
#pragma once

#include "sampler.h"
#include "text_piece.h"

#include <optional>
#include <string_view>

namespace ggsl {

// Used by one thread at a time.
class Feeder {
public:
    virtual ~Feeder() = default;

    // A token that comes whatever the model's logits are, and for which it need not be asked.
    struct Forced {
        int32_t            token;
        bool               is_written; // in place of the pick; else a grammar allows no other
        std::vector<float> scalars;    // as for `accept`
    };
    // The next token, if it is one. Throws Failure.
    virtual std::optional<Forced> forced() const = 0;

    // The token that comes next in place of the pick. Throws Failure.
    virtual std::optional<int32_t> written() const = 0;

    // What became of a token.
    enum class Move {
        goes_on,
        refused, // a grammar that was asked does not allow it; the text goes on
        stops,   // what may come after it takes longer than the others of a batch can wait: nothing has changed
    };
    // The text after its next token; `scalars`: the next values of the states, the measures and the stops. Throws Failure
    // (LIMIT_EXCEEDED, INVALID_ARGUMENT); nothing has changed then.
    virtual Move accept(int32_t token, std::span<const float> scalars) = 0;

    // Whether the chain ends the text with its last token.
    virtual bool ended() const = 0;
    // Reads the bytes of the token that was accepted last, unless it ends the text. After a stop text there are no more tokens.
    virtual Said read(std::string_view bytes) = 0;

    // Sets the uniforms and inputs for the next token. Throws Failure.
    virtual void feed(Sampler & sampler) const = 0;
};

} // namespace ggsl
