// Sets of bytes, and the bytes of characters in UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ggsl::grammar {

// 256 flags.
struct ByteSet {
    std::array<uint64_t, 4> words{};

    static ByteSet range(uint32_t from, uint32_t to);
    static ByteSet all();

    bool    has(uint8_t byte) const { return (words[byte >> 6] >> (byte & 63)) & 1; }
    bool    empty() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
    ByteSet operator|(const ByteSet & other) const;
    ByteSet operator&(const ByteSet & other) const;
    bool    operator==(const ByteSet &) const = default;
    size_t  hash() const;
};

// Both ends are included.
struct CharacterRange {
    uint32_t from;
    uint32_t to;
};

constexpr uint32_t last_character = 0x10ffff;

// Calls for each sequence of up to four byte ranges that spell the characters of a range. Surrogates are not spelled.
void each_spelling(CharacterRange range, const std::function<void(const std::vector<CharacterRange> & bytes)> & call);

} // namespace ggsl::grammar
