#include "objects.h"

namespace ggsl::addon {

namespace {

// About the memory that a grammar's rules take.
constexpr size_t bytes_per_character = 32;

} // namespace

Napi::Function GrammarObject::define(Napi::Env env) {
    return DefineClass(env, "Grammar",
                       {
                           InstanceMethod<&GrammarObject::allowed>("allowed"),
                           InstanceMethod<&GrammarObject::accept>("accept"),
                           InstanceMethod<&GrammarObject::reset>("reset"),
                           InstanceMethod<&GrammarObject::clone>("clone"),
                           InstanceMethod<&GrammarObject::dispose>("dispose"),
                       });
}

GrammarObject::GrammarObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<GrammarObject>(info) {
    guarded(info.Env(), [&] {
        if (info[0].IsExternal()) { // from clone()
            const auto & from = *info[0].As<Napi::External<GrammarObject>>().Data();
            model             = from.model;
            grammar           = std::make_unique<Grammar>(from.get());
            memory.keep(info.Env(), grammar->bytes());
            return;
        }
        const auto        loaded = ModelObject::from(info[0]);
        const std::string text   = to_string(info[1], "text");
        const std::string root   = info[2].IsUndefined() ? "root" : to_string(info[2], "root");
        const SamplerSpec spec{ "grammar", { { "text", { text } }, { "root", { root } } } };
        const auto        texts = grammar_texts(spec, loaded->vocab());
        grammar                 = std::make_unique<Grammar>(*loaded, texts.text, texts.root);
        model                   = loaded;
        memory.keep(info.Env(), text.size() * bytes_per_character);
    });
}

Grammar & GrammarObject::get() const {
    if (!grammar) {
        fail(code::disposed, "this grammar is disposed");
    }
    return *grammar;
}

Napi::Value GrammarObject::allowed(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] { return from_vector(info.Env(), get().allowed()); });
}

void GrammarObject::accept(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { get().accept(to_int(info[0], "token")); });
}

void GrammarObject::reset(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { get().reset(); });
}

Napi::Value GrammarObject::clone(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        get();
        return env.GetInstanceData<Constructors>()->grammar.New({ Napi::External<GrammarObject>::New(env, this) });
    });
}

void GrammarObject::dispose(const Napi::CallbackInfo & info) {
    grammar.reset();
    model.reset();
    memory.release(info.Env());
}

} // namespace ggsl::addon
