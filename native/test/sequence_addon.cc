// Test only: the C library's reader of specs and its sequences, without a model, to be compared with those in TypeScript.
#include "llama/grammar_rules.h"
#include "llama/grammar_table.h"
#include "c/error.h"
#include "c/sequence/sequence.h"
#include "loop/followed.h"
#include "output_addon.h"

#include <napi.h>

#include <algorithm>

namespace {

using namespace ggsl;
using namespace ggsl::c;

template <typename Work> auto translated(Napi::Env env, Work work) -> decltype(work()) {
    try {
        return work();
    } catch (const Failure & failure) {
        Napi::Error error = Napi::Error::New(env, failure.what());
        error.Set("code", failure.code);
        throw error;
    }
}

std::string latin1_bytes(const Napi::Value & value) {
    std::string bytes;
    for (const char16_t unit : value.As<Napi::String>().Utf16Value()) {
        bytes += static_cast<char>(unit);
    }
    return bytes;
}

template <typename Array, typename T> std::vector<T> vector_of(const Napi::Value & value) {
    const auto array = value.As<Array>();
    return { array.Data(), array.Data() + array.ElementLength() };
}

std::vector<int32_t> ints(const Napi::Value & value) {
    return vector_of<Napi::Int32Array, int32_t>(value);
}
std::vector<float> floats(const Napi::Value & value) {
    return vector_of<Napi::Float32Array, float>(value);
}

template <typename Array, typename T> Napi::Value array_of(Napi::Env env, const std::vector<T> & values) {
    auto array = Array::New(env, values.size());
    std::copy(values.begin(), values.end(), array.Data());
    return array;
}

// Tokens from a list of texts: at each place the longest that fits, the first one with its text.
class ListVocabulary : public Vocabulary {
public:
    ListVocabulary(std::vector<std::string> texts, std::vector<int32_t> control, std::vector<int32_t> end)
        : list(std::move(texts)), control(std::move(control)), end(std::move(end)) {}

    int32_t                          size() const override { return static_cast<int32_t>(list.size()); }
    const std::vector<std::string> & pieces() const override { return list; }
    const std::vector<std::string> & texts() const override { return list; }
    const std::vector<int32_t> *     tokens_of(bool is_end) const override { return is_end ? &end : &control; }

    std::vector<int32_t> tokenize(std::string_view bytes) const override {
        std::vector<int32_t> tokens;
        while (!bytes.empty()) {
            size_t best = list.size();
            for (size_t i = 0; i < list.size(); ++i) {
                const bool fits = !list[i].empty() && bytes.substr(0, list[i].size()) == list[i];
                if (fits && (best == list.size() || list[i].size() > list[best].size())) {
                    best = i;
                }
            }
            if (best == list.size()) {
                refuse(c::code::invalid_argument, "no token begins the text");
            }
            tokens.push_back(static_cast<int32_t>(best));
            bytes.remove_prefix(list[best].size());
        }
        return tokens;
    }

private:
    std::vector<std::string> list;
    std::vector<int32_t>     control, end;
};

// As grammars read it: control tokens and ends have no text.
std::shared_ptr<const grammar::Vocabulary> letters_of(const ListVocabulary & vocabulary) {
    std::vector<uint8_t>  bytes;
    std::vector<uint32_t> offsets{ 0 }, ends;
    const auto            has = [&](bool is_end, int32_t token) {
        const auto & tokens = *vocabulary.tokens_of(is_end);
        return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
    };
    for (int32_t token = 0; token < vocabulary.size(); ++token) {
        const std::string & text = vocabulary.texts()[static_cast<size_t>(token)];
        if (!has(false, token) && !has(true, token)) {
            bytes.insert(bytes.end(), text.begin(), text.end());
        }
        if (has(true, token)) {
            ends.push_back(static_cast<uint32_t>(token));
        }
        offsets.push_back(static_cast<uint32_t>(bytes.size()));
    }
    return std::make_shared<const grammar::Vocabulary>(bytes, offsets, ends);
}

class SequenceObject : public Napi::ObjectWrap<SequenceObject> {
public:
    static Napi::Function define(Napi::Env env) {
        return DefineClass(env, "CSequence",
                           {
                               InstanceMethod<&SequenceObject::set>("set"),
                               InstanceMethod<&SequenceObject::set_tokens>("setTokens"),
                               InstanceMethod<&SequenceObject::give>("give"),
                               InstanceMethod<&SequenceObject::accept_prompt>("acceptPrompt"),
                               InstanceMethod<&SequenceObject::accept>("accept"),
                               InstanceMethod<&SequenceObject::uniforms>("uniforms"),
                               InstanceMethod<&SequenceObject::inputs>("inputs"),
                               InstanceMethod<&SequenceObject::columns>("columns"),
                               InstanceMethod<&SequenceObject::states>("states"),
                               InstanceMethod<&SequenceObject::written>("written"),
                           });
    }

    // (spec, texts of the tokens, control tokens, end tokens)
    explicit SequenceObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<SequenceObject>(info) {
        translated(info.Env(), [&] {
            const std::string        text = info[0].As<Napi::String>();
            const auto               list = info[1].As<Napi::Array>();
            std::vector<std::string> texts;
            for (uint32_t i = 0; i < list.Length(); ++i) {
                texts.push_back(latin1_bytes(list.Get(i)));
            }
            const auto size = static_cast<int32_t>(texts.size());
            auto vocabulary = std::make_shared<const ListVocabulary>(std::move(texts), ints(info[2]), ints(info[3]));
            const auto spec = std::make_shared<const Spec>(read_spec(text.data(), text.size()));
            Place      place{ size, vocabulary };
            place.open_grammar = [letters = letters_of(*vocabulary)](const std::string &              gbnf,
                                                                     const std::vector<std::string> & rules) {
                const auto table = table_of(parse_grammar(nullptr, gbnf, "root"), rules);
                return std::make_shared<const loop::Followed>(
                    std::make_shared<const grammar::Position>(std::make_shared<grammar::Grammar>(table, letters)),
                    loop::Patience::patient);
            };
            sequence.emplace(spec, std::make_shared<const Lookups>(*spec, std::move(place)));
        });
    }

private:
    template <typename List> size_t find(const List & list, const Napi::Value & given) const {
        const std::string name = given.As<Napi::String>();
        const auto        found =
            std::find_if(list.begin(), list.end(), [&](const auto & entry) { return entry.name == name; });
        return static_cast<size_t>(found - list.begin());
    }

    void set(const Napi::CallbackInfo & info) {
        sequence->set_param(find(sequence->spec().params, info[0]), info[1].As<Napi::Number>());
    }

    // (name, list of ids and texts)
    void set_tokens(const Napi::CallbackInfo & info) {
        translated(info.Env(), [&] {
            const auto             list = info[1].As<Napi::Array>();
            std::vector<TokenItem> items;
            for (uint32_t i = 0; i < list.Length(); ++i) {
                const Napi::Value item = list.Get(i);
                if (item.IsNumber()) {
                    items.emplace_back(item.As<Napi::Number>().Int32Value());
                } else {
                    items.emplace_back(item.As<Napi::String>().Utf8Value());
                }
            }
            sequence->set_tokens(find(sequence->spec().sets, info[0]), tokens_of(items, sequence->lookups().place));
        });
    }

    // (name, numbers) or (name, ids, numbers); the name "bias" is that of the biases
    void give(const Napi::CallbackInfo & info) {
        const std::string name = info[0].As<Napi::String>();
        Pairs             pairs;
        if (info.Length() > 2) {
            const auto ids     = ints(info[1]);
            const auto numbers = floats(info[2]);
            for (size_t i = 0; i < ids.size(); ++i) {
                pairs[ids[i]] = static_cast<double>(numbers[i]);
            }
        }
        if (name == "bias") {
            sequence->given.bias = std::move(pairs);
            return;
        }
        const auto & features = sequence->spec().features;
        for (size_t i = 0; i < features.size(); ++i) {
            if (features[i].name == name && info.Length() > 2) {
                sequence->given.pairs[i] = pairs;
            } else if (features[i].name == name) {
                sequence->given.dense[i] = floats(info[1]);
            }
        }
    }

    void accept_prompt(const Napi::CallbackInfo & info) {
        translated(info.Env(), [&] { sequence->accept_prompt(ints(info[0])); });
    }

    void accept(const Napi::CallbackInfo & info) {
        translated(info.Env(), [&] { sequence->accept(info[0].As<Napi::Number>().Int32Value(), floats(info[1])); });
    }

    Napi::Value uniforms(const Napi::CallbackInfo & info) {
        return translated(info.Env(), [&] { return array_of<Napi::Float32Array>(info.Env(), sequence->uniforms()); });
    }

    // The token that comes next in place of the pick, or undefined.
    Napi::Value written(const Napi::CallbackInfo & info) {
        const auto token = sequence->written();
        return token ? Napi::Value(Napi::Number::New(info.Env(), *token)) : info.Env().Undefined();
    }

    Napi::Value inputs(const Napi::CallbackInfo & info) {
        return translated(info.Env(), [&] {
            auto     list = Napi::Array::New(info.Env());
            uint32_t i    = 0;
            for (const Fed & fed : sequence->inputs()) {
                const auto * numbers = std::get_if<std::vector<float>>(&fed);
                list.Set(i++, numbers != nullptr
                                  ? array_of<Napi::Float32Array>(info.Env(), *numbers)
                                  : array_of<Napi::Int32Array>(info.Env(), std::get<std::vector<int32_t>>(fed)));
            }
            return list;
        });
    }

    Napi::Value columns(const Napi::CallbackInfo & info) {
        auto     list = Napi::Array::New(info.Env());
        uint32_t i    = 0;
        for (const Column & column : sequence->lookups().columns) {
            list.Set(i++, array_of<Napi::Float32Array>(info.Env(), *column.values));
        }
        return list;
    }

    Napi::Value states(const Napi::CallbackInfo & info) {
        return array_of<Napi::Float32Array>(info.Env(), sequence->states());
    }

    std::optional<Sequence> sequence;
};

// Why a spec is refused: its code, a blank and the message; undefined for a valid one.
Napi::Value spec_fault(const Napi::CallbackInfo & info) {
    const std::string text = info[0].As<Napi::String>();
    try {
        read_spec(text.data(), text.size());
        return info.Env().Undefined();
    } catch (const Failure & failure) {
        return Napi::String::New(info.Env(), std::string(failure.code) + " " + failure.what());
    }
}

Napi::Object start(Napi::Env env, Napi::Object exports) {
    exports.Set("CSequence", SequenceObject::define(env));
    exports.Set("specFault", Napi::Function::New(env, spec_fault));
    add_output(env, exports);
    return exports;
}

NODE_API_MODULE(ggsl_sequence, start)

} // namespace
