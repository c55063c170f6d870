// A grammar over a vocabulary, and positions of texts in it.
#pragma once

#include "masks.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_set>

namespace ggsl::grammar {

// A step takes up to 40 ns where the tables are large, and mostly 5 to 20.
struct Limits {
    uint64_t steps_of_mask  = uint64_t{ 1 } << 23; // to find the tokens that may come next
    uint64_t steps_of_token = uint64_t{ 1 } << 21; // to read one
    uint64_t quick_steps    = uint64_t{ 1 } << 15; // of a call that must not hold its thread
    size_t   bytes          = size_t{ 1 } << 26;   // of what is kept to be quicker; beyond it, it is worked out anew
    size_t   bytes_of_texts =
        size_t{ 1 } << 28; // of what the present positions need: beyond it, calls fail until some are gone
};

class Position;

// What is worked out for one text is there for all others. Any thread may use it: one call at a time works, and the others wait, but for
// those whose names say that they are quick.
class Grammar {
public:
    // Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    Grammar(std::span<const uint32_t> words, std::shared_ptr<const Vocabulary> vocabulary, Limits limits = {});

    const Vocabulary & vocabulary() const { return *of_tokens; }
    // Without waiting: of the latest call that is over.
    size_t bytes_used() const { return kept.load(std::memory_order_relaxed); }

private:
    friend class Position;

    // What depends on the numbers of expressions and stacks.
    struct Tables {
        Tables(std::span<const uint32_t> words, const Vocabulary & vocabulary)
            : program(words), stacks(program), masks(program, stacks, vocabulary) {}
        size_t bytes_used() const {
            return program.expressions.bytes_used() + stacks.bytes_used() + masks.bytes_used();
        }
        Program program;
        Stacks  stacks;
        Masks   masks;
    };
    // The tables, for one call.
    class Call {
    public:
        // Waits, and cleans.
        explicit Call(Grammar & grammar);
        // Neither waits nor cleans: `has_begun` says whether it may go on.
        Call(Grammar & grammar, std::try_to_lock_t);
        ~Call();
        Call(const Call &)             = delete;
        Call & operator=(const Call &) = delete;

        bool has_begun() const { return guard.owns_lock() && !grammar.is_full(); }

    private:
        Grammar &                    grammar;
        std::unique_lock<std::mutex> guard;
    };
    bool is_full() const { return tables->bytes_used() > most_bytes; }
    // Begins with new tables, with what the present positions need, if the old ones have become too large. Throws Failure (LIMIT_EXCEEDED).
    void clean();

    std::vector<uint32_t>             words;
    std::shared_ptr<const Vocabulary> of_tokens;
    const Limits                      limits;
    std::atomic<size_t>               kept = 0;

    std::mutex              lock; // of the tables: held while something is worked out
    std::unique_ptr<Tables> tables;
    size_t                  most_bytes; // beyond which it begins anew

    // Of what follows and the numbers of stacks in positions, which change under both locks: held for moments alone, so that positions
    // come and go meanwhile.
    std::mutex                     lock_of_positions;
    std::unordered_set<Position *> positions;
    Heads                          beginning;
    uint32_t                       marks_of_beginning = 0;
};

// A place in a text, which never changes: a text goes back to it, and several go on from it.
class Position {
public:
    // The beginning.
    explicit Position(std::shared_ptr<Grammar> grammar);
    Position(const Position & other);
    Position & operator=(const Position &) = delete;
    ~Position();

    const Vocabulary & vocabulary() const { return grammar->vocabulary(); }
    const Grammar &    of() const { return *grammar; }
    // Whether the text may end here.
    bool may_end() const { return heads.may_end; }
    // A bit for each mark of the grammar: whether the next byte may be of its part.
    uint32_t marks() const { return marked; }
    // Sets the bit of each token that may come next, and clears the others; end-of-text tokens may where the text may end. Throws Failure
    // (LIMIT_EXCEEDED).
    void allowed(std::span<uint32_t> bits) const;
    // Whether a token may come next, and the position after it. Throws Failure (LIMIT_EXCEEDED).
    std::unique_ptr<Position> after(uint32_t token) const;

    // The same in about a millisecond: without waiting for another call, and within `Limits::quick_steps`. False and nullopt where that is
    // not enough; then the bits have no meaning.
    bool                                     allowed_quickly(std::span<uint32_t> bits) const;
    std::optional<std::unique_ptr<Position>> after_quickly(uint32_t token) const;

private:
    friend class Grammar;
    Position(std::shared_ptr<Grammar> grammar, Heads heads, uint32_t marked);
    void                      fill(std::span<uint32_t> bits, Budget budget) const;
    std::unique_ptr<Position> read(uint32_t token, Budget budget) const;

    std::optional<std::unique_ptr<Position>> after_other(uint32_t token) const;

    std::shared_ptr<Grammar> grammar;
    Heads                    heads;
    uint32_t                 marked;
};

} // namespace ggsl::grammar
