#include "objects.h"
#include "sampler_spec_value.h"

namespace ggsl::addon {

Napi::Function HostChainObject::define(Napi::Env env) {
    return DefineClass(env, "HostChain", {
        InstanceMethod<&HostChainObject::apply>("apply"),
        InstanceMethod<&HostChainObject::accept>("accept"),
        InstanceMethod<&HostChainObject::accept_prompt>("acceptPrompt"),
        InstanceMethod<&HostChainObject::reset>("reset"),
        InstanceMethod<&HostChainObject::clone>("clone"),
        InstanceMethod<&HostChainObject::dispose>("dispose"),
    });
}

HostChainObject::HostChainObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<HostChainObject>(info) {
    guarded(info.Env(), [&] {
        if (info[0].IsExternal()) { // from clone()
            chain = std::make_unique<HostChain>(info[0].As<Napi::External<HostChainObject>>().Data()->get().clone());
            return;
        }
        const bool has_model = !info[1].IsUndefined() && !info[1].IsNull();
        chain = std::make_unique<HostChain>(to_sampler_specs(info[0]), has_model ? ModelObject::from(info[1]) : nullptr);
    });
}

HostChain & HostChainObject::get() const {
    if (!chain) {
        fail(code::disposed, "this host chain is disposed");
    }
    return *chain;
}

Napi::Value HostChainObject::apply(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        HostChain &        target = get();
        const Napi::Object given  = to_object(info[0], "rows");
        const Napi::Value  tokens = given.Get("tokens");
        const Napi::Value  logits = given.Get("logits");
        const HostRows     rows   = target.apply(to_span<int32_t>(tokens, "tokens"), to_span<float>(logits, "logits"));

        Napi::Object result = Napi::Object::New(env);
        result.Set("tokens", from_vector(env, rows.tokens));
        result.Set("logits", from_vector(env, rows.logits));
        result.Set("probs", from_vector(env, rows.probs));
        result.Set("selected", rows.selected);
        return result;
    });
}

void HostChainObject::accept(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { get().accept(to_int(info[0], "token")); });
}

void HostChainObject::accept_prompt(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { get().accept_prompt(to_span<int32_t>(info[0], "tokens")); });
}

void HostChainObject::reset(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { get().reset(); });
}

Napi::Value HostChainObject::clone(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        get();
        return env.GetInstanceData<Constructors>()->host_chain.New({ Napi::External<HostChainObject>::New(env, this) });
    });
}

void HostChainObject::dispose(const Napi::CallbackInfo &) {
    chain.reset();
}

} // namespace ggsl::addon
