// Whole characters of bytes that come in parts, as a decoder of UTF-8 reads them; runtime/generation/output.ts has the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ggsl::loop {

// How many bytes at the end begin a character and lack others: 3 at most.
size_t incomplete(std::string_view bytes);

class Characters {
public:
    // The bytes of the characters that are complete now; bytes that are in no character come as they are.
    std::string push(std::string_view bytes);

    // The bytes of the last one where it is not complete.
    const std::string & rest() const { return held; }
    // Goes on after bytes with this rest.
    void restart(std::string_view rest) { held = rest; }

private:
    std::string held;
};

// Appends bytes as UTF-16. U+FFFD replaces each longest beginning of a character that is not complete, and each other byte that is in
// none, as in the Encoding Standard.
void append_utf16(std::u16string & text, std::string_view bytes);

} // namespace ggsl::loop
