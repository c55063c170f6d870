#include "loop/text.h"
#include "objects.h"
#include "promise.h"

#include <atomic>
#include <cstdint>
#include <cstring>

namespace ggsl::addon {

namespace {

// A number in the bits of a pointer: calls that are waiting when their environment ends are dropped, and nothing frees what their
// pointer points to.
void * to_data(float fraction) {
    uintptr_t bits = 0;
    std::memcpy(&bits, &fraction, sizeof(fraction));
    return reinterpret_cast<void *>(bits);
}

float to_fraction(const void * data) {
    const auto bits     = reinterpret_cast<uintptr_t>(data);
    float      fraction = 0.0f;
    std::memcpy(&fraction, &bits, sizeof(fraction));
    return fraction;
}

// `env` is null if it has ended.
void report(Napi::Env env, Napi::Function callback, std::nullptr_t * /* context */, void * data) {
    if (env != nullptr) {
        callback.Call({ Napi::Number::New(env, static_cast<double>(to_fraction(data))) });
    }
}

using Progress = Napi::TypedThreadSafeFunction<std::nullptr_t, void, report>;

// A load that another thread runs: it reports its progress, and can be aborted.
class LoadControl {
public:
    LoadControl(Napi::Env env, const Napi::Value & on_progress) {
        if (on_progress.IsFunction()) {
            progress = Progress::New(env, on_progress.As<Napi::Function>(), "ggsl load", 0, 1);
            reports  = true;
        }
    }
    // On the JavaScript thread, after the load.
    void end() {
        if (reports) {
            progress.Release();
        }
    }
    void abort() { is_aborted = true; }
    // On the thread that loads.
    bool watch(float fraction) {
        if (reports && (fraction >= reported + least_step || fraction >= 1.0f)) {
            reported = fraction;
            progress.NonBlockingCall(to_data(fraction));
        }
        return !is_aborted;
    }

private:
    static constexpr float least_step = 0.005f;

    std::atomic<bool> is_aborted = false;
    bool              reports    = false;
    float             reported   = -1.0f;
    Progress          progress;
};

constexpr napi_type_tag model_tag = { 0x6767736c6d6f6465, 0x6c20696e20475546 };

std::vector<std::shared_ptr<const Graph>> to_chains(const Napi::Value & value) {
    std::vector<std::shared_ptr<const Graph>> chains;
    if (value.IsUndefined()) {
        return chains;
    }
    if (!value.IsArray()) {
        fail(code::invalid_argument, "chains: expected an array of graphs and nulls");
    }
    const auto list = value.As<Napi::Array>();
    for (uint32_t i = 0; i < list.Length() && i <= llama_max_parallel_sequences(); ++i) {
        const Napi::Value chain = list.Get(i);
        chains.push_back(chain.IsNull() ? nullptr : GraphObject::from(chain));
    }
    return chains;
}

ContextOptions to_options(const Napi::Object & given) {
    ContextOptions options;
    options.context_size  = optional_int(given, "contextSize", options.context_size);
    options.batch_size    = optional_int(given, "batchSize", options.batch_size);
    options.sequences     = optional_int(given, "sequences", options.sequences);
    options.rows          = optional_int(given, "rows", options.rows);
    options.outputs       = optional_int(given, "outputs", options.outputs);
    options.threads       = optional_int(given, "threads", options.threads);
    options.batch_threads = optional_int(given, "batchThreads", options.batch_threads);
    options.chains        = to_chains(given.Get("chains"));
    if (const Napi::Value guides = given.Get("guides"); !guides.IsUndefined()) {
        options.guides = to_vector<uint8_t>(guides, "guides");
    }

    for (const auto & [name, type] :
         { std::pair{ "cacheTypeK", &options.cache_type_k }, std::pair{ "cacheTypeV", &options.cache_type_v } }) {
        const Napi::Value value = given.Get(name);
        if (!value.IsUndefined()) {
            *type = cache_type_by_name(to_string(value, name), name);
        }
    }
    const Napi::Value flash = given.Get("flashAttention");
    if (!flash.IsUndefined()) {
        options.flash_attention = flash_attention_by_name(to_string(flash, "flashAttention"));
    }

    const Napi::Value cache = given.Get("cache");
    if (!cache.IsUndefined()) {
        options.cache = cache_by_name(to_string(cache, "cache"));
    }

    for (const auto & [name, option] :
         { std::pair{ "checkLogits", &options.check_logits }, std::pair{ "bundles", &options.bundles } }) {
        const Napi::Value value = given.Get(name);
        if (!value.IsUndefined() && !value.IsBoolean()) {
            fail(code::invalid_argument, "%s: expected a boolean", name);
        }
        *option = value.IsUndefined() ? *option : value.ToBoolean();
    }

    const Napi::Value placement = given.Get("placement");
    if (!placement.IsUndefined()) {
        const std::string name = to_string(placement, "placement");
        if (name != "graph" && name != "host") {
            fail(code::invalid_argument, "placement: expected \"graph\" or \"host\", found \"%s\"", name.c_str());
        }
        options.placement = name == "graph" ? Placement::graph : Placement::host;
    }
    return options;
}

Napi::Object from_pieces(Napi::Env env, const Model::Pieces & pieces) {
    Napi::Object object = Napi::Object::New(env);
    object.Set("bytes", from_vector(env, pieces.bytes));
    object.Set("offsets", from_vector(env, pieces.offsets));
    return object;
}

// Of `tokenize` and `tokenizeLater`, after the text.
TokenizeOptions to_tokenize_options(const Napi::CallbackInfo & info) {
    const int32_t most = info[3].IsUndefined() ? 0 : to_int(info[3], "mostTokens");
    if (most < 0) {
        fail(code::invalid_argument, "mostTokens: expected 0 or more, found %d", most);
    }
    return { .add_special   = info[1].ToBoolean(),
             .parse_special = info[2].ToBoolean(),
             .most_tokens   = static_cast<size_t>(most) };
}

template <typename T>
Napi::Value wrap(Napi::FunctionReference & constructor, Napi::Env env, std::shared_ptr<T> object) {
    return constructor.New({ Napi::External<std::shared_ptr<T>>::New(env, &object) });
}

} // namespace

Napi::Function ModelObject::define(Napi::Env env) {
    return DefineClass(env, "Model",
                       {
                           InstanceAccessor<&ModelObject::info>("info"),
                           InstanceMethod<&ModelObject::tokenize>("tokenize"),
                           InstanceMethod<&ModelObject::tokenize_later>("tokenizeLater"),
                           InstanceMethod<&ModelObject::piece>("piece"),
                           InstanceMethod<&ModelObject::pieces>("pieces"),
                           InstanceMethod<&ModelObject::texts>("texts"),
                           InstanceMethod<&ModelObject::classes>("classes"),
                           InstanceMethod<&ModelObject::is_end>("isEnd"),
                           InstanceMethod<&ModelObject::create_context>("createContext"),
                           InstanceMethod<&ModelObject::dispose>("dispose"),
                       });
}

ModelObject::ModelObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<ModelObject>(info) {
    if (!info[0].IsExternal()) {
        throw to_error(info.Env(), code::invalid_argument, "a Model comes from loadModel");
    }
    model = *info[0].As<Napi::External<std::shared_ptr<Model>>>().Data();
    memory.keep(info.Env(), llama_model_size(model->get()));
    info.This().As<Napi::Object>().TypeTag(&model_tag);
}

std::shared_ptr<Model> ModelObject::from(const Napi::Value & value) {
    if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&model_tag)) {
        fail(code::invalid_argument, "model: expected a Model");
    }
    return Unwrap(value.As<Napi::Object>())->get();
}

const c::Place & ModelObject::place_of(const Napi::Value & value) {
    const auto    model  = from(value);
    ModelObject & object = *Unwrap(value.As<Napi::Object>());
    if (!object.place) {
        object.place = loop::place_of(model);
    }
    return *object.place;
}

Napi::Value ModelObject::load(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const std::string  path  = to_string(info[0], "path");
        const Napi::Object given = to_object(info[1], "options");
        ModelOptions       options;
        options.gpu_layers = optional_int(given, "gpuLayers", options.gpu_layers);
        options.devices    = to_strings(given.Get("devices"), "devices");
        if (const Napi::Value split = given.Get("split"); !split.IsUndefined()) {
            options.split = to_vector<float>(split, "split");
        }
        options.vocab_only = given.Get("vocabOnly").ToBoolean();

        const auto control = std::make_shared<LoadControl>(env, given.Get("onProgress"));
        if (const Napi::Value started = given.Get("onStart"); started.IsFunction()) {
            const auto abort = [control](const Napi::CallbackInfo &) { control->abort(); };
            started.As<Napi::Function>().Call({ Napi::Function::New(env, abort, "abort") });
        }
        return Job::start<std::shared_ptr<Model>>(
            env,
            [path, options, control] {
                return std::make_shared<Model>(path, options, [&](float fraction) { return control->watch(fraction); });
            },
            [](Napi::Env on, std::shared_ptr<Model> && loaded) {
                return wrap(on.GetInstanceData<Constructors>()->model, on, std::move(loaded));
            },
            [control] { control->end(); });
    });
}

const std::shared_ptr<Model> & ModelObject::get() const {
    if (!model) {
        fail(code::disposed, "this model is disposed");
    }
    return model;
}

Napi::Value ModelObject::info(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const Model & loaded = *get();
        if (!facts.IsEmpty()) {
            return facts.Value();
        }
        const llama_vocab * vocab = loaded.vocab();

        Napi::Object metadata = Napi::Object::New(env);
        for (const auto & [key, value] : loaded.metadata()) {
            metadata.Set(key, value);
        }
        Napi::Object object = Napi::Object::New(env);
        object.Set("description", loaded.description());
        object.Set("parameters", static_cast<double>(llama_model_n_params(loaded.get())));
        object.Set("bytes", static_cast<double>(llama_model_size(loaded.get())));
        object.Set("trainedContextSize", llama_model_n_ctx_train(loaded.get()));
        object.Set("vocabSize", loaded.vocab_size());
        object.Set("bos", llama_vocab_bos(vocab));
        object.Set("eos", llama_vocab_eos(vocab));
        object.Set("addsBos", llama_vocab_get_add_bos(vocab));
        object.Set("isRecurrent", loaded.is_recurrent());
        object.Set("outputDevice", loaded.output_device());
        metadata.Freeze();
        object.Set("metadata", metadata);
        object.Freeze();
        facts = Napi::Persistent(object);
        return object;
    });
}

Napi::Value ModelObject::tokenize(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        const std::string text = to_string(info[0], "text");
        return from_vector(info.Env(), get()->tokenizer().tokenize(text, to_tokenize_options(info)));
    });
}

Worker & ModelObject::tokenizing(Napi::Env env, const std::string & text) {
    std::unique_ptr<Worker> & worker = Tokenizer::is_short(text) ? short_texts : long_texts;
    if (!worker) {
        worker = std::make_unique<Worker>(env, [ended = is_ended] { *ended = true; });
    }
    return *worker;
}

Napi::Value ModelObject::tokenize_later(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        std::string     text    = to_string(info[0], "text");
        TokenizeOptions options = to_tokenize_options(info);
        Worker &        worker  = tokenizing(env, text);
        const auto      work    = [from = get(), ended = is_ended, text = std::move(text), options]() mutable {
            options.is_aborted = ended.get();
            return from->tokenizer().tokenize(text, options);
        };
        auto task = std::make_unique<PromiseTask<std::vector<llama_token>>>(
            env, work,
            [](Napi::Env on, std::vector<llama_token> && tokens) -> Napi::Value { return from_vector(on, tokens); });
        const Napi::Promise promise = task->promise();
        worker.run(env, std::move(task));
        return promise;
    });
}

Napi::Value ModelObject::piece(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        const std::string bytes = get()->piece(to_int(info[0], "token"), info[1].ToBoolean());
        return from_vector(info.Env(), std::vector<uint8_t>(bytes.begin(), bytes.end()));
    });
}

Napi::Value ModelObject::pieces(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value { return from_pieces(env, get()->pieces()); });
}

Napi::Value ModelObject::texts(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value { return from_pieces(env, get()->texts()); });
}

Napi::Value ModelObject::classes(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] { return from_vector(info.Env(), get()->classes()); });
}

Napi::Value ModelObject::is_end(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] { return Napi::Value::From(info.Env(), get()->is_end(to_int(info[0], "token"))); });
}

Napi::Value ModelObject::create_context(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const ContextOptions options = to_options(to_object(info[0], "options"));
        return Job::start<std::shared_ptr<Context>>(
            env, [from = get(), options] { return std::make_shared<Context>(from, options); },
            [](Napi::Env on, std::shared_ptr<Context> && made) {
                return wrap(on.GetInstanceData<Constructors>()->context, on, std::move(made));
            });
    });
}

void ModelObject::dispose(const Napi::CallbackInfo & info) {
    model.reset();
    short_texts.reset();
    long_texts.reset();
    memory.release(info.Env());
}

} // namespace ggsl::addon
