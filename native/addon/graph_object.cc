#include "objects.h"

namespace ggsl::addon {

namespace {

constexpr napi_type_tag graph_tag = { 0x6767736c67726170, 0x6867726170686f62 };

} // namespace

Napi::Function GraphObject::define(Napi::Env env) {
    return DefineClass(env, "Graph", { InstanceAccessor<&GraphObject::describe>("size") });
}

GraphObject::GraphObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<GraphObject>(info) {
    guarded(info.Env(), [&] {
        const std::span<const int32_t> words = to_span<int32_t>(info[0], "words");
        graph                                = std::make_shared<const Graph>(decode_wire(words.data(), words.size()));
    });
    info.This().As<Napi::Object>().TypeTag(&graph_tag);
}

std::shared_ptr<const Graph> GraphObject::from(const Napi::Value & value) {
    if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&graph_tag)) {
        fail(code::invalid_argument, "graph: expected a Graph");
    }
    return Unwrap(value.As<Napi::Object>())->graph;
}

Napi::Value GraphObject::describe(const Napi::CallbackInfo & info) {
    Napi::Object object = Napi::Object::New(info.Env());
    object.Set("uniforms", graph->uniform_count);
    object.Set("inputs", static_cast<double>(graph->inputs.size()));
    object.Set("states", static_cast<double>(graph->states.size()));
    object.Set("nodes", static_cast<double>(graph->nodes.size()));
    return object;
}

} // namespace ggsl::addon
