// Where a batch is split in a context with a cache for each sequence: llama.cpp computes neighbouring sequences with equally many
// tokens in one graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ggsl {

// Tokens that one graph computes.
struct Run {
    std::vector<size_t>  tokens; // of the batch, by sequence
    std::vector<int32_t> idle;   // sequences between them that take part with a token that nobody reads
};

// Sequences without a token between two others with one token each are filled, if there are at most `most_idle` and each of them may
// take part: a token more costs less than a graph more. `most_tokens` is the limit of a graph; a sequence with more is a run of its own.
std::vector<Run> split_into_runs(std::span<const int32_t> sequences, size_t most_tokens, int32_t most_idle,
                                 const std::function<bool(int32_t)> & may_take_part);

// The tokens of a batch, those that are computed first apart. A text that is read beside others would divide them, and its last token be alone:
// where sequences have different numbers of tokens, those before the first output of each come first, and what is left is one of each.
struct Stages {
    std::vector<size_t> beginnings;
    std::vector<size_t> rest;
};
Stages split_beginnings(std::span<const int32_t> sequences, std::span<const uint8_t> outputs);

} // namespace ggsl
