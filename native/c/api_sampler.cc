// ggsl.h: samplers, and what is set.
#include "arguments.h"
#include "sampler/chain_sampler.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

using namespace ggsl::c;

namespace {

size_t param_index(const ChainSampler & sampler, const char * name) {
    return find_by_name(sampler.spec().params, name, "parameter", [](const Param & param) { return param.name; });
}

// Throws Failure (INVALID_ARGUMENT) unless all are tokens of the model.
void check_tokens(const ChainSampler & sampler, std::span<const int32_t> tokens) {
    sampler.check_tokens(tokens);
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
        refuse(code::invalid_argument, "`" + (feature.name.empty() ? "bias" : feature.name) + "` is " +
                                           show(static_cast<double>(value)) + " for token " + std::to_string(token) +
                                           ": expected " + expected);
    }
}

Pairs pairs_of(const ChainSampler & sampler, const Feature & feature, const int32_t * tokens, const float * values,
               size_t count) {
    const auto ids     = span_of(tokens, count, "tokens");
    const auto numbers = span_of(values, count, "values");
    check_tokens(sampler, ids);
    const auto most = static_cast<size_t>(bind_dim(feature.capacity, sampler.prepared().model->vocab_size()));
    if (count > most) {
        refuse(code::invalid_argument, "`" + (feature.name.empty() ? "bias" : feature.name) + "` takes at most " +
                                           std::to_string(most) + " tokens, found " + std::to_string(count));
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
template <typename IsOne, typename Set> void set_features(ChainSampler & sampler, const char * name,
                                                          const std::string & what, const IsOne & is_one,
                                                          const Set & set) {
    const auto & features = sampler.spec().features;
    const auto   name_of  = [&](const Feature & feature) {
        return !is_one(feature) ? "" : feature.in.kind == TextSource::Kind::input ? feature.in.name : feature.name;
    };
    find_by_name(features, name, what, name_of);
    for (size_t i = 0; i < features.size(); ++i) {
        if (name_of(features[i]) == name) {
            set(features[i], i);
        }
    }
}

} // namespace

llama_sampler * ggsl_sampler_init(const ggsl_chain * chain, const llama_model * model) {
    return guarded<llama_sampler *>(nullptr, [&] {
        check_pointer(chain, "chain");
        check_pointer(model, "model");
        if (llama_vocab_type(llama_model_get_vocab(model)) == LLAMA_VOCAB_TYPE_NONE) {
            refuse(code::invalid_argument, "the model has no vocabulary");
        }
        // it is only read, though llama.cpp's functions take pointers that are not const
        return to_llama(std::make_unique<ChainSampler>(chain->prepared(const_cast<llama_model *>(model))));
    });
}

bool ggsl_sampler_set(llama_sampler * sampler, const char * param, double value) {
    return guarded(false, [&] {
        ChainSampler &    own      = sampler_of(sampler);
        const size_t      index    = param_index(own, param);
        const std::string expected = own.spec().params[index].expected(value);
        if (!expected.empty()) {
            refuse(code::invalid_argument,
                   "`" + own.spec().params[index].name + "` must be " + expected + ", found " + show(value));
        }
        own.set_param(index, value);
        return true;
    });
}

bool ggsl_sampler_get(const llama_sampler * sampler, const char * param, double * value) {
    return guarded(false, [&] {
        const ChainSampler & own = sampler_of(sampler);
        check_pointer(value, "value");
        *value = own.sequence.param(param_index(own, param));
        return true;
    });
}

bool ggsl_sampler_set_tokens(llama_sampler * sampler, const char * set, const int32_t * tokens, size_t count) {
    return guarded(false, [&] {
        ChainSampler & own   = sampler_of(sampler);
        const auto     given = span_of(tokens, count, "tokens");
        const size_t   index = find_by_name(own.spec().sets, set, "set of tokens",
                                            [](const TokenSet & each) { return each.name.value_or(""); });
        check_tokens(own, given);
        std::vector<int32_t> members(given.begin(), given.end());
        std::sort(members.begin(), members.end());
        members.erase(std::unique(members.begin(), members.end()), members.end());
        own.sequence.set_tokens(index, std::move(members));
        return true;
    });
}

bool ggsl_sampler_set_grammar(llama_sampler * sampler, const char * grammar, const char * gbnf, size_t length) {
    return guarded(false, [&] {
        ChainSampler & own  = sampler_of(sampler);
        const auto     text = span_of(gbnf, length, "gbnf");
        const size_t   index =
            find_by_name(own.spec().grammars, grammar, "grammar", [](const GrammarParam & each) { return each.name; });
        own.sequence.set_grammar(index, { text.data(), text.size() });
        return true;
    });
}

bool ggsl_sampler_set_input(llama_sampler * sampler, const char * input, const float * values, size_t count) {
    return guarded(false, [&] {
        ChainSampler & own     = sampler_of(sampler);
        const auto     numbers = span_of(values, count, "values");
        const auto     is_one  = [](const Feature & feature) {
            return feature.from == Feature::From::guide ||
                   (feature.from == Feature::From::input && feature.form == Feature::Form::dense);
        };
        set_features(own, input, "dense input", is_one, [&](const Feature & feature, size_t index) {
            const auto size = static_cast<size_t>(own.prepared().model->vocab_size());
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
            own.sequence.given.dense[index] = std::move(kept);
        });
        return true;
    });
}

bool ggsl_sampler_set_pairs(llama_sampler * sampler, const char * input, const int32_t * tokens, const float * values,
                            size_t count) {
    return guarded(false, [&] {
        ChainSampler & own    = sampler_of(sampler);
        const auto     is_one = [](const Feature & feature) {
            return feature.from == Feature::From::input && feature.form == Feature::Form::sparse;
        };
        set_features(own, input, "sparse input", is_one, [&](const Feature & feature, size_t index) {
            own.sequence.given.pairs[index] = pairs_of(own, feature, tokens, values, count);
        });
        return true;
    });
}

bool ggsl_sampler_set_text(llama_sampler * sampler, const char * text, const int32_t * tokens, size_t count) {
    return guarded(false, [&] {
        ChainSampler & own    = sampler_of(sampler);
        const auto     given  = span_of(tokens, count, "tokens");
        const auto     is_one = [](const Feature & feature) { return feature.in.kind == TextSource::Kind::input; };
        set_features(own, text, "text", is_one, [&](const Feature & feature, size_t index) {
            check_tokens(own, given);
            if (count > static_cast<size_t>(feature.in.capacity)) {
                refuse(code::invalid_argument, "the input `" + feature.in.name + "` takes at most " +
                                                   std::to_string(feature.in.capacity) + " tokens, found " +
                                                   std::to_string(count));
            }
            own.sequence.given.texts[index] = std::vector<int32_t>(given.begin(), given.end());
        });
        return true;
    });
}

bool ggsl_sampler_set_bias(llama_sampler * sampler, const int32_t * tokens, const float * values, size_t count) {
    return guarded(false, [&] {
        ChainSampler & own      = sampler_of(sampler);
        const auto &   features = own.spec().features;
        const auto     found    = std::find_if(features.begin(), features.end(),
                                               [](const Feature & feature) { return feature.from == Feature::From::bias; });
        if (found == features.end()) {
            refuse(code::invalid_argument,
                   "the chain `" + own.spec().name + "` reads no logit biases: add the stage `logit_bias()` to it");
        }
        own.sequence.given.bias = pairs_of(own, *found, tokens, values, count);
        return true;
    });
}
