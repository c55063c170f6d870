#include "tokenizer.h"

#include "graph/failure.h"
#include "deep_stack.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace ggsl {

namespace {

// Runs that the stack of any caller holds.
constexpr size_t shallow      = 128;
constexpr size_t thread_stack = size_t{ 1 } << 20; // what a thread needs besides

constexpr std::string_view blank_text = "\xe2\x96\x81"; // what SentencePiece has for a blank

std::vector<llama_token> run_llama(const llama_vocab * vocab, std::string_view text, bool add_special) {
    std::vector<llama_token> tokens(text.size() + 8);
    const auto               run = [&] {
        return llama_tokenize(vocab, text.data(), static_cast<int32_t>(text.size()), tokens.data(),
                                            static_cast<int32_t>(tokens.size()), add_special, false);
    };
    int32_t count = 0;
    try {
        count = run();
        if (count < 0 && count != INT32_MIN) {
            tokens.resize(static_cast<size_t>(-count));
            count = run();
        }
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::out_of_range &) {
        fail(code::invalid_model, "the vocabulary has no token for a byte of the text: the model is damaged");
    } catch (const std::exception & e) {
        // regular expressions of some C++ libraries have limits of their own
        fail(code::limit_exceeded, "a text of %zu bytes cannot become tokens: %s", text.size(), e.what());
    }
    if (count < 0) {
        fail(code::limit_exceeded, "the text has too many tokens");
    }
    tokens.resize(static_cast<size_t>(count));
    return tokens;
}

// The bytes of the character at a place, as SentencePiece's tokenizer divides a text.
std::string_view character_at(std::string_view text, size_t at) {
    constexpr uint8_t lengths[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4 };
    return text.substr(at, lengths[static_cast<uint8_t>(text[at]) >> 4]);
}

uint32_t code_of(std::string_view character) {
    if (character == " ") {
        character = blank_text;
    }
    uint32_t code = 0;
    std::memcpy(&code, character.data(), character.size());
    return code;
}

uint64_t pair_of(uint32_t a, uint32_t b) {
    return static_cast<uint64_t>(a) << 32 | b;
}

} // namespace

Tokenizer::Tokenizer(const llama_model * model) : vocab(llama_model_get_vocab(model)), specials(vocab), words(model) {
    const bool is_sentence_piece = llama_vocab_type(vocab) == LLAMA_VOCAB_TYPE_SPM;
    for (llama_token token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
        const std::string_view text = llama_vocab_get_text(vocab, token);
        longest_token               = std::max(longest_token, text.size());
        if (!is_sentence_piece || text.empty()) {
            continue;
        }
        if (text == blank_text) {
            blank = token;
        }
        uint32_t previous = 0;
        for (size_t at = 0; at < text.size();) {
            const std::string_view character = character_at(text, at);
            const uint32_t         code      = code_of(character);
            if (at > 0) {
                pairs.insert(pair_of(previous, code));
            } else if (character.size() == text.size()) {
                letters.insert(code);
            }
            previous = code;
            at += character.size();
        }
    }
}

void Tokenizer::check_length(std::string_view text, const TokenizeOptions & options) const {
    if (text.size() > most_text_bytes) {
        fail(code::limit_exceeded, "the text has %zu bytes, at most %zu are allowed: shorten it", text.size(),
             most_text_bytes);
    }
    if (options.most_tokens > 0 && text.size() / longest_token > options.most_tokens) {
        fail(code::context_full,
             "the text has %zu bytes, at most %zu are allowed: %zu tokens of at most %zu bytes; shorten it",
             text.size(), options.most_tokens * longest_token, options.most_tokens, longest_token);
    }
}

// Cuts where no token has the characters on both sides, so that each piece becomes tokens alone: llama.cpp takes a square of what it
// writes as bytes.
void Tokenizer::cut(std::string_view text, Plan & plan) const {
    constexpr size_t least    = 2048;
    const uint32_t   before   = code_of(" ");
    size_t           begin    = 0;
    double           unknown  = 0; // characters that may be written as bytes
    uint32_t         previous = 0;
    const auto       add      = [&](size_t end) {
        plan.pieces.push_back({ LLAMA_TOKEN_NULL, text.substr(begin, end - begin), begin > 0 });
        plan.steps += 0.1 * 4 * unknown * static_cast<double>(end - begin);
        begin   = end;
        unknown = 0;
    };
    for (size_t at = 0; at < text.size();) {
        const std::string_view character = character_at(text, at);
        const uint32_t         code      = code_of(character);
        // llama.cpp puts a blank before each piece, which must be a token alone, too
        if (at - begin >= least && blank != LLAMA_TOKEN_NULL && code != before &&
            !pairs.contains(pair_of(previous, code)) && !pairs.contains(pair_of(before, code))) {
            add(at);
        }
        unknown += letters.contains(code) ? 0 : 1;
        previous = code;
        at += character.size();
    }
    add(text.size());
}

Tokenizer::Plan Tokenizer::plan(std::string_view text, bool parse_special) const {
    Plan plan;
    for (const auto & part : specials.split(text, parse_special)) {
        if (part.token != LLAMA_TOKEN_NULL) {
            plan.pieces.push_back({ part.token, part.text, false });
        } else if (!letters.empty()) {
            cut(part.text, plan);
        } else {
            const TextCost cost = words.of(part.text);
            plan.pieces.push_back({ LLAMA_TOKEN_NULL, part.text, false });
            plan.depth = std::max(plan.depth, cost.deepest);
            plan.steps += cost.steps;
        }
    }
    // in each piece llama.cpp looks for each special token once more
    plan.steps += 2.0 * static_cast<double>(plan.pieces.size()) * static_cast<double>(specials.size());
    if (plan.depth > most_text_depth) {
        fail(code::limit_exceeded,
             "the text has %zu characters without a blank after a word, at most %zu are allowed: put blanks or line "
             "ends between them",
             plan.depth, most_text_depth);
    }
    if (plan.steps > most_text_steps) {
        fail(code::limit_exceeded,
             "the text takes about %.1f billion steps to become tokens, at most %.1f are allowed: shorten its runs of "
             "digits and blanks, or name fewer special tokens",
             plan.steps / 1e9, most_text_steps / 1e9);
    }
    return plan;
}

std::vector<llama_token> Tokenizer::run(const Plan & plan, const TokenizeOptions & options) const {
    std::vector<llama_token> around;
    if (options.add_special) {
        around = run_llama(vocab, {}, true);
    }
    const bool begins = llama_vocab_type(vocab) == LLAMA_VOCAB_TYPE_WPM || llama_vocab_get_add_bos(vocab);
    const auto middle = around.begin() + (begins && !around.empty() ? 1 : 0);

    std::vector<llama_token> tokens(around.begin(), middle);
    for (const Piece & piece : plan.pieces) {
        if (options.is_aborted != nullptr && *options.is_aborted) {
            fail(code::aborted, "the text was aborted before it became tokens");
        }
        if (piece.token != LLAMA_TOKEN_NULL) {
            tokens.push_back(piece.token);
            continue;
        }
        const std::vector<llama_token> found     = run_llama(vocab, piece.text, false);
        const bool                     has_blank = piece.is_inside && !found.empty() && found[0] == blank;
        tokens.insert(tokens.end(), found.begin() + (has_blank ? 1 : 0), found.end());
    }
    tokens.insert(tokens.end(), middle, around.end());
    return tokens;
}

std::vector<llama_token> Tokenizer::tokenize(std::string_view text, const TokenizeOptions & options) const {
    check_length(text, options);
    const Plan planned = plan(text, options.parse_special);
    if (planned.depth <= shallow) {
        return run(planned, options);
    }
    std::vector<llama_token> tokens;
    with_stack(thread_stack + planned.depth * stack_per_character, [&] { tokens = run(planned, options); });
    return tokens;
}

} // namespace ggsl
