// What one call may cost, in steps: about one for each part of an expression and each stack that is looked at, for a few nodes of a trie,
// and for so many bytes that are kept.
#pragma once

#include "graph/failure.h"

#include <cstdint>

namespace ggsl::grammar {

// Bytes that are written for a step, of what is one after another.
constexpr uint64_t step_bytes = 32;

class Budget {
public:
    explicit Budget(uint64_t steps) : all(steps), left(steps) {}

    // Throws Failure (LIMIT_EXCEEDED).
    void spend(uint64_t steps) {
        if (steps > left) {
            fail(code::limit_exceeded,
                 "the grammar is too complex here: it takes more than %llu steps: use fewer or simpler alternatives",
                 static_cast<unsigned long long>(all));
        }
        left -= steps;
    }

private:
    uint64_t all;
    uint64_t left;
};

} // namespace ggsl::grammar
