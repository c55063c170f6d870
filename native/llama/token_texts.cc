#include "token_texts.h"

#include <algorithm>
#include <string>

namespace ggsl {

namespace {

void append_piece(const llama_vocab * vocab, llama_token token, std::string & buffer, std::vector<char> & bytes) {
    const auto run = [&] {
        return llama_token_to_piece(vocab, token, buffer.data(), static_cast<int32_t>(buffer.size()), 0, true);
    };
    int32_t length = run();
    if (length < 0) {
        buffer.resize(static_cast<size_t>(-length));
        length = run();
    }
    bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + std::max(length, 0));
}

} // namespace

TokenTexts::TokenTexts(const llama_vocab * vocab) {
    const auto size = static_cast<size_t>(llama_vocab_n_tokens(vocab));
    places.assign(size, UINT32_MAX);
    ends.assign(size, false);
    std::string buffer(64, '\0');
    for (size_t i = 0; i < size; ++i) {
        const auto token = static_cast<llama_token>(i);
        if (llama_vocab_is_eog(vocab, token)) {
            ends[i] = true;
            end_list.push_back(token);
            continue;
        }
        const auto begin = static_cast<uint32_t>(bytes.size());
        append_piece(vocab, token, buffer, bytes);
        const auto length = static_cast<uint32_t>(bytes.size()) - begin;
        if (length > 0 && bytes[begin] != '\0') {
            entries.push_back({ token, begin, length, 0 });
        }
    }
    std::sort(entries.begin(), entries.end(), [this](const Entry & a, const Entry & b) { return text(a) < text(b); });
    for (size_t i = 0; i < entries.size(); ++i) {
        places[static_cast<size_t>(entries[i].token)] = static_cast<uint32_t>(i);
        if (i > 0) {
            const std::string_view before = text(entries[i - 1]);
            const std::string_view here   = text(entries[i]);
            const auto             split  = std::mismatch(before.begin(), before.end(), here.begin(), here.end());
            entries[i].shared             = static_cast<uint32_t>(split.first - before.begin());
        }
    }
}

std::string_view TokenTexts::text(llama_token token) const {
    const uint32_t place = places[static_cast<size_t>(token)];
    return place == UINT32_MAX ? std::string_view() : text(entries[place]);
}

} // namespace ggsl
