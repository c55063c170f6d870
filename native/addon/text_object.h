// Texts that a context writes on by itself (native/loop) for JavaScript; runtime/backends/native/textBinding.ts describes them.
#pragma once

#include "loop/text.h"
#include "objects.h"

namespace ggsl::addon {

class ChainObject : public Napi::ObjectWrap<ChainObject> {
public:
    static Napi::Function define(Napi::Env env);
    explicit ChainObject(const Napi::CallbackInfo & info);

    // Throws Failure (INVALID_ARGUMENT) for anything that is not a chain.
    static const ChainObject & from(const Napi::Value & value);

    const loop::Chain &          get() const { return *chain; }
    const std::weak_ptr<Model> & model() const { return of; }

private:
    std::shared_ptr<const loop::Chain> chain;
    std::weak_ptr<Model>               of;
};

class TextObject : public Napi::ObjectWrap<TextObject> {
public:
    static Napi::Function define(Napi::Env env);
    explicit TextObject(const Napi::CallbackInfo & info);

    // Throws Failure (INVALID_ARGUMENT) for anything that is not a text.
    static std::shared_ptr<loop::Text> from(const Napi::Value & value);

private:
    Napi::Value step(const Napi::CallbackInfo & info);
    Napi::Value is_ready(const Napi::CallbackInfo & info);
    Napi::Value forced(const Napi::CallbackInfo & info);
    Napi::Value written(const Napi::CallbackInfo & info);
    Napi::Value accept(const Napi::CallbackInfo & info);

    void show(const Napi::Object & options);
    // The bytes of a token, unless it ends a text. Throws Failure (DISPOSED).
    std::optional<std::string> bytes_of(int32_t token) const;

    std::shared_ptr<loop::Text> text;
    std::weak_ptr<Model>        model; // it has no context then
};

} // namespace ggsl::addon
