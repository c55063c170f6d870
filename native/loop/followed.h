// A position of native/grammar as a text of the C library follows it.
#pragma once

#include "grammar/grammar.h"
#include "sequence/given.h"

namespace ggsl::loop {

using GrammarPosition = std::shared_ptr<const grammar::Position>;

// What takes longer than the others of a batch can wait.
struct TooLong {};

// Whether what may come next is worked out in about a millisecond or not at all, for those who go on elsewhere then; or however long
// it takes, within the limits of a grammar.
enum class Patience { quick, patient };

class Followed : public c::GrammarPosition {
public:
    // Throws Failure (LIMIT_EXCEEDED).
    Followed(loop::GrammarPosition position, Patience patience);

    // Whether the bits of the tokens that can come next are known.
    bool is_ready() const { return is_known; }

    // The one that can come next where there is no other.
    std::optional<int32_t> only_token() const;

    std::vector<int32_t> words() const override;
    // Throws TooLong if it is quick.
    c::GrammarPtr accept(int32_t token) const override;
    uint32_t      marks() const override { return position->marks(); }

private:
    loop::GrammarPosition after(uint32_t token) const;

    loop::GrammarPosition position;
    Patience              patience;
    std::vector<uint32_t> bits;
    bool                  is_known = true;
};

} // namespace ggsl::loop
