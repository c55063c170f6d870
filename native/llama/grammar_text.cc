#include "graph/failure.h"
#include "grammar_check.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ggsl {

namespace {

constexpr size_t   max_text             = 1 << 20;
constexpr size_t   max_group_depth      = 500;     // of groups; the parser recurses into each
constexpr uint64_t max_grammar_elements = 4 << 20; // 8 bytes each
// llama.cpp's own limit: it rejects a larger minimum, and a larger maximum means unbounded.
constexpr uint64_t max_repetitions = 2000;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

// Tokenizes as the parser does. Errors are left to the parser; this only bounds the memory that it would take.
class GrammarReader {
public:
    explicit GrammarReader(const std::string & text) : text(text) {}

    void run() {
        while (at < text.size()) {
            const char c = text[at++];
            switch (c) {
                case '#': skip_to('\n'); break;
                case '"': item(quoted('"')); break;
                case '[': item(quoted(']')); break;
                case '<':
                    skip_to('>');
                    item(1);
                    break;
                case '.': item(1); break;
                case '(': open(); break;
                case ')': close(); break;
                case '*':
                case '+':
                case '?': repeat(1, 2); break;
                case '{': braces(); break;
                default:
                    if (is_word(c)) {
                        while (at < text.size() && is_word(text[at])) {
                            ++at;
                        }
                        item(1);
                    }
            }
        }
    }

private:
    void skip_to(char end) { at = std::min(text.find(end, at), text.size() - 1) + 1; }

    // The number of characters up to `end`; an escape counts as one or a few.
    uint64_t quoted(char end) {
        uint64_t count = 0;
        for (; at < text.size() && text[at] != end; ++at, ++count) {
            at += text[at] == '\\';
        }
        ++at;
        return count;
    }

    void item(uint64_t size) {
        add(size);
        last = size;
    }

    void open() {
        if (++depth > max_group_depth) {
            fail(code::invalid_argument, "the grammar has groups nested deeper than %zu", max_group_depth);
        }
    }

    void close() {
        depth -= depth > 0;
        item(1);
    }

    uint64_t number() {
        uint64_t value = 0;
        for (; at < text.size() && is_digit(text[at]); ++at) {
            value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(text[at] - '0'), UINT32_MAX);
        }
        return value;
    }

    void skip_blanks() {
        while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) {
            ++at;
        }
    }

    // {m}, {m,} or {m,n}
    void braces() {
        skip_blanks();
        const uint64_t least = number();
        uint64_t       most  = least;
        skip_blanks();
        if (at < text.size() && text[at] == ',') {
            ++at;
            skip_blanks();
            const bool has_most = at < text.size() && is_digit(text[at]);
            most                = has_most ? number() : UINT32_MAX;
        }
        // llama.cpp would expand the difference, which is negative, and never stop.
        if (most < least) {
            fail(code::invalid_argument, "the grammar has a repetition {%llu,%llu} whose maximum is below its minimum",
                 static_cast<unsigned long long>(least), static_cast<unsigned long long>(most));
        }
        least > max_repetitions ? repeat(1, 1) : repeat(least, most > max_repetitions ? least + 1 : most);
    }

    // The parser copies the item `least` times and adds a rule for each further repetition.
    void repeat(uint64_t least, uint64_t most) {
        add(last * least + (last + 3) * (most - least));
        last = last * least + 1;
    }

    void add(uint64_t count) {
        elements += count;
        if (elements > max_grammar_elements) {
            fail(code::invalid_argument, "the grammar is too large: its repetitions expand to more than %llu elements",
                 static_cast<unsigned long long>(max_grammar_elements));
        }
    }

    const std::string & text;
    size_t              at       = 0;
    size_t              depth    = 0;
    uint64_t            elements = 0;
    uint64_t            last     = 0; // elements of the latest item, which a repetition repeats
};

} // namespace

void check_grammar_text(const std::string & text) {
    if (text.size() > max_text) {
        fail(code::invalid_argument, "the grammar has %zu bytes, expected at most %zu", text.size(), max_text);
    }
    GrammarReader(text).run();
}

} // namespace ggsl
