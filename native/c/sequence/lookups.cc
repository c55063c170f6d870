#include "sequence/lookups.h"

#include "error.h"
#include "spec/show.h"

#include <algorithm>
#include <set>

namespace ggsl::c {

namespace {

[[noreturn]] void refuse_token(const std::string & where, int64_t token, int32_t vocab_size) {
    refuse(code::invalid_argument,
           where + std::to_string(token) + " is not a token of a vocabulary of " + std::to_string(vocab_size));
}

const Vocabulary & vocabulary_for(const Place & place, const std::string & what) {
    if (!place.vocabulary) {
        refuse(code::invalid_argument, what + " needs a vocabulary");
    }
    return *place.vocabulary;
}

// The tokens that a text has, for a message.
std::string parts_of(const std::string & text, const Vocabulary & vocabulary) {
    std::string parts;
    for (const int32_t token : vocabulary.tokenize(text)) {
        parts += (parts.empty() ? "" : ", ") + std::to_string(token) + " " +
                 show(std::string_view(whole_text(vocabulary.texts()[static_cast<size_t>(token)])));
    }
    return parts;
}

std::vector<int32_t> tokens_of_item(const TokenItem & item, const Place & place) {
    if (const auto * token = std::get_if<int32_t>(&item)) {
        if (*token >= place.vocab_size) {
            refuse_token("", *token, place.vocab_size);
        }
        return { *token };
    }
    if (const auto * of_class = std::get_if<TokenClass>(&item)) {
        const char * const what  = of_class->is_end ? "`tokens.end`" : "`tokens.control`";
        const auto *       found = vocabulary_for(place, what).tokens_of(of_class->is_end);
        if (found == nullptr) {
            refuse(code::invalid_argument, std::string(what) + " needs a model's vocabulary");
        }
        return *found;
    }
    const auto &       text = std::get<std::string>(item);
    const Vocabulary & vocabulary =
        vocabulary_for(place, "the text " + show(std::string_view(text)) + " in a set of tokens");
    const auto & found = vocabulary.with_text(text);
    if (found.empty()) {
        refuse(code::invalid_argument, show(std::string_view(text)) +
                                           " is not one token of the vocabulary: it is the tokens " +
                                           parts_of(text, vocabulary));
    }
    return found;
}

std::vector<int32_t> tokens_of_sequence(const TokenSequence & sequence, const Place & place) {
    if (!sequence.is_text()) {
        return sequence.tokens;
    }
    const std::string  what       = "`completes`: the text " + show(std::string_view(sequence.text));
    const Vocabulary & vocabulary = vocabulary_for(place, what);
    auto               tokens     = vocabulary.tokenize(sequence.text);
    if (tokens.empty()) {
        refuse(code::invalid_argument, what + " has no tokens");
    }
    return tokens;
}

Completions make_completions(const std::vector<TokenSequence> & sequences, const Place & place) {
    Completions found;
    for (const TokenSequence & sequence : sequences) {
        std::vector<int32_t> tokens = tokens_of_sequence(sequence, place);
        for (const int32_t token : tokens) {
            if (token >= place.vocab_size) {
                refuse_token("`completes`: ", token, place.vocab_size);
            }
        }
        const int32_t last = tokens.back();
        tokens.pop_back();
        found.longest = std::max(found.longest, tokens.size());
        if (tokens.empty()) {
            found.always.push_back(last);
        } else {
            const int32_t previous = tokens.back();
            found.after[previous].push_back({ std::move(tokens), last });
        }
    }
    return found;
}

Pattern make_pattern(const Ending & ending) {
    Pattern pattern{ ending.tokens, { 0 }, ending.is_text() };
    for (const char byte : ending.text) {
        pattern.symbols.push_back(static_cast<unsigned char>(byte));
    }
    const auto & symbols = pattern.symbols;
    for (size_t i = 1, length = 0; i < symbols.size(); ++i) {
        while (length > 0 && symbols[i] != symbols[length]) {
            length = pattern.suffixes[length - 1];
        }
        length += symbols[i] == symbols[length];
        pattern.suffixes.push_back(length);
    }
    return pattern;
}

Column make_mask(const std::vector<int32_t> & tokens, bool is_negated, int32_t vocab_size) {
    std::vector<float> mask(static_cast<size_t>(vocab_size), is_negated ? 1.0f : 0.0f);
    for (const int32_t token : tokens) {
        mask[static_cast<size_t>(token)] = is_negated ? 0.0f : 1.0f;
    }
    return { std::make_shared<const std::vector<float>>(std::move(mask)) };
}

} // namespace

std::vector<int32_t> tokens_of(const std::vector<TokenItem> & items, const Place & place) {
    std::set<int32_t> found;
    for (const TokenItem & item : items) {
        for (const int32_t token : tokens_of_item(item, place)) {
            if (token < place.vocab_size) {
                found.insert(token);
            }
        }
    }
    return { found.begin(), found.end() };
}

void check_capacity(const TokenSet & set, size_t count) {
    if (set.name && count > static_cast<size_t>(set.capacity)) {
        refuse(code::invalid_argument, "`" + *set.name + "` takes at most " + std::to_string(set.capacity) +
                                           " tokens, found " + std::to_string(count));
    }
}

Pairs Completions::completing(std::span<const int32_t> history) const {
    Pairs found;
    for (const int32_t token : always) {
        found[token] += 1;
    }
    const auto some = after.find(history.empty() ? -1 : history.back());
    if (some == after.end()) {
        return found;
    }
    for (const auto & [before, token] : some->second) {
        if (history.size() >= before.size() && std::equal(before.rbegin(), before.rend(), history.rbegin())) {
            found[token] += 1;
        }
    }
    return found;
}

Lookups::Lookups(const Spec & spec, Place given) : place(std::move(given)) {
    for (const TokenSet & set : spec.sets) {
        sets.push_back(tokens_of(set.of, place));
        check_capacity(set, sets.back().size());
    }
    for (const Feature & feature : spec.features) {
        completions.push_back(make_completions(feature.sequences, place));
        const bool has_texts = std::any_of(feature.breakers.begin(), feature.breakers.end(),
                                           [](const Breaker & b) { return std::holds_alternative<std::string>(b); });
        breakers.push_back(
            make_breakers(feature.breakers, has_texts ? &vocabulary_for(place, "a text breaker") : nullptr));
    }
    for (const Ending & ending : spec.endings) {
        if (ending.is_text()) {
            vocabulary_for(place, "an ending of the text");
        }
        patterns.push_back(make_pattern(ending));
    }
    for (const Write & write : spec.writes) {
        written.push_back(vocabulary_for(place, "a text that the chain writes").tokenize_special(write.text));
    }
    for (const SpecInput & input : spec.inputs) {
        if (spec.is_constant(input)) {
            const Feature & feature = spec.features[static_cast<size_t>(input.feature)];
            columns.push_back(make_mask(sets[static_cast<size_t>(feature.set)], feature.is_negated, place.vocab_size));
        }
    }
}

} // namespace ggsl::c
