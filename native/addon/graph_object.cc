#include "objects.h"

namespace ggsl::addon {

namespace {

constexpr napi_type_tag graph_tag = { 0x6767736c67726170, 0x6867726170686f62 };

std::vector<std::vector<float>> to_columns(const Napi::Value & value) {
    std::vector<std::vector<float>> columns;
    if (value.IsUndefined()) {
        return columns;
    }
    if (!value.IsArray()) {
        fail(code::invalid_argument, "columns: expected an array of Float32Arrays");
    }
    const auto list = value.As<Napi::Array>();
    for (uint32_t i = 0; i < list.Length() && i < static_cast<uint32_t>(max_inputs); ++i) {
        columns.push_back(to_vector<float>(list.Get(i), "columns"));
    }
    return columns;
}

} // namespace

Napi::Function GraphObject::define(Napi::Env env) {
    return DefineClass(env, "Graph", { InstanceAccessor<&GraphObject::describe>("size") });
}

GraphObject::GraphObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<GraphObject>(info) {
    guarded(info.Env(), [&] {
        const std::span<const int32_t> words   = to_span<int32_t>(info[0], "words");
        Graph                          decoded = decode_wire(words.data(), words.size());
        for (std::vector<float> & column : to_columns(info[1])) {
            decoded.columns.push_back({ std::make_shared<const std::vector<float>>(std::move(column)) });
        }
        size_t bytes = words.size_bytes();
        for (const Column & column : decoded.columns) {
            bytes += column.values->size() * sizeof(float);
        }
        memory.keep(info.Env(), bytes);
        graph = std::make_shared<const Graph>(std::move(decoded));
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
