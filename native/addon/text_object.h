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
    static std::shared_ptr<const loop::Chain> from(const Napi::Value & value);

private:
    std::shared_ptr<const loop::Chain> chain;
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
    Napi::Value only_token(const Napi::CallbackInfo & info);
    Napi::Value accept(const Napi::CallbackInfo & info);

    std::shared_ptr<loop::Text> text;
};

} // namespace ggsl::addon
