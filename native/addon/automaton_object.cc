#include "automaton_object.h"

#include "promise.h"

namespace ggsl::addon {

namespace {

std::shared_ptr<const grammar::Vocabulary> to_vocabulary(const Napi::Value & trie) {
    const auto & tries = trie.Env().GetInstanceData<Constructors>()->trie.Value();
    if (!trie.IsObject() || !trie.As<Napi::Object>().InstanceOf(tries)) {
        fail(code::invalid_argument, "trie: expected a TokenTrie");
    }
    return TokenTrieObject::Unwrap(trie.As<Napi::Object>())->get();
}

using SharedGrammar  = std::shared_ptr<grammar::Grammar>;
using SharedPosition = std::shared_ptr<const grammar::Position>;

} // namespace

Napi::Function TokenTrieObject::define(Napi::Env env) {
    return DefineClass(env, "TokenTrie", {});
}

TokenTrieObject::TokenTrieObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<TokenTrieObject>(info) {
    guarded(info.Env(), [&] {
        const auto bytes   = to_span<uint8_t>(info[0], "bytes");
        const auto offsets = to_span<uint32_t>(info[1], "offsets");
        vocabulary         = std::make_shared<grammar::Vocabulary>(bytes, offsets, to_span<uint32_t>(info[2], "ends"));
        memory.keep(info.Env(), vocabulary->bytes_used());
    });
}

Napi::Function AutomatonObject::define(Napi::Env env) {
    return DefineClass(env, "Automaton",
                       {
                           InstanceMethod<&AutomatonObject::begin>("begin"),
                           InstanceAccessor<&AutomatonObject::bytes>("bytes"),
                       });
}

AutomatonObject::AutomatonObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<AutomatonObject>(info) {
    guarded(info.Env(), [&] {
        if (info[0].IsExternal()) {
            automaton = std::move(*info[0].As<Napi::External<SharedGrammar>>().Data());
        } else {
            const auto vocabulary = to_vocabulary(info[0]);
            automaton             = std::make_shared<grammar::Grammar>(to_span<uint32_t>(info[1], "words"), vocabulary);
        }
        memory.keep(info.Env(), automaton->bytes_used());
    });
}

Napi::Value AutomatonObject::open(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value {
        const auto vocabulary = to_vocabulary(info[0]);
        const auto words      = to_span<uint32_t>(info[1], "words");
        return Job::start<SharedGrammar>(
            info.Env(),
            [vocabulary, table = std::vector<uint32_t>(words.begin(), words.end())] {
                return std::make_shared<grammar::Grammar>(table, vocabulary);
            },
            [](Napi::Env env, SharedGrammar && opened) -> Napi::Value {
                const auto & constructor = env.GetInstanceData<Constructors>()->automaton;
                return constructor.New({ Napi::External<SharedGrammar>::New(env, &opened) });
            });
    });
}

Napi::Value AutomatonObject::begin(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        memory.keep(info.Env(), automaton->bytes_used());
        return PositionObject::make(info.Env(), std::make_shared<const grammar::Position>(automaton));
    });
}

Napi::Value AutomatonObject::bytes(const Napi::CallbackInfo & info) {
    return Napi::Number::New(info.Env(), static_cast<double>(automaton->bytes_used()));
}

Napi::Function PositionObject::define(Napi::Env env) {
    return DefineClass(env, "Position",
                       {
                           InstanceMethod<&PositionObject::allowed>("allowed"),
                           InstanceMethod<&PositionObject::allowed_quickly>("allowedQuickly"),
                           InstanceMethod<&PositionObject::allowed_later>("allowedLater"),
                           InstanceMethod<&PositionObject::after>("after"),
                           InstanceMethod<&PositionObject::after_quickly>("afterQuickly"),
                           InstanceMethod<&PositionObject::after_later>("afterLater"),
                           InstanceAccessor<&PositionObject::may_end>("mayEnd"),
                           InstanceAccessor<&PositionObject::marks>("marks"),
                       });
}

Napi::Value PositionObject::make(Napi::Env env, SharedPosition position) {
    if (!position) {
        return env.Undefined();
    }
    const auto & constructor = env.GetInstanceData<Constructors>()->position;
    return constructor.New({ Napi::External<SharedPosition>::New(env, &position) });
}

std::shared_ptr<const grammar::Position> PositionObject::from(const Napi::Value & value) {
    const auto & positions = value.Env().GetInstanceData<Constructors>()->position.Value();
    if (!value.IsObject() || !value.As<Napi::Object>().InstanceOf(positions)) {
        fail(code::invalid_argument, "position: expected a position of an automaton");
    }
    return Unwrap(value.As<Napi::Object>())->position;
}

PositionObject::PositionObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<PositionObject>(info) {
    if (!info[0].IsExternal()) {
        throw to_error(info.Env(), code::invalid_argument,
                       "a position comes from an automaton, or from another position");
    }
    position = std::move(*info[0].As<Napi::External<SharedPosition>>().Data());
}

std::span<uint32_t> PositionObject::to_bits(const Napi::Value & value) const {
    const auto words = to_span<uint32_t>(value, "bits");
    if (words.size() != position->vocabulary().words()) {
        fail(code::invalid_argument, "bits: expected %zu words, found %zu", position->vocabulary().words(),
             words.size());
    }
    return { value.As<Napi::Uint32Array>().Data(), words.size() };
}

void PositionObject::allowed(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { position->allowed(to_bits(info[0])); });
}

Napi::Value PositionObject::allowed_quickly(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value {
        return Napi::Boolean::New(info.Env(), position->allowed_quickly(to_bits(info[0])));
    });
}

Napi::Value PositionObject::allowed_later(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value {
        using Bits = std::vector<uint32_t>;
        return Job::start<Bits>(
            info.Env(),
            [from = position] {
                Bits bits(from->vocabulary().words());
                from->allowed(bits);
                return bits;
            },
            [](Napi::Env env, Bits && bits) -> Napi::Value { return from_vector(env, bits); });
    });
}

Napi::Value PositionObject::after(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        const int32_t token = to_int(info[0], "token");
        return make(info.Env(), position->after(static_cast<uint32_t>(token)));
    });
}

Napi::Value PositionObject::after_quickly(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        const int32_t token = to_int(info[0], "token");
        auto          next  = position->after_quickly(static_cast<uint32_t>(token));
        return next ? make(info.Env(), std::move(*next)) : info.Env().Null();
    });
}

Napi::Value PositionObject::after_later(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value {
        const auto token = static_cast<uint32_t>(to_int(info[0], "token"));
        return Job::start<SharedPosition>(
            info.Env(), [from = position, token]() -> SharedPosition { return from->after(token); },
            [](Napi::Env env, SharedPosition && next) { return make(env, std::move(next)); });
    });
}

Napi::Value PositionObject::marks(const Napi::CallbackInfo & info) {
    return Napi::Number::New(info.Env(), position->marks());
}

Napi::Value PositionObject::may_end(const Napi::CallbackInfo & info) {
    return Napi::Boolean::New(info.Env(), position->may_end());
}

} // namespace ggsl::addon
