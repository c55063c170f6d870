#include "bytes.h"

#include <algorithm>

namespace ggsl::grammar {

ByteSet ByteSet::range(uint32_t from, uint32_t to) {
    ByteSet set;
    for (uint32_t byte = from; byte <= to; ++byte) {
        set.words[byte >> 6] |= uint64_t{ 1 } << (byte & 63);
    }
    return set;
}

ByteSet ByteSet::all() {
    ByteSet set;
    set.words.fill(~uint64_t{ 0 });
    return set;
}

ByteSet ByteSet::operator|(const ByteSet & other) const {
    ByteSet set;
    for (size_t i = 0; i < words.size(); ++i) {
        set.words[i] = words[i] | other.words[i];
    }
    return set;
}

ByteSet ByteSet::operator&(const ByteSet & other) const {
    ByteSet set;
    for (size_t i = 0; i < words.size(); ++i) {
        set.words[i] = words[i] & other.words[i];
    }
    return set;
}

size_t ByteSet::hash() const {
    uint64_t hash = 0;
    for (const uint64_t word : words) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 31;
    }
    return static_cast<size_t>(hash);
}

namespace {

// The most characters that a spelling of one to four bytes has.
constexpr uint32_t last_of_length[] = { 0x7f, 0x7ff, 0xffff, last_character };

using Bytes = std::vector<CharacterRange>;

// Characters whose spellings have the same length: ranges that differ in one byte, with all values in those after it.
void split(uint32_t from, uint32_t to, int length, const std::function<void(const Bytes &)> & call) {
    for (int i = 1; i < length; ++i) {
        const uint32_t rest = (1u << (6 * i)) - 1;
        if ((from & ~rest) == (to & ~rest)) {
            continue;
        }
        if ((from & rest) != 0) {
            split(from, from | rest, length, call);
            split((from | rest) + 1, to, length, call);
            return;
        }
        if ((to & rest) != rest) {
            split(from, (to & ~rest) - 1, length, call);
            split(to & ~rest, to, length, call);
            return;
        }
    }
    static constexpr uint32_t first_byte[] = { 0, 0xc0, 0xe0, 0xf0 };
    Bytes                     bytes(static_cast<size_t>(length));
    for (int i = 0; i < length; ++i) {
        const int      shift          = 6 * (length - 1 - i);
        const uint32_t mask           = i == 0 ? 0xffu : 0x3fu;
        const uint32_t mark           = i == 0 ? first_byte[length - 1] : 0x80u;
        bytes[static_cast<size_t>(i)] = { ((from >> shift) & mask) | mark, ((to >> shift) & mask) | mark };
    }
    call(bytes);
}

} // namespace

void each_spelling(CharacterRange range, const std::function<void(const Bytes &)> & call) {
    constexpr uint32_t first_surrogate = 0xd800;
    constexpr uint32_t last_surrogate  = 0xdfff;
    const auto         spell           = [&](uint32_t from, uint32_t to) {
        for (int length = 1; length <= 4 && from <= to; ++length) {
            const uint32_t last = last_of_length[length - 1];
            if (from > last) {
                continue;
            }
            split(from, std::min(to, last), length, call);
            from = last + 1;
        }
    };
    spell(range.from, std::min(range.to, first_surrogate - 1));
    spell(std::max(range.from, last_surrogate + 1), std::min(range.to, last_character));
}

} // namespace ggsl::grammar
