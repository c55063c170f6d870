// Texts to tokens, as llama.cpp does it, for texts of strangers: what would end the process or take long is an error before it begins.
#pragma once

#include "special_texts.h"
#include "text_cost.h"

#include <llama.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ggsl {

struct TokenizeOptions {
    bool   add_special   = false; // add the vocabulary's special tokens around the text
    bool   parse_special = false; // read e.g. "<s>" as one token
    size_t most_tokens   = 0;     // the most that the caller can use; 0: any number
    // Set by another thread: the work ends soon.
    const std::atomic<bool> * is_aborted = nullptr;
};

class Tokenizer {
public:
    // The model outlives it.
    explicit Tokenizer(const llama_model * model);

    // Whether the text takes so little that nobody minds to wait for it.
    static bool is_short(std::string_view text) { return text.size() <= short_bytes; }

    // The tokens that llama_tokenize gives. From any stack, and from several threads at once.
    // Throws Failure: LIMIT_EXCEEDED for a text that takes more than the limits of text_cost.h; CONTEXT_FULL for one that has too many
    // bytes for `most_tokens`, also of the longest token; ABORTED.
    std::vector<llama_token> tokenize(std::string_view text, const TokenizeOptions & options) const;

private:
    static constexpr size_t short_bytes = size_t{ 16 } << 10;

    // A special token, or a text that becomes tokens alone.
    struct Piece {
        llama_token      token;
        std::string_view text;
        bool             is_inside; // of a text that was cut before it
    };
    // What a text is divided into, and what it costs.
    struct Plan {
        std::vector<Piece> pieces;
        size_t             depth = 0;
        double             steps = 0;
    };

    void                     check_length(std::string_view text, const TokenizeOptions & options) const;
    Plan                     plan(std::string_view text, bool parse_special) const;
    void                     cut(std::string_view text, Plan & plan) const;
    std::vector<llama_token> run(const Plan & plan, const TokenizeOptions & options) const;

    const llama_vocab * vocab;
    SpecialTexts        specials;
    WordCost            words;
    size_t              longest_token = 1; // bytes

    // SentencePiece only: characters that are side by side in some token. Others never become one.
    std::unordered_set<uint64_t> pairs;
    llama_token                  blank = LLAMA_TOKEN_NULL; // the token that is put before a text
    std::unordered_set<uint32_t> letters;                  // characters that are tokens
};

} // namespace ggsl
