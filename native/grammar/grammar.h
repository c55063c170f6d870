// A grammar over a vocabulary, and positions of texts in it.
#pragma once

#include "masks.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_set>

namespace ggsl::grammar {

struct Limits {
    uint64_t steps_of_mask  = uint64_t{ 1 } << 26; // to find the tokens that may come next
    uint64_t steps_of_token = uint64_t{ 1 } << 22; // to read one
    size_t   bytes          = size_t{ 1 } << 26;   // of what is kept to be quicker; beyond it, it is worked out anew
};

class Position;

// What is worked out for one text is there for all others: any thread may use it.
class Grammar {
public:
    // Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    Grammar(std::span<const uint32_t> words, std::shared_ptr<const Vocabulary> vocabulary, Limits limits = {});

    const Vocabulary & vocabulary() const { return *of_tokens; }
    size_t             bytes_used() const;

private:
    friend class Position;

    // What depends on the numbers of expressions and stacks.
    struct Tables {
        Tables(std::span<const uint32_t> words, const Vocabulary & vocabulary)
            : program(words), stacks(program), masks(program, stacks, vocabulary) {}
        Program program;
        Stacks  stacks;
        Masks   masks;
    };
    size_t used() const;
    // Begins with new tables, with what the present positions need, if the old ones have become too large.
    void clean();

    std::vector<uint32_t>             words;
    std::shared_ptr<const Vocabulary> of_tokens;
    const Limits                      limits;
    mutable std::mutex                lock;
    std::unique_ptr<Tables>           tables;
    std::unordered_set<Position *>    positions;
    size_t                            most_bytes; // beyond which it begins anew
};

// A place in a text, which never changes: a text goes back to it, and several go on from it.
class Position {
public:
    // The beginning. Throws Failure (LIMIT_EXCEEDED).
    explicit Position(std::shared_ptr<Grammar> grammar);
    Position(const Position & other);
    Position & operator=(const Position &) = delete;
    ~Position();

    const Vocabulary & vocabulary() const { return grammar->vocabulary(); }
    // Whether the text may end here.
    bool may_end() const { return heads.may_end; }
    // Sets the bit of each token that may come next, and clears the others; end-of-text tokens may where the text may end. Throws Failure
    // (LIMIT_EXCEEDED).
    void allowed(std::span<uint32_t> bits) const;
    // Whether a token may come next, and the position after it. Throws Failure (LIMIT_EXCEEDED).
    std::unique_ptr<Position> after(uint32_t token) const;

private:
    friend class Grammar;
    Position(std::shared_ptr<Grammar> grammar, Heads heads);

    std::shared_ptr<Grammar> grammar;
    Heads                    heads;
};

} // namespace ggsl::grammar
