// What the calling program gives to a sequence besides tokens.
#pragma once

#include "sequence/pairs.h"
#include "sequence/vocabulary.h"
#include "spec/spec.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace ggsl::c {

// The bits of `count` tokens as words of the graph, 16 in each.
std::vector<int32_t> words_of(std::span<const uint32_t> bits, size_t count);

// A grammar and the text that it has read. Immutable.
class GrammarPosition {
public:
    virtual ~GrammarPosition() = default;

    // A bit for each token that can come next, 16 in a word. Throws Failure (LIMIT_EXCEEDED).
    virtual std::vector<int32_t> words() const = 0;
    // Null if the token cannot come next. Throws Failure (LIMIT_EXCEEDED).
    virtual std::shared_ptr<const GrammarPosition> accept(int32_t token) const = 0;
    // A bit for each rule that was asked about: whether the next byte may be one of it.
    virtual uint32_t marks() const = 0;
};

using GrammarPtr = std::shared_ptr<const GrammarPosition>;

// Where a sequence's texts are looked up.
struct Place {
    int32_t       vocab_size = 0;
    VocabularyPtr vocabulary = nullptr; // null: only ids can be used
    // Opens a grammar in GBNF, and names the rules that are asked about. Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    std::function<GrammarPtr(const std::string &, const std::vector<std::string> &)> open_grammar = nullptr;
};

// The values of inputs, by the number of the feature that has them.
struct Given {
    std::optional<Pairs>                             bias;
    std::vector<std::optional<std::vector<float>>>   dense;
    std::vector<std::optional<Pairs>>                pairs;
    std::vector<std::optional<std::vector<int32_t>>> texts;
};

} // namespace ggsl::c
