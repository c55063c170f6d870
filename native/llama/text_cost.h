// What a text costs llama.cpp's tokenizer at most, before it sees the text.
#pragma once

#include <llama.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace ggsl {

struct TextCost {
    size_t deepest =
        0; // characters of the longest run that a regular expression may match at once: it needs a frame for each
    double steps = 0; // of what takes a square of a run's length; a step is about a nanosecond
};

// How a vocabulary divides texts into words.
class WordCost {
public:
    explicit WordCost(const llama_model * model);

    TextCost of(std::string_view text) const;

private:
    bool   has_words   = false; // only BPE vocabularies have regular expressions
    bool   joins_words = false; // a match goes on after a blank
    double digit_steps = 0;     // steps of a run of digits, for each pair of them
    double blank_steps = 0;     // the same of blanks that are not line ends
};

// The limits of a text, for every vocabulary.
inline constexpr size_t most_text_bytes = size_t{ 8 } << 20;
inline constexpr double most_text_steps = 4e9;
inline constexpr size_t most_text_depth = size_t{ 1 } << 19;

// Stack for each character of a run: libstdc++ takes 352 bytes on x86-64. libc++, also in WebAssembly, takes none, and 120 bytes of the
// heap.
inline constexpr size_t stack_per_character = 1024;

} // namespace ggsl
