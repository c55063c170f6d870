// Case files: chains with their inputs and expected outputs, written by bench/cases/caseFile.ts.
//
// A file is a stream of 32-bit little-endian words, floats as their bits. A text is its length in bytes, then the bytes,
// zero-padded to a whole word. V, R and U are a case's vocabulary size, rows (sequences) and uniforms.
//
//     magic version caseCount
//     caseCount x (
//         name: text        V  R
//         graph: wordCount, then the words of the wire form (compiler/graph/wire.ts)
//         logits: 0, then R x V floats | 1 or 2 (peaked, flat) and a seed to generate them (logits.h)
//         uniforms: R x U floats
//         inputs: R x dim words for each of the graph's inputs but the logits
//         expected: a bit for each output present (1 sampled, 2 candidates, 4 logits, 8 probs, 16 states), the tolerance as a
//             float, then R x 1, k, k, k, S words for each output present
//         history: its length n, then R x n tokens
//         stages: 0 | R, then R texts: the same chain as llama.cpp's samplers (stages.h)
//     )
#pragma once

#include "graph/bind.h"
#include "graph/evaluate.h"

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace ggsl::tools {

inline constexpr int32_t case_magic   = 0x53434747;
inline constexpr int32_t case_version = 1;

inline constexpr int32_t max_cases   = 65536;
inline constexpr int32_t max_rows    = 1024;
inline constexpr int32_t max_text    = 4096;
inline constexpr int32_t max_history = 65536;
inline constexpr int32_t max_words   = 1 << 22;            // of a graph
inline constexpr int64_t max_numbers = int64_t{ 1 } << 28; // of one array: 1 GiB

struct Case {
    std::string name;
    BoundGraph  bound;
    int64_t     rows = 0;

    // R x V; if `made` is set, empty until `fill_logits` (logits.h).
    std::vector<float> logits;
    struct Made {
        bool     is_flat;
        uint32_t seed;
    };
    std::optional<Made> made;

    std::vector<float>                uniforms;
    std::vector<std::vector<int32_t>> inputs; // by the graph's inputs, entry 0 is empty; floats as their bits

    // The expected outputs, laid out as Results; an empty one is not compared.
    std::vector<int32_t> sampled, candidates;
    std::vector<float>   expected_logits, probs, states;
    float                tolerance = 0.0f;

    size_t                   history_length = 0;
    std::vector<int32_t>     history; // R x history_length
    std::vector<std::string> stages;  // one per row, or none

    Feeds feeds() const;
    bool  has_expectation() const;
};

// Reads one case after another, so that a file may be larger than memory. Throws Failure (INVALID_ARGUMENT, or
// INVALID_GRAPH for a graph) that names the place.
class CaseFile {
public:
    explicit CaseFile(const std::string & path);

    int32_t count() const { return cases; }
    // The next case; nothing after the last one, where the file must end.
    std::optional<Case> next();

private:
    [[noreturn]] void fail_here(const std::string & expected, const std::string & found) const;

    int32_t              word();
    int32_t              word_in(int32_t min, int32_t max, const char * what);
    std::vector<int32_t> words(int64_t count, const char * what);
    std::vector<float>   floats(int64_t count, const char * what);
    std::string          text(const char * what);
    void                 read_logits(Case & c);
    void                 read_inputs(Case & c);
    void                 read_expected(Case & c);
    void                 read_stages(Case & c);

    std::string   path;
    std::ifstream stream;
    int64_t       size     = 0; // in words
    int64_t       position = 0;
    int32_t       cases    = 0;
    int32_t       done     = 0;
};

} // namespace ggsl::tools
