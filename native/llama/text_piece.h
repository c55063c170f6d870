// What readers get of a token.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ggsl {

// The text of a token: whole characters, without what belongs to a stop text.
struct TextPiece {
    std::string text;
    std::string rest; // bytes after it that are no whole character, 3 at most
};

// What is known of a text with a token of it.
struct Said {
    std::vector<TextPiece> pieces; // of the tokens whose text is known now and was not before, the earliest first
    std::optional<size_t>  stop;   // the stop text that ends it, by its place in the list
};

} // namespace ggsl
