#include "graph/backend.h"
#include "graph/cpu_variant.h"
#include "graph/legalize.h"
#include "graph/ops.h"
#include "graph/support.h"
#include "objects.h"

namespace ggsl::addon {

namespace {

Napi::Value op_names(const Napi::CallbackInfo & info) {
    Napi::Array names = Napi::Array::New(info.Env());
    for (const Op & op : op_table()) {
        names.Set(names.Length(), op.name);
    }
    return names;
}

void load(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { load_backends(to_string(info[0], "directory")); });
}

void load_one(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { load_backend(to_string(info[0], "path")); });
}

Napi::Value list_rewrites(const Napi::CallbackInfo & info) {
    Napi::Array list = Napi::Array::New(info.Env());
    for (const Rewrite & rewrite : rewrite_table()) {
        Napi::Array families = Napi::Array::New(info.Env());
        for (const Family family : rewrite.families) {
            families.Set(families.Length(), family_name(family));
        }
        Napi::Object object = Napi::Object::New(info.Env());
        object.Set("name", rewrite.name);
        object.Set("op", op_table()[static_cast<size_t>(rewrite.op)].name);
        object.Set("families", families);
        object.Set("reason", rewrite.reason);
        object.Set("instead", rewrite.instead);
        list.Set(list.Length(), object);
    }
    return list;
}

// unsupported(graph, device, vocabSize, inModel)
Napi::Value list_unsupported(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        const auto         graph  = GraphObject::from(info[0]);
        ggml_backend_dev_t device = device_by_name(to_string(info[1], "device"));
        Napi::Array        list   = Napi::Array::New(info.Env());
        for (const Unsupported & one :
             find_unsupported(*graph, to_int(info[2], "vocabSize"), info[3].ToBoolean(), device)) {
            Napi::Object object = Napi::Object::New(info.Env());
            object.Set("node", one.node);
            object.Set("op", one.op);
            list.Set(list.Length(), object);
        }
        return list.As<Napi::Value>();
    });
}

Napi::Value list_devices(const Napi::CallbackInfo & info) {
    Napi::Array list = Napi::Array::New(info.Env());
    for (const Device & device : devices()) {
        Napi::Object object = Napi::Object::New(info.Env());
        object.Set("name", device.name);
        object.Set("backend", device.backend);
        object.Set("description", device.description);
        object.Set("type", device.type);
        object.Set("memoryFree", static_cast<double>(device.memory_free));
        object.Set("memoryTotal", static_cast<double>(device.memory_total));
        list.Set(list.Length(), object);
    }
    return list;
}

// cpuVariants(directory)
Napi::Value list_cpu_variants(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        const std::string loaded = loaded_cpu_variant();
        Napi::Array       list   = Napi::Array::New(info.Env());
        for (const CpuVariant & variant : cpu_variants(to_string(info[0], "directory"))) {
            Napi::Object object = Napi::Object::New(info.Env());
            object.Set("name", variant.name);
            object.Set("isSupported", variant.score > 0);
            object.Set("isLoaded", variant.name == loaded);
            list.Set(list.Length(), object);
        }
        return list.As<Napi::Value>();
    });
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    capture_logs();
    auto * constructors   = new Constructors();
    constructors->model   = Napi::Persistent(ModelObject::define(env));
    constructors->context = Napi::Persistent(ContextObject::define(env));
    constructors->grammar = Napi::Persistent(GrammarObject::define(env));
    constructors->tail    = Napi::Persistent(TailObject::define(env));
    env.SetInstanceData(constructors);

    exports.Set("wireVersion", wire_version);
    exports.Set("llamaVersion", llama_version());
    exports.Set("opNames", Napi::Function::New<op_names>(env));
    exports.Set("loadBackends", Napi::Function::New<load>(env));
    exports.Set("loadBackend", Napi::Function::New<load_one>(env));
    exports.Set("devices", Napi::Function::New<list_devices>(env));
    exports.Set("cpuVariants", Napi::Function::New<list_cpu_variants>(env));
    exports.Set("rewrites", Napi::Function::New<list_rewrites>(env));
    exports.Set("unsupported", Napi::Function::New<list_unsupported>(env));
    exports.Set("loadModel", Napi::Function::New<ModelObject::load>(env));
    exports.Set("Graph", GraphObject::define(env));
    exports.Set("Evaluator", EvaluatorObject::define(env));
    exports.Set("Grammar", constructors->grammar.Value());
    exports.Set("Tail", constructors->tail.Value());
    return exports;
}

} // namespace

NODE_API_MODULE(ggsl, init)

} // namespace ggsl::addon
