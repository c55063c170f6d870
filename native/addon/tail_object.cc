#include "objects.h"
#include "sampler_spec_value.h"

namespace ggsl::addon {

Napi::Function TailObject::define(Napi::Env env) {
    return DefineClass(env, "Tail",
                       {
                           InstanceMethod<&TailObject::apply>("apply"),
                           InstanceMethod<&TailObject::accept>("accept"),
                           InstanceMethod<&TailObject::accept_prompt>("acceptPrompt"),
                           InstanceMethod<&TailObject::reset>("reset"),
                           InstanceMethod<&TailObject::clone>("clone"),
                           InstanceMethod<&TailObject::dispose>("dispose"),
                       });
}

TailObject::TailObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<TailObject>(info) {
    guarded(info.Env(), [&] {
        if (info[0].IsExternal()) { // from clone()
            chain = std::make_unique<Tail>(info[0].As<Napi::External<TailObject>>().Data()->get().clone());
            return;
        }
        const bool has_model = !info[1].IsUndefined() && !info[1].IsNull();
        chain = std::make_unique<Tail>(to_sampler_specs(info[0]), has_model ? ModelObject::from(info[1]) : nullptr);
    });
}

Tail & TailObject::get() const {
    if (!chain) {
        fail(code::disposed, "this host tail is disposed");
    }
    return *chain;
}

Napi::Value TailObject::apply(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        Tail &             target = get();
        const Napi::Object given  = to_object(info[0], "rows");
        const Napi::Value  tokens = given.Get("tokens");
        const Napi::Value  logits = given.Get("logits");
        const TailRows     rows   = target.apply(to_span<int32_t>(tokens, "tokens"), to_span<float>(logits, "logits"));

        Napi::Object result = Napi::Object::New(env);
        result.Set("tokens", from_vector(env, rows.tokens));
        result.Set("logits", from_vector(env, rows.logits));
        result.Set("probs", from_vector(env, rows.probs));
        result.Set("selected", rows.selected);
        return result;
    });
}

void TailObject::accept(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { get().accept(to_int(info[0], "token")); });
}

void TailObject::accept_prompt(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { get().accept_prompt(to_span<int32_t>(info[0], "tokens")); });
}

void TailObject::reset(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { get().reset(); });
}

Napi::Value TailObject::clone(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        get();
        return env.GetInstanceData<Constructors>()->tail.New({ Napi::External<TailObject>::New(env, this) });
    });
}

void TailObject::dispose(const Napi::CallbackInfo &) {
    chain.reset();
}

} // namespace ggsl::addon
