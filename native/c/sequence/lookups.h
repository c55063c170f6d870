// What a chain looks up in a vocabulary once: sets of tokens, sequences to complete, breakers, endings.
#pragma once

#include "sequence/given.h"
#include "sequence/repeats.h"

namespace ggsl::c {

// The sequences of the feature `completes`.
struct Completions {
    struct Completion {
        std::vector<int32_t> before;
        int32_t              token;
    };

    size_t                                               longest = 0; // how many of the last tokens they compare
    std::vector<int32_t>                                 always;      // sequences of one token
    std::unordered_map<int32_t, std::vector<Completion>> after;       // all others, by the token before the last

    Pairs completing(std::span<const int32_t> history) const;
};

// An ending as bytes or token ids, and for each of its beginnings the longest proper suffix that is a beginning too.
struct Pattern {
    std::vector<int32_t> symbols;
    std::vector<size_t>  suffixes;
    bool                 is_text = false;
};

// Of one chain in one vocabulary; shared by its sequences.
struct Lookups {
    Place                             place;
    std::vector<std::vector<int32_t>> sets;        // by number, ascending; of parameters the defaults
    std::vector<Completions>          completions; // by feature
    std::vector<Breakers>             breakers;    // by feature
    std::vector<Pattern>              patterns;    // by ending
    std::vector<std::vector<int32_t>> written;     // the tokens of the texts that the chain writes
    std::vector<Column>               columns;     // of the constant inputs, in their order

    // Throws Failure (INVALID_ARGUMENT).
    Lookups(const Spec & spec, Place place);
};

// The tokens of a set's items, ascending. Throws Failure (INVALID_ARGUMENT).
std::vector<int32_t> tokens_of(const std::vector<TokenItem> & items, const Place & place);

// Throws Failure (INVALID_ARGUMENT) if the set takes fewer tokens.
void check_capacity(const TokenSet & set, size_t count);

} // namespace ggsl::c
