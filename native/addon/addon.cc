#include "graph/backend.h"
#include "graph/cpu_variant.h"
#include "graph/legalize.h"
#include "graph/library.h"
#include "graph/ops.h"
#include "graph/support.h"
#include "automaton_object.h"
#include "objects.h"
#include "promise.h"
#include "remote.h"
#include "text_object.h"

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

// unsupported(graph, device, vocabSize, inModel, kind?)
Napi::Value list_unsupported(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        const auto   graph  = GraphObject::from(info[0]);
        const Target target = info[4].IsUndefined() ? target_of(device_by_name(to_string(info[1], "device")))
                                                    : remote_target(family_by_name(to_string(info[4], "kind")));
        Napi::Array  list   = Napi::Array::New(info.Env());
        for (const Unsupported & one :
             find_unsupported(*graph, to_int(info[2], "vocabSize"), info[3].ToBoolean(), target)) {
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

// addWorker(library, endpoint, kind)
Napi::Value add_one_worker(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        Napi::Array names = Napi::Array::New(info.Env());
        for (const std::string & name : add_worker(to_string(info[0], "library"), to_string(info[1], "endpoint"),
                                                   family_by_name(to_string(info[2], "kind")))) {
            names.Set(names.Length(), name);
        }
        return names.As<Napi::Value>();
    });
}

// runWorker(options): Promise<void>
Napi::Value run_one_worker(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value {
        const Napi::Object given = to_object(info[0], "options");
        const Napi::Value  cache = given.Get("cache");
        WorkerOptions      options;
        options.library  = to_string(given.Get("library"), "library");
        options.endpoint = to_string(given.Get("endpoint"), "endpoint");
        options.cache    = cache.IsUndefined() ? "" : to_string(cache, "cache");
        options.threads  = to_int(given.Get("threads"), "threads");
        options.devices  = to_strings(given.Get("devices"), "devices");
        return Job::start<bool>(
            info.Env(),
            [options] {
                if (!options.cache.empty()) {
                    check_cache(options.cache);
                }
                run_worker(options);
                return true;
            },
            [](Napi::Env env, bool &&) { return env.Undefined(); });
    });
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

// The folder of the loaded libllama.
std::string library_folder() {
    // a text of the library: the address of a function can be that of a jump in this addon
    const std::string path = library_of(llama_version());
    return path.substr(0, path.find_last_of("/\\"));
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    // llama.cpp, which stays loaded, logs to a function of the addon: the end of the last worker that uses it must not unload it
    keep_loaded(reinterpret_cast<const void *>(&init));
    capture_logs();
    auto * constructors     = new Constructors();
    constructors->model     = Napi::Persistent(ModelObject::define(env));
    constructors->context   = Napi::Persistent(ContextObject::define(env));
    constructors->tail      = Napi::Persistent(TailObject::define(env));
    constructors->trie      = Napi::Persistent(TokenTrieObject::define(env));
    constructors->automaton = Napi::Persistent(AutomatonObject::define(env));
    constructors->position  = Napi::Persistent(PositionObject::define(env));
    env.SetInstanceData(constructors);

    exports.Set("wireVersion", wire_version);
    exports.Set("llamaVersion", llama_version());
    exports.Set("libraries", library_folder());
    exports.Set("opNames", Napi::Function::New<op_names>(env));
    exports.Set("loadBackends", Napi::Function::New<load>(env));
    exports.Set("loadBackend", Napi::Function::New<load_one>(env));
    exports.Set("devices", Napi::Function::New<list_devices>(env));
    exports.Set("cpuVariants", Napi::Function::New<list_cpu_variants>(env));
    exports.Set("rewrites", Napi::Function::New<list_rewrites>(env));
    exports.Set("unsupported", Napi::Function::New<list_unsupported>(env));
    exports.Set("addWorker", Napi::Function::New<add_one_worker>(env));
    exports.Set("runWorker", Napi::Function::New<run_one_worker>(env));
    exports.Set("loadModel", Napi::Function::New<ModelObject::load>(env));
    exports.Set("Graph", GraphObject::define(env));
    exports.Set("Evaluator", EvaluatorObject::define(env));
    exports.Set("Tail", constructors->tail.Value());
    exports.Set("Chain", ChainObject::define(env));
    exports.Set("Text", TextObject::define(env));
    exports.Set("TokenTrie", constructors->trie.Value());
    exports.Set("Automaton", constructors->automaton.Value());
    exports.Set("openAutomaton", Napi::Function::New<AutomatonObject::open>(env));
    return exports;
}

} // namespace

NODE_API_MODULE(ggsl, init)

} // namespace ggsl::addon
