// The feature `repeat_len`: for each token, the length of the repetition that it would extend.
#pragma once

#include "sequence/pairs.h"
#include "sequence/vocabulary.h"
#include "spec/spec.h"

#include <span>
#include <unordered_map>

namespace ggsl::c {

// Sequences of tokens that follow the first token of a breaker, as a tree.
struct Tails {
    std::map<int32_t, Tails> next;
    bool                     is_end = false;

    void add(std::span<const int32_t> tail);
};

// By the first token of a breaker, for each way in which the breaker can begin in it. Tokens that end alike share their tails.
using Breakers = std::unordered_map<int32_t, std::vector<std::shared_ptr<const Tails>>>;

// `vocabulary` may be null if no breaker is a text.
Breakers make_breakers(const std::vector<Breaker> & given, const Vocabulary * vocabulary);

// Lengths above 0. `source` holds the tokens where repetitions are looked for, `text` the tokens that they would continue.
Pairs repeat_lengths(std::span<const int32_t> source, const Breakers & breakers, std::span<const int32_t> text,
                     bool is_same);

} // namespace ggsl::c
