// The texts of a vocabulary's tokens as a trie, which masks are walked over.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ggsl::grammar {

// A node of a trie; those below it come after it, in order.
struct TrieNode {
    uint32_t end;   // the node after all that are below this one
    uint32_t token; // the first of its tokens in the list of tokens
    uint16_t depth; // bytes
    uint8_t  byte;  // the last one
};

// A trie of some of the tokens: nodes from `begin` on, the first for the empty text.
struct Trie {
    uint32_t begin = 0;
    uint32_t end   = 0;
};

// Tokens of some lengths.
struct TokenGroup {
    uint32_t longest = 1; // bytes of the longest
    Trie     all;
    // Those that are not plain: a plain token has only whole characters, without control characters, quotation marks and backslashes
    // (plain.h).
    Trie others;
    // The bits of the plain ones with at most so many characters.
    std::vector<std::vector<uint32_t>> plain;
};

class Vocabulary {
public:
    // The text of token i is from `offsets[i]` to `offsets[i + 1]`, empty for one that comes only where a grammar names it; `ends` come
    // where a text may end, and nowhere else. Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    Vocabulary(std::span<const uint8_t> bytes, std::span<const uint32_t> offsets, std::span<const uint32_t> ends);

    size_t           size() const { return places.size() - 1; }
    size_t           words() const { return (size() + 31) / 32; }
    std::string_view text(uint32_t token) const {
        return { texts.data() + places[token], places[token + 1] - places[token] };
    }
    bool                          is_end(uint32_t token) const;
    const std::vector<uint32_t> & ends() const { return end_tokens; }
    size_t                        bytes_used() const;

    const std::vector<TrieNode> & nodes() const { return trie_nodes; }
    // Those with a text, but for ends. The tokens of a node are from its `token` to that of the node after it.
    const std::vector<uint32_t> & tokens() const { return token_list; }
    // Short tokens and the few long ones: for short ones, large counters are alike.
    const std::array<TokenGroup, 2> & groups() const { return token_groups; }

private:
    // Of tokens that are sorted by their texts.
    Trie build(const std::vector<uint32_t> & of);
    void fill(TokenGroup & group, const std::vector<uint32_t> & of);

    std::vector<char>         texts;
    std::vector<uint32_t>     places;
    std::vector<uint32_t>     end_tokens; // sorted
    std::vector<TrieNode>     trie_nodes;
    std::vector<uint32_t>     token_list;
    std::array<TokenGroup, 2> token_groups;
};

constexpr uint32_t max_token_bytes = 1 << 14;

} // namespace ggsl::grammar
