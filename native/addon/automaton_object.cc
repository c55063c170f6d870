#include "automaton_object.h"

#include "convert.h"

namespace ggsl::addon {

namespace {

std::span<const uint32_t> to_words(const Napi::Value & value, const char * what) {
    if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint32_array) {
        fail(code::invalid_argument, "%s: expected a Uint32Array", what);
    }
    const auto array = value.As<Napi::Uint32Array>();
    return { array.Data(), array.ElementLength() };
}

} // namespace

Napi::Function TokenTrieObject::define(Napi::Env env) {
    return DefineClass(env, "TokenTrie", {});
}

TokenTrieObject::TokenTrieObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<TokenTrieObject>(info) {
    guarded(info.Env(), [&] {
        const auto bytes   = to_span<uint8_t>(info[0], "bytes");
        const auto offsets = to_words(info[1], "offsets");
        vocabulary         = std::make_shared<grammar::Vocabulary>(bytes, offsets, to_words(info[2], "ends"));
        memory.keep(info.Env(), vocabulary->bytes_used());
    });
}

Napi::Function AutomatonObject::define(Napi::Env env) {
    return DefineClass(env, "Automaton", { InstanceMethod<&AutomatonObject::begin>("begin") });
}

AutomatonObject::AutomatonObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<AutomatonObject>(info) {
    guarded(info.Env(), [&] {
        const Napi::Value trie  = info[0];
        const auto &      tries = info.Env().GetInstanceData<Constructors>()->trie.Value();
        if (!trie.IsObject() || !trie.As<Napi::Object>().InstanceOf(tries)) {
            fail(code::invalid_argument, "trie: expected a TokenTrie");
        }
        automaton = std::make_shared<grammar::Grammar>(to_words(info[1], "words"),
                                                       TokenTrieObject::Unwrap(trie.As<Napi::Object>())->get());
        memory.keep(info.Env(), automaton->bytes_used());
    });
}

Napi::Value AutomatonObject::begin(const Napi::CallbackInfo & info) {
    return guarded(info.Env(),
                   [&] { return PositionObject::make(info.Env(), std::make_unique<grammar::Position>(automaton)); });
}

Napi::Function PositionObject::define(Napi::Env env) {
    return DefineClass(env, "Position",
                       {
                           InstanceMethod<&PositionObject::allowed>("allowed"),
                           InstanceMethod<&PositionObject::after>("after"),
                           InstanceAccessor<&PositionObject::may_end>("mayEnd"),
                       });
}

Napi::Value PositionObject::make(Napi::Env env, std::unique_ptr<grammar::Position> position) {
    const auto & constructor = env.GetInstanceData<Constructors>()->position;
    return constructor.New({ Napi::External<std::unique_ptr<grammar::Position>>::New(env, &position) });
}

PositionObject::PositionObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<PositionObject>(info) {
    if (!info[0].IsExternal()) {
        throw to_error(info.Env(), code::invalid_argument,
                       "a position comes from an automaton, or from another position");
    }
    position = std::move(*info[0].As<Napi::External<std::unique_ptr<grammar::Position>>>().Data());
}

void PositionObject::allowed(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] {
        const auto words = to_words(info[0], "bits");
        if (words.size() != position->vocabulary().words()) {
            fail(code::invalid_argument, "bits: expected %zu words, found %zu", position->vocabulary().words(),
                 words.size());
        }
        auto array = info[0].As<Napi::Uint32Array>();
        position->allowed({ array.Data(), array.ElementLength() });
    });
}

Napi::Value PositionObject::after(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        const int32_t token = to_int(info[0], "token");
        auto          next  = position->after(static_cast<uint32_t>(token));
        return next ? make(info.Env(), std::move(next)) : info.Env().Undefined();
    });
}

Napi::Value PositionObject::may_end(const Napi::CallbackInfo & info) {
    return Napi::Boolean::New(info.Env(), position->may_end());
}

} // namespace ggsl::addon
