#include "vocabulary.h"

#include "graph/failure.h"
#include "bytes.h"
#include "plain.h"

#include <algorithm>
#include <functional>

namespace ggsl::grammar {

namespace {

// The characters of a plain text; 0 for another one.
size_t plain_characters(std::string_view text) {
    size_t  count = 0;
    uint8_t state = plain_start;
    for (const char byte : text) {
        state = after_plain(state, static_cast<uint8_t>(byte));
        if (state == plain_none) {
            return 0;
        }
        count += state == plain_start;
    }
    return state == plain_start ? count : 0;
}

// Texts in the order of these numbers are sorted, but for those with the same number.
uint64_t first_bytes(std::string_view text) {
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof(number); ++i) {
        number = number << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
    }
    return number;
}

// Plain tokens with more characters are walked.
constexpr size_t most_plain = 32;
// Bytes of a short token.
constexpr size_t most_short = 20;

} // namespace

Vocabulary::Vocabulary(std::span<const uint8_t> bytes, std::span<const uint32_t> offsets,
                       std::span<const uint32_t> ends)
    : texts(bytes.begin(), bytes.end()), places(offsets.begin(), offsets.end()), end_tokens(ends.begin(), ends.end()) {
    if (places.empty() || places.front() != 0 || places.back() != texts.size() ||
        !std::is_sorted(places.begin(), places.end())) {
        fail(code::invalid_argument,
             "the vocabulary's offsets are damaged: expected ascending ones from 0 to the number of bytes");
    }
    std::sort(end_tokens.begin(), end_tokens.end());
    if (!end_tokens.empty() && end_tokens.back() >= size()) {
        fail(code::invalid_argument, "the vocabulary has %zu tokens, found the end-of-text token %u", size(),
             end_tokens.back());
    }
    std::vector<std::pair<uint64_t, uint32_t>> sorted; // with their first bytes, which mostly differ
    for (uint32_t token = 0; token < size(); ++token) {
        const std::string_view of = text(token);
        if (of.size() > max_token_bytes) {
            fail(code::limit_exceeded, "token %u has %zu bytes, expected at most %u", token, of.size(),
                 max_token_bytes);
        }
        if (!of.empty() && !is_end(token)) {
            sorted.emplace_back(first_bytes(of), token);
        }
    }
    std::sort(sorted.begin(), sorted.end(), [&](const auto & a, const auto & b) {
        return a.first != b.first ? a.first < b.first
                                  : std::pair(text(a.second), a.second) < std::pair(text(b.second), b.second);
    });
    std::array<std::vector<uint32_t>, 2> of_group;
    for (const auto & [bytes_of, token] : sorted) {
        of_group[text(token).size() > most_short].push_back(token);
    }
    for (size_t i = 0; i < of_group.size(); ++i) {
        fill(token_groups[i], of_group[i]);
    }
}

void Vocabulary::fill(TokenGroup & group, const std::vector<uint32_t> & of) {
    std::vector<uint32_t> others;
    group.plain.assign(most_plain + 1, std::vector<uint32_t>(words()));
    for (const uint32_t token : of) {
        group.longest           = std::max(group.longest, static_cast<uint32_t>(text(token).size()));
        const size_t characters = plain_characters(text(token));
        if (characters == 0 || characters > most_plain) {
            others.push_back(token);
            continue;
        }
        group.plain[characters][token / 32] |= 1u << (token % 32);
    }
    for (size_t count = 1; count <= most_plain; ++count) { // at most so many
        std::transform(group.plain[count].begin(), group.plain[count].end(), group.plain[count - 1].begin(),
                       group.plain[count].begin(), std::bit_or<>());
    }
    group.all    = build(of);
    group.others = build(others);
}

bool Vocabulary::is_end(uint32_t token) const {
    return std::binary_search(end_tokens.begin(), end_tokens.end(), token);
}

Trie Vocabulary::build(const std::vector<uint32_t> & of) {
    Trie trie{ static_cast<uint32_t>(trie_nodes.size()), 0 };
    trie_nodes.push_back({ 0, static_cast<uint32_t>(token_list.size()), 0, 0 });
    std::vector<uint32_t> way{ trie.begin };
    std::string_view      before;
    for (const uint32_t token : of) {
        const std::string_view now    = text(token);
        size_t                 shared = 0;
        while (shared < before.size() && shared < now.size() && before[shared] == now[shared]) {
            ++shared;
        }
        for (; way.size() > shared + 1; way.pop_back()) {
            trie_nodes[way.back()].end = static_cast<uint32_t>(trie_nodes.size());
        }
        for (size_t i = shared; i < now.size(); ++i) {
            way.push_back(static_cast<uint32_t>(trie_nodes.size()));
            trie_nodes.push_back({ 0, static_cast<uint32_t>(token_list.size()), static_cast<uint16_t>(i + 1),
                                   static_cast<uint8_t>(now[i]) });
        }
        token_list.push_back(token);
        before = now;
    }
    for (const uint32_t node : way) {
        trie_nodes[node].end = static_cast<uint32_t>(trie_nodes.size());
    }
    trie.end = static_cast<uint32_t>(trie_nodes.size());
    // where the tokens of the last node end
    trie_nodes.push_back({ trie.end + 1, static_cast<uint32_t>(token_list.size()), 0, 0 });
    return trie;
}

size_t Vocabulary::bytes_used() const {
    const size_t bits = 2 * (most_plain + 1) * words() * sizeof(uint32_t);
    return texts.size() + (places.size() + token_list.size()) * sizeof(uint32_t) +
           trie_nodes.size() * sizeof(TrieNode) + bits;
}

} // namespace ggsl::grammar
