// Characters that stand for themselves in a JSON string, as an automaton over bytes: all but control characters, the quotation mark,
// the backslash and DEL, which grammars often leave out.
#pragma once

#include <cstdint>

namespace ggsl::grammar {

inline constexpr uint8_t plain_start  = 0; // between characters
inline constexpr uint8_t plain_none   = 8;
inline constexpr uint8_t plain_states = 8;

// 1 to 3: so many more bytes of a character. 4 to 7: the second byte is limited (E0, ED, F0, F4).
inline constexpr uint8_t after_plain(uint8_t state, uint8_t byte) {
    const auto within = [&](int from, int to, uint8_t next) { return byte >= from && byte <= to ? next : plain_none; };
    switch (state) {
        case plain_start:
            if (byte < 0x80) {
                return byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f ? plain_start : plain_none;
            }
            return byte < 0xc2    ? plain_none
                   : byte < 0xe0  ? 1
                   : byte == 0xe0 ? 4
                   : byte == 0xed ? 5
                   : byte < 0xf0  ? 2
                   : byte == 0xf0 ? 6
                   : byte < 0xf4  ? 3
                   : byte == 0xf4 ? 7
                                  : plain_none;
        case 1:  return within(0x80, 0xbf, plain_start);
        case 2:  return within(0x80, 0xbf, 1);
        case 3:  return within(0x80, 0xbf, 2);
        case 4:  return within(0xa0, 0xbf, 1);
        case 5:  return within(0x80, 0x9f, 1);
        case 6:  return within(0x90, 0xbf, 2);
        case 7:  return within(0x80, 0x8f, 2);
        default: return plain_none;
    }
}

} // namespace ggsl::grammar
