#include "written_words.h"

#include "loop/characters.h"

#include <bit>

namespace ggsl::addon {

namespace {

int32_t flags_of(const Written & token) {
    return token.is_forced + 2 * token.is_refused + 4 * token.is_over + 8 * token.is_end + 16 * token.said.has_value();
}

// How many bytes, then these, from the lowest byte on.
int32_t packed(const std::string & rest) {
    uint32_t word = static_cast<uint32_t>(rest.size());
    for (size_t i = 0; i < rest.size(); ++i) {
        word |= static_cast<uint32_t>(static_cast<uint8_t>(rest[i])) << (8 * (i + 1));
    }
    return std::bit_cast<int32_t>(word);
}

} // namespace

WrittenWords::WrittenWords(const std::vector<Written> & tokens) {
    for (const Written & token : tokens) {
        const size_t  pieces = token.said ? token.said->pieces.size() : 0;
        const int32_t stop   = token.said && token.said->stop ? static_cast<int32_t>(*token.said->stop) : -1;
        words.insert(words.end(), { static_cast<int32_t>(token.text), token.token, flags_of(token), stop,
                                    static_cast<int32_t>(token.scalars.size()), static_cast<int32_t>(pieces) });
        for (const float scalar : token.scalars) {
            words.push_back(std::bit_cast<int32_t>(scalar));
        }
        for (size_t i = 0; i < pieces; ++i) {
            const TextPiece & piece = token.said->pieces[i];
            const size_t      begin = text.size();
            loop::append_utf16(text, piece.text);
            words.push_back(static_cast<int32_t>(text.size() - begin));
            words.push_back(packed(piece.rest));
        }
    }
}

} // namespace ggsl::addon
