// The engine of grammars (native/grammar) for JavaScript; runtime/backends/native/automatonBinding.ts describes it.
#pragma once

#include "external_memory.h"
#include "grammar/grammar.h"
#include "objects.h"

namespace ggsl::addon {

class TokenTrieObject : public Napi::ObjectWrap<TokenTrieObject> {
public:
    static Napi::Function define(Napi::Env env);
    explicit TokenTrieObject(const Napi::CallbackInfo & info);
    ~TokenTrieObject() override { memory.release(Env()); }

    const std::shared_ptr<const grammar::Vocabulary> & get() const { return vocabulary; }

private:
    std::shared_ptr<const grammar::Vocabulary> vocabulary;
    ExternalMemory                             memory;
};

class AutomatonObject : public Napi::ObjectWrap<AutomatonObject> {
public:
    static Napi::Function define(Napi::Env env);
    // Of a trie and words; or for `open` alone.
    explicit AutomatonObject(const Napi::CallbackInfo & info);
    // openAutomaton(trie, words): Promise<Automaton>
    static Napi::Value open(const Napi::CallbackInfo & info);
    ~AutomatonObject() override { memory.release(Env()); }

private:
    Napi::Value begin(const Napi::CallbackInfo & info);
    Napi::Value bytes(const Napi::CallbackInfo & info);

    std::shared_ptr<grammar::Grammar> automaton;
    ExternalMemory                    memory;
};

// Work on another thread shares the position, and reads nothing of JavaScript's: its object may be collected meanwhile.
class PositionObject : public Napi::ObjectWrap<PositionObject> {
public:
    static Napi::Function define(Napi::Env env);
    // For `make` alone.
    explicit PositionObject(const Napi::CallbackInfo & info);
    static Napi::Value make(Napi::Env env, std::shared_ptr<const grammar::Position> position);
    // Throws Failure (INVALID_ARGUMENT) for anything that is not a position.
    static std::shared_ptr<const grammar::Position> from(const Napi::Value & value);

private:
    void        allowed(const Napi::CallbackInfo & info);
    Napi::Value allowed_quickly(const Napi::CallbackInfo & info);
    Napi::Value allowed_later(const Napi::CallbackInfo & info);
    Napi::Value after(const Napi::CallbackInfo & info);
    Napi::Value after_quickly(const Napi::CallbackInfo & info);
    Napi::Value after_later(const Napi::CallbackInfo & info);
    Napi::Value may_end(const Napi::CallbackInfo & info);
    Napi::Value marks(const Napi::CallbackInfo & info);
    // The words of `bits`.
    std::span<uint32_t> to_bits(const Napi::Value & value) const;

    std::shared_ptr<const grammar::Position> position;
};

} // namespace ggsl::addon
