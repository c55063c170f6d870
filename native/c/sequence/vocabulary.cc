#include "sequence/vocabulary.h"

namespace ggsl::c {

namespace {

// How many bytes from `at` on are one character; 0 if it is no whole one, then `bad` bytes of it count as one mistake.
size_t character(std::string_view bytes, size_t at, size_t & bad) {
    const auto byte  = [&](size_t i) { return static_cast<unsigned char>(at + i < bytes.size() ? bytes[at + i] : 0); };
    const auto first = byte(0);
    bad              = 1;
    if (first < 0x80) {
        return 1;
    }
    const size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                          : first >= 0xe0 && first <= 0xef ? 3
                          : first >= 0xf0 && first <= 0xf4 ? 4
                                                           : 0;
    if (length == 0) {
        return 0;
    }
    const unsigned lowest  = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    for (size_t i = 1; i < length; ++i) {
        const unsigned low = i == 1 ? lowest : 0x80, high = i == 1 ? highest : 0xbf;
        if (byte(i) < low || byte(i) > high) {
            bad = i;
            return 0;
        }
    }
    return length;
}

} // namespace

const std::vector<int32_t> & Vocabulary::with_text(const std::string & text) const {
    std::call_once(once, [&] {
        int32_t token = 0;
        for (const std::string & each : texts()) {
            index[each].push_back(token++);
        }
    });
    static const std::vector<int32_t> none;
    const auto                        found = index.find(text);
    return found == index.end() ? none : found->second;
}

std::string whole_text(std::string_view bytes) {
    std::string text;
    for (size_t at = 0; at < bytes.size();) {
        size_t       bad    = 1;
        const size_t length = character(bytes, at, bad);
        if (length == 0) {
            text += "\xef\xbf\xbd";
            at += bad;
        } else {
            text += bytes.substr(at, length);
            at += length;
        }
    }
    return text;
}

} // namespace ggsl::c
