// The texts of special tokens in a text, in time that is linear in its length: llama.cpp's own search takes a square of how many it finds.
#pragma once

#include <llama.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ggsl {

class SpecialTexts {
public:
    explicit SpecialTexts(const llama_vocab * vocab);

    // A special token, or a part of the text between them.
    struct Part {
        llama_token      token; // LLAMA_TOKEN_NULL for text
        std::string_view text;
    };
    // The parts that llama.cpp's tokenizer divides a text into: longer special tokens are found before shorter ones, and blanks beside
    // some of them are dropped. `parse_special`: also control tokens. A text without special tokens is one part.
    std::vector<Part> split(std::string_view text, bool parse_special) const;

    // How many special tokens there are; llama.cpp looks for those that are not control tokens in each part once more.
    size_t size() const { return order.size(); }

private:
    struct Special {
        llama_token token;
        uint32_t    length;
        bool        is_control;
        bool        takes_before;
        bool        takes_after;
    };
    struct Match {
        uint32_t rank;
        uint32_t length; // 0: none
    };

    // The longest special text at a place that has at most `limit` bytes.
    Match longest(std::string_view text, size_t at, size_t limit, bool parse_special) const;
    void  insert(std::string_view text, uint32_t rank);

    std::vector<Special>                  order; // as llama.cpp tries them
    std::unordered_map<uint64_t, int32_t> edges; // of a tree of all texts: node and byte to a node
    std::vector<int32_t>                  ranks; // of a node's text, or -1
    std::array<bool, 256>                 begins{};
};

} // namespace ggsl
