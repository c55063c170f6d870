#include "loop/characters.h"

#include <algorithm>
#include <cstdint>

namespace ggsl::loop {

namespace {

uint8_t at(std::string_view bytes, size_t i) {
    return static_cast<uint8_t>(bytes[i]);
}

bool is_continuation(uint8_t byte) {
    return (byte & 0xc0) == 0x80;
}

// The bytes of a character that begins so; 1 also for a byte that begins none.
size_t length_of(uint8_t lead) {
    if (lead >= 0xf0 && lead <= 0xf4) {
        return 4;
    }
    return lead > 0xf4 || lead < 0xc2 ? 1 : lead >= 0xe0 ? 3 : 2;
}

// Whether a continuation can come second: not in a character that is longer than it must be, a surrogate, or beyond U+10FFFF.
bool can_follow(uint8_t lead, uint8_t second) {
    switch (lead) {
        case 0xe0: return second >= 0xa0;
        case 0xed: return second < 0xa0;
        case 0xf0: return second >= 0x90;
        case 0xf4: return second < 0x90;
        default:   return true;
    }
}

// The bytes at a place that are a character or its longest beginning.
size_t run_at(std::string_view bytes, size_t i) {
    const uint8_t lead   = at(bytes, i);
    const size_t  length = std::min(length_of(lead), bytes.size() - i);
    size_t        count  = 1;
    while (count < length && is_continuation(at(bytes, i + count)) &&
           (count > 1 || can_follow(lead, at(bytes, i + 1)))) {
        ++count;
    }
    return count;
}

} // namespace

size_t incomplete(std::string_view bytes) {
    for (size_t back = 1; back <= std::min<size_t>(3, bytes.size()); ++back) {
        const size_t  i    = bytes.size() - back;
        const uint8_t lead = at(bytes, i);
        if (!is_continuation(lead)) {
            return length_of(lead) > back && run_at(bytes, i) == back ? back : 0;
        }
    }
    return 0;
}

std::string Characters::push(std::string_view bytes) {
    std::string  all   = held.append(bytes);
    const size_t whole = all.size() - incomplete(all);
    held               = all.substr(whole);
    all.resize(whole);
    return all;
}

void append_utf16(std::u16string & text, std::string_view bytes) {
    constexpr uint32_t lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    for (size_t i = 0; i < bytes.size();) {
        const uint8_t lead = at(bytes, i);
        if (lead < 0x80) {
            text.push_back(lead);
            ++i;
            continue;
        }
        const size_t length = length_of(lead);
        const size_t count  = run_at(bytes, i);
        if (length == 1 || count < length) {
            text.push_back(0xfffd);
            i += count;
            continue;
        }
        uint32_t point = lead & lead_bits[length];
        for (size_t k = 1; k < length; ++k) {
            point = (point << 6) | (at(bytes, i + k) & 0x3f);
        }
        if (point >= 0x10000) {
            text.push_back(static_cast<char16_t>(0xd800 + ((point - 0x10000) >> 10)));
            text.push_back(static_cast<char16_t>(0xdc00 + (point & 0x3ff)));
        } else {
            text.push_back(static_cast<char16_t>(point));
        }
        i += length;
    }
}

} // namespace ggsl::loop
