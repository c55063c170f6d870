#include "text_cost.h"

#include <algorithm>
#include <cstdint>

namespace ggsl {

namespace {

// The next character, as llama.cpp reads it: a byte that begins none is a character of its own.
uint32_t next_character(std::string_view text, size_t & at) {
    const auto    byte   = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    const uint8_t first  = byte(at);
    const size_t  length = first < 0x80 ? 1 : first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 1 || first >= 0xf8 || at + length > text.size()) {
        ++at;
        return first < 0x80 ? first : 0xfffd;
    }
    uint32_t character = first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) {
            ++at;
            return 0xfffd;
        }
        character = character << 6 | (byte(at + i) & 0x3f);
    }
    at += length;
    return character;
}

bool is_ascii_blank(uint32_t character) {
    return character == ' ' || (character >= '\t' && character <= '\r');
}

// Unicode's White_Space.
bool is_blank(uint32_t character) {
    return is_ascii_blank(character) || character == 0x85 || character == 0xa0 || character == 0x1680 ||
           (character >= 0x2000 && character <= 0x200a) || character == 0x2028 || character == 0x2029 ||
           character == 0x202f || character == 0x205f || character == 0x3000;
}

// The longest of what two parts beside each other have together.
class Neighbours {
public:
    void add() { ++here; }
    void next() {
        before = here;
        here   = 0;
    }
    void note() { most = std::max(most, before + here); }

    size_t most = 0;

private:
    size_t before = 0;
    size_t here   = 0;
};

std::string metadata(const llama_model * model, const char * key) {
    char          value[64] = {};
    const int32_t length    = llama_model_meta_val_str(model, key, value, sizeof(value));
    return length < 0 ? "" : value;
}

} // namespace

WordCost::WordCost(const llama_model * model)
    : has_words(llama_vocab_type(llama_model_get_vocab(model)) == LLAMA_VOCAB_TYPE_BPE) {
    const std::string name = metadata(model, "tokenizer.ggml.pre");
    // ` ?\p{L}+( \p{L}+)*`: words with a blank between them
    joins_words = name == "exaone-moe";
    // `(?=(\d{3})+(?!\d))` looks to the end of the digits from each of them
    digit_steps = name == "superbpe" ? 120 : 0;
    // `\s+$` does so from each blank that something follows, and `\s{512}` cuts what `\s*[\r\n]+` has tried to the end
    blank_steps = name == "deepseek-llm" ? 150 : name == "jais-2" ? 1 : 0;
}

TextCost WordCost::of(std::string_view text) const {
    TextCost cost;
    if (!has_words) {
        return cost;
    }
    Neighbours run;
    uint32_t   previous = ' ';
    double     digits = 0, blanks = 0;
    const auto count = [&](double & length, bool goes_on, double steps) {
        if (goes_on) {
            // the square of the length, as it grows
            cost.steps += (2 * length + 1) * steps;
            ++length;
        } else {
            length = 0;
        }
    };
    for (size_t at = 0; at < text.size();) {
        const uint32_t character = next_character(text, at);
        // no expression matches over a blank after a word more than once, but those with `[\r\n/]*`
        const bool ends =
            is_ascii_blank(character) && !is_blank(previous) && previous != '/' && !(joins_words && character == ' ');
        if (ends) {
            run.next();
        }
        run.add();
        run.note();
        count(digits, character >= '0' && character <= '9', digit_steps);
        count(blanks, is_blank(character) && character != '\n' && character != '\r', blank_steps);
        previous = character;
    }
    cost.deepest = run.most;
    return cost;
}

} // namespace ggsl
