// The bytes of a vocabulary's tokens in sorted order, so that a search visits a common beginning once.
#pragma once

#include <llama.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace ggsl {

class TokenTexts {
public:
    explicit TokenTexts(const llama_vocab * vocab);

    struct Entry {
        llama_token token;
        uint32_t    begin;
        uint32_t    length;
        uint32_t    shared; // the length of the common beginning with the entry before
    };

    // The tokens with a text: neither empty, nor beginning with a zero byte, nor an end of text.
    const std::vector<Entry> & sorted() const { return entries; }
    std::string_view           text(const Entry & entry) const { return { bytes.data() + entry.begin, entry.length }; }

    // The text of any token, empty for one that `sorted` leaves out.
    std::string_view                 text(llama_token token) const;
    bool                             is_end(llama_token token) const { return ends[static_cast<size_t>(token)]; }
    const std::vector<llama_token> & end_tokens() const { return end_list; }
    size_t                           size() const { return ends.size(); }

private:
    std::vector<char>        bytes;
    std::vector<Entry>       entries;
    std::vector<uint32_t>    places; // of a token in `entries`, or UINT32_MAX
    std::vector<bool>        ends;
    std::vector<llama_token> end_list;
};

} // namespace ggsl
