#include "settings.h"

#include "arguments.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace ggsl::c {

namespace {

int32_t vocab_size_of(const Sequence & sequence) {
    return sequence.lookups().place.vocab_size;
}

const std::string & name_of(const Feature & feature) {
    static const std::string bias = "bias";
    return feature.name.empty() ? bias : feature.name;
}

// What an input's type allows.
void check_value(const Feature & feature, int64_t token, float value) {
    constexpr float most     = 16777216;
    const bool      is_right = feature.type == Feature::Type::boolean ? value == 0 || value == 1
                               : feature.type == Feature::Type::i32 ? std::floor(value) == value && std::fabs(value) <= most
                                                                    : !std::isnan(value);
    if (!is_right) {
        const char * const expected = feature.type == Feature::Type::boolean ? "0 or 1"
                                      : feature.type == Feature::Type::i32   ? "an integer from -16777216 to 16777216"
                                                                             : "a number";
        refuse(code::invalid_argument, "`" + name_of(feature) + "` is " + show(static_cast<double>(value)) +
                                           " for token " + std::to_string(token) + ": expected " + expected);
    }
}

Pairs pairs_of(const Sequence & sequence, const Feature & feature, const int32_t * tokens, const float * values,
               size_t count) {
    const auto ids     = span_of(tokens, count, "tokens");
    const auto numbers = span_of(values, count, "values");
    check_tokens(ids, vocab_size_of(sequence));
    const auto most = static_cast<size_t>(bind_dim(feature.capacity, vocab_size_of(sequence)));
    if (count > most) {
        refuse(code::invalid_argument, "`" + name_of(feature) + "` takes at most " + std::to_string(most) +
                                           " tokens, found " + std::to_string(count));
    }
    Pairs pairs;
    for (size_t i = 0; i < count; ++i) {
        check_value(feature, ids[i], numbers[i]);
        if (pairs.has(ids[i])) {
            refuse(code::invalid_argument, "token " + std::to_string(ids[i]) + " is given twice");
        }
        pairs[ids[i]] = static_cast<double>(numbers[i]);
    }
    return pairs;
}

// Sets `values` of all features that have the name; `is_one` tells which features can.
template <typename IsOne, typename Set> void
set_features(const Spec & spec, const char * name, const std::string & what, const IsOne & is_one, const Set & set) {
    const auto name_in = [&](const Feature & feature) {
        return !is_one(feature) ? "" : feature.in.kind == TextSource::Kind::input ? feature.in.name : feature.name;
    };
    find_by_name(spec.features, name, what, name_in);
    for (size_t i = 0; i < spec.features.size(); ++i) {
        if (name_in(spec.features[i]) == name) {
            set(spec.features[i], i);
        }
    }
}

} // namespace

void check_tokens(std::span<const int32_t> tokens, int32_t vocab_size) {
    for (const int32_t token : tokens) {
        if (token < 0 || token >= vocab_size) {
            refuse(code::invalid_argument,
                   std::to_string(token) + " is not a token of a vocabulary of " + std::to_string(vocab_size));
        }
    }
}

size_t param_index(const Spec & spec, const char * name) {
    return find_by_name(spec.params, name, "parameter", [](const Param & param) { return param.name; });
}

size_t param_that_takes(const Spec & spec, const char * name, double value) {
    const size_t      index    = param_index(spec, name);
    const std::string expected = spec.params[index].expected(value);
    if (!expected.empty()) {
        refuse(code::invalid_argument,
               "`" + spec.params[index].name + "` must be " + expected + ", found " + show(value));
    }
    return index;
}

void set_tokens(Sequence & sequence, const char * set, const int32_t * tokens, size_t count) {
    const auto   given = span_of(tokens, count, "tokens");
    const size_t index = find_by_name(sequence.spec().sets, set, "set of tokens",
                                      [](const TokenSet & each) { return each.name.value_or(""); });
    check_tokens(given, vocab_size_of(sequence));
    std::vector<int32_t> members(given.begin(), given.end());
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    sequence.set_tokens(index, std::move(members));
}

void set_grammar(Sequence & sequence, const char * grammar, const char * gbnf, size_t length) {
    const auto   text = span_of(gbnf, length, "gbnf");
    const size_t index =
        find_by_name(sequence.spec().grammars, grammar, "grammar", [](const GrammarParam & each) { return each.name; });
    sequence.set_grammar(index, { text.data(), text.size() });
}

void set_input(Sequence & sequence, const char * input, const float * values, size_t count) {
    const auto numbers = span_of(values, count, "values");
    const auto is_one  = [](const Feature & feature) {
        return feature.from == Feature::From::guide ||
               (feature.from == Feature::From::input && feature.form == Feature::Form::dense);
    };
    set_features(sequence.spec(), input, "dense input", is_one, [&](const Feature & feature, size_t index) {
        const auto size = static_cast<size_t>(vocab_size_of(sequence));
        if (count != size) {
            refuse(code::invalid_argument, "the input `" + feature.name + "` must have " + std::to_string(size) +
                                               " numbers, one for each token, found " + std::to_string(count));
        }
        std::vector<float> kept;
        for (size_t token = 0; token < size; ++token) {
            check_value(feature, static_cast<int64_t>(token), numbers[token]);
            if (feature.from == Feature::From::guide && numbers[token] == INFINITY) {
                refuse(code::invalid_argument, "the input `" + feature.name + "` is +inf for token " +
                                                   std::to_string(token) + ": logits are finite or -inf");
            }
            kept.push_back(std::clamp(numbers[token], -FLT_MAX, FLT_MAX));
        }
        sequence.given.dense[index] = std::move(kept);
    });
}

void set_pairs(Sequence & sequence, const char * input, const int32_t * tokens, const float * values, size_t count) {
    const auto is_one = [](const Feature & feature) {
        return feature.from == Feature::From::input && feature.form == Feature::Form::sparse;
    };
    set_features(sequence.spec(), input, "sparse input", is_one, [&](const Feature & feature, size_t index) {
        sequence.given.pairs[index] = pairs_of(sequence, feature, tokens, values, count);
    });
}

void set_text(Sequence & sequence, const char * text, const int32_t * tokens, size_t count) {
    const auto given  = span_of(tokens, count, "tokens");
    const auto is_one = [](const Feature & feature) { return feature.in.kind == TextSource::Kind::input; };
    set_features(sequence.spec(), text, "text", is_one, [&](const Feature & feature, size_t index) {
        check_tokens(given, vocab_size_of(sequence));
        if (count > static_cast<size_t>(feature.in.capacity)) {
            refuse(code::invalid_argument, "the input `" + feature.in.name + "` takes at most " +
                                               std::to_string(feature.in.capacity) + " tokens, found " +
                                               std::to_string(count));
        }
        sequence.given.texts[index] = std::vector<int32_t>(given.begin(), given.end());
    });
}

void set_bias(Sequence & sequence, const int32_t * tokens, const float * values, size_t count) {
    const auto & features = sequence.spec().features;
    const auto   found    = std::find_if(features.begin(), features.end(),
                                         [](const Feature & feature) { return feature.from == Feature::From::bias; });
    if (found == features.end()) {
        refuse(code::invalid_argument,
               "the chain `" + sequence.spec().name + "` reads no logit biases: add the stage `logit_bias()` to it");
    }
    sequence.given.bias = pairs_of(sequence, *found, tokens, values, count);
}

} // namespace ggsl::c
