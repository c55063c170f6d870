#include "special_texts.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace ggsl {

namespace {

uint64_t edge(int32_t node, char byte) {
    return static_cast<uint64_t>(node) << 8 | static_cast<uint8_t>(byte);
}

bool is_blank(char byte) {
    return std::isspace(static_cast<uint8_t>(byte)) != 0;
}

// What is taken from a text so far.
class Taken {
public:
    explicit Taken(std::string_view text) : text(text), bytes(text.size()) {}

    bool has(size_t at) const { return bytes[at]; }
    bool has_any(size_t from, size_t to) const {
        return std::find(bytes.begin() + static_cast<ptrdiff_t>(from), bytes.begin() + static_cast<ptrdiff_t>(to),
                         true) != bytes.begin() + static_cast<ptrdiff_t>(to);
    }
    void take(size_t from, size_t to) {
        std::fill(bytes.begin() + static_cast<ptrdiff_t>(from), bytes.begin() + static_cast<ptrdiff_t>(to), true);
    }
    void take_blanks_before(size_t at) {
        while (at > 0 && !bytes[at - 1] && is_blank(text[at - 1])) {
            bytes[--at] = true;
        }
    }
    void take_blanks_after(size_t at) {
        while (at < text.size() && !bytes[at] && is_blank(text[at])) {
            bytes[at++] = true;
        }
    }

private:
    std::string_view  text;
    std::vector<bool> bytes;
};

} // namespace

SpecialTexts::SpecialTexts(const llama_vocab * vocab) {
    constexpr int special = LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_USER_DEFINED | LLAMA_TOKEN_ATTR_UNKNOWN;
    std::vector<llama_token> tokens;
    for (llama_token token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
        if ((llama_vocab_get_attr(vocab, token) & special) != 0) {
            tokens.push_back(token);
        }
    }
    const auto text_of = [&](llama_token token) { return std::string_view(llama_vocab_get_text(vocab, token)); };
    // the same sort of the same list as llama.cpp's: of equal lengths, its order counts
    std::sort(tokens.begin(), tokens.end(),
              [&](llama_token a, llama_token b) { return text_of(a).size() > text_of(b).size(); });
    ranks.push_back(-1);
    for (const llama_token token : tokens) {
        const std::string_view text = text_of(token);
        if (text.empty()) {
            continue;
        }
        const int attributes = llama_vocab_get_attr(vocab, token);
        insert(text, static_cast<uint32_t>(order.size()));
        order.push_back({ token, static_cast<uint32_t>(text.size()),
                          (attributes & (LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN)) != 0,
                          (attributes & LLAMA_TOKEN_ATTR_LSTRIP) != 0, (attributes & LLAMA_TOKEN_ATTR_RSTRIP) != 0 });
    }
}

void SpecialTexts::insert(std::string_view text, uint32_t rank) {
    begins[static_cast<uint8_t>(text[0])] = true;
    int32_t node                          = 0;
    for (const char byte : text) {
        const auto [found, is_new] = edges.emplace(edge(node, byte), static_cast<int32_t>(ranks.size()));
        if (is_new) {
            ranks.push_back(-1);
        }
        node = found->second;
    }
    ranks[static_cast<size_t>(node)] = static_cast<int32_t>(rank);
}

SpecialTexts::Match SpecialTexts::longest(std::string_view text, size_t at, size_t limit, bool parse_special) const {
    Match   match{ 0, 0 };
    int32_t node = 0;
    for (size_t i = at; i < text.size() && i - at < limit; ++i) {
        const auto found = edges.find(edge(node, text[i]));
        if (found == edges.end()) {
            break;
        }
        node               = found->second;
        const int32_t rank = ranks[static_cast<size_t>(node)];
        if (rank >= 0 && (parse_special || !order[static_cast<size_t>(rank)].is_control)) {
            match = { static_cast<uint32_t>(rank), static_cast<uint32_t>(i - at + 1) };
        }
    }
    return match;
}

std::vector<SpecialTexts::Part> SpecialTexts::split(std::string_view text, bool parse_special) const {
    // places by the rank of what begins there: each waits with its longest text, and with a shorter one if that is taken
    std::map<uint32_t, std::vector<size_t>> waiting;
    for (size_t at = 0; at < text.size(); ++at) {
        if (begins[static_cast<uint8_t>(text[at])]) {
            if (const Match match = longest(text, at, text.size(), parse_special); match.length > 0) {
                waiting[match.rank].push_back(at);
            }
        }
    }
    if (waiting.empty()) {
        return text.empty() ? std::vector<Part>{} : std::vector<Part>{ { LLAMA_TOKEN_NULL, text } };
    }
    Taken                                    taken(text);
    std::vector<std::pair<size_t, uint32_t>> found; // where, and its rank
    while (!waiting.empty()) {
        const uint32_t      rank    = waiting.begin()->first;
        std::vector<size_t> places  = std::move(waiting.begin()->second);
        const Special &     special = order[rank];
        waiting.erase(waiting.begin());
        std::sort(places.begin(), places.end());
        for (const size_t at : places) {
            if (taken.has(at)) {
                continue;
            }
            if (taken.has_any(at, at + special.length)) {
                if (const Match match = longest(text, at, special.length - 1, parse_special); match.length > 0) {
                    waiting[match.rank].push_back(at);
                }
                continue;
            }
            taken.take(at, at + special.length);
            found.emplace_back(at, rank);
            if (special.takes_before) {
                taken.take_blanks_before(at);
            }
            if (special.takes_after) {
                taken.take_blanks_after(at + special.length);
            }
        }
    }
    std::sort(found.begin(), found.end());

    std::vector<Part> parts;
    const auto        add_text = [&](size_t from, size_t to) {
        while (from < to && taken.has(from)) {
            ++from;
        }
        while (to > from && taken.has(to - 1)) {
            --to;
        }
        if (from < to) {
            parts.push_back({ LLAMA_TOKEN_NULL, text.substr(from, to - from) });
        }
    };
    size_t done = 0;
    for (const auto & [at, rank] : found) {
        add_text(done, at);
        parts.push_back({ order[rank].token, text.substr(at, order[rank].length) });
        done = at + order[rank].length;
    }
    add_text(done, text.size());
    return parts;
}

} // namespace ggsl
