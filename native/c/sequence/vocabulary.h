// The texts of a vocabulary's tokens, for what compares texts. Bytes need not be whole characters.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ggsl::c {

class Vocabulary {
public:
    virtual ~Vocabulary() = default;

    virtual int32_t size() const = 0;
    // Each token detokenized alone, as breakers are compared with.
    virtual const std::vector<std::string> & pieces() const = 0;
    // What each token adds to a text.
    virtual const std::vector<std::string> & texts() const = 0;
    // llama.cpp's control tokens, or those that end a text; null where they are not known.
    virtual const std::vector<int32_t> * tokens_of(bool is_end) const = 0;
    // The tokens of a text, without special ones. Throws Failure (INVALID_ARGUMENT).
    virtual std::vector<int32_t> tokenize(std::string_view bytes) const = 0;
    // The same, with special tokens where the text has theirs.
    virtual std::vector<int32_t> tokenize_special(std::string_view bytes) const { return tokenize(bytes); }

    // Every token with exactly this text.
    const std::vector<int32_t> & with_text(const std::string & text) const;

private:
    mutable std::once_flag                              once;
    mutable std::map<std::string, std::vector<int32_t>> index;
};

using VocabularyPtr = std::shared_ptr<const Vocabulary>;

// A byte string as UTF-8, with U+FFFD for what is no whole character, as JavaScript's TextDecoder reads it.
std::string whole_text(std::string_view bytes);

} // namespace ggsl::c
