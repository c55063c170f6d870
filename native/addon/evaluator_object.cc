#include "graph/backend.h"
#include "graph/legalize.h"
#include "objects.h"

namespace ggsl::addon {

Napi::Function EvaluatorObject::define(Napi::Env env) {
    return DefineClass(env, "Evaluator",
                       {
                           InstanceMethod<&EvaluatorObject::evaluate>("evaluate"),
                           InstanceMethod<&EvaluatorObject::dispose>("dispose"),
                           InstanceAccessor<&EvaluatorObject::nodes>("nodes"),
                           InstanceAccessor<&EvaluatorObject::nodes_without_views>("nodesWithoutViews"),
                           InstanceAccessor<&EvaluatorObject::rewritten>("rewritten"),
                       });
}

EvaluatorObject::EvaluatorObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<EvaluatorObject>(info) {
    guarded(info.Env(), [&] {
        const auto         graph   = GraphObject::from(info[0]);
        const Napi::Object options = to_object(info[1], "options");
        const Napi::Value  device  = options.Get("device");
        const int32_t      threads = optional_int(options, "threads", 1);
        if (threads < 1 || threads > 512) {
            fail(code::invalid_argument, "threads: expected 1 to 512, found %d", threads);
        }
        ggml_backend_dev_t dev     = device_by_name(device.IsUndefined() ? "CPU" : to_string(device, "device"));
        const Napi::Value  rewrite = options.Get("rewriteFor");
        const Family family = rewrite.IsUndefined() ? family_of(dev) : family_by_name(to_string(rewrite, "rewriteFor"));
        const Napi::Value fuse    = options.Get("fuse");
        const Napi::Value bundle  = options.Get("bundles");
        const bool        fuses   = fuse.IsUndefined() || fuse.ToBoolean();
        const bool        bundles = bundle.IsUndefined() ? fuses : bundle.ToBoolean();
        evaluator                 = std::make_unique<Evaluator>(*graph, to_int(options.Get("vocabSize"), "vocabSize"),
                                                                optional_int(options, "rows", 1), dev, threads, family, fuses, bundles);
    });
}

Evaluator & EvaluatorObject::get() const {
    if (!evaluator) {
        fail(code::disposed, "this evaluator is disposed");
    }
    return *evaluator;
}

Napi::Value EvaluatorObject::evaluate(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        Evaluator &        target = get();
        const Napi::Object given  = to_object(info[0], "values");
        const Napi::Value  inputs = given.Get("inputs");

        Feeds feeds;
        feeds.logits   = to_span<float>(given.Get("logits"), "logits");
        feeds.uniforms = to_span<float>(given.Get("uniforms"), "uniforms");
        if (!inputs.IsUndefined()) {
            if (!inputs.IsArray()) {
                fail(code::invalid_argument, "inputs: expected an array of typed arrays");
            }
            const auto list = inputs.As<Napi::Array>();
            feeds.inputs.push_back(std::monostate());
            for (uint32_t i = 0; i < list.Length() && i < static_cast<uint32_t>(max_inputs); ++i) {
                const Napi::Value value = list.Get(i);
                feeds.inputs.push_back(is_array<int32_t>(value) ? Values(to_span<int32_t>(value, "inputs"))
                                                                : Values(to_span<float>(value, "inputs")));
            }
        }
        return from_results(info.Env(), target.run(feeds)).As<Napi::Value>();
    });
}

Napi::Value EvaluatorObject::rewritten(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        Napi::Array list = Napi::Array::New(info.Env());
        for (const Rewritten & one : get().rewritten()) {
            Napi::Object object = Napi::Object::New(info.Env());
            object.Set("node", one.node);
            object.Set("name", one.rewrite->name);
            list.Set(list.Length(), object);
        }
        return list.As<Napi::Value>();
    });
}

Napi::Value EvaluatorObject::nodes(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] { return Napi::Value::From(info.Env(), static_cast<double>(get().nodes())); });
}

Napi::Value EvaluatorObject::nodes_without_views(const Napi::CallbackInfo & info) {
    return guarded(info.Env(),
                   [&] { return Napi::Value::From(info.Env(), static_cast<double>(get().nodes_without_views())); });
}

void EvaluatorObject::dispose(const Napi::CallbackInfo &) {
    evaluator.reset();
}

} // namespace ggsl::addon
