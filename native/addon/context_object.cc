#include "text_object.h"
#include "untold.h"

namespace ggsl::addon {

namespace {

Napi::Value from_outputs(Napi::Env env, const std::vector<Output> & outputs) {
    Napi::Array list = Napi::Array::New(env, outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
        Napi::Object output = from_results(env, outputs[i].results);
        output.Set("sequence", outputs[i].sequence);
        if (!outputs[i].raw.empty()) {
            output.Set("raw", from_vector(env, outputs[i].raw));
        }
        list.Set(static_cast<uint32_t>(i), output);
    }
    return list;
}

Batch to_batch(const Napi::Value & value) {
    const Napi::Object given = to_object(value, "batch");
    Batch              batch;
    batch.tokens    = to_vector<int32_t>(given.Get("tokens"), "tokens");
    batch.positions = to_vector<int32_t>(given.Get("positions"), "positions");
    batch.sequences = to_vector<int32_t>(given.Get("sequences"), "sequences");
    batch.outputs   = to_vector<uint8_t>(given.Get("outputs"), "outputs");
    if (const Napi::Value pairs = given.Get("followers"); !pairs.IsUndefined()) {
        const auto numbers = to_vector<int32_t>(pairs, "followers");
        if (numbers.size() % 2 != 0) {
            fail(code::invalid_argument, "followers: expected pairs of sequences, found %zu numbers", numbers.size());
        }
        for (size_t i = 0; i < numbers.size(); i += 2) {
            batch.followers.push_back({ numbers[i], numbers[i + 1] });
        }
    }
    return batch;
}

// The texts that `write` goes on with: an array of each fact.
std::vector<Ahead> to_texts(const Napi::Value & value) {
    const Napi::Object given     = to_object(value, "ahead");
    const auto         sequences = to_vector<int32_t>(given.Get("sequences"), "sequences");
    const auto         count     = sequences.size();
    const auto         numbers   = [&](const char * name, int32_t otherwise) {
        const Napi::Value list = given.Get(name);
        auto values = list.IsUndefined() ? std::vector<int32_t>(count, otherwise) : to_vector<int32_t>(list, name);
        if (values.size() != count) {
            fail(code::invalid_argument, "%s: expected %zu numbers, found %zu", name, count, values.size());
        }
        return values;
    };
    const auto most      = to_vector<int32_t>(given.Get("most"), "most");
    const auto room      = numbers("room", 0);
    const auto last      = numbers("last", -1);
    const auto positions = numbers("positions", -1);
    if (!given.Get("texts").IsArray()) {
        fail(code::invalid_argument, "texts: expected an array of Texts");
    }
    const auto list = given.Get("texts").As<Napi::Array>();
    if (most.size() != count || list.Length() != count) {
        fail(code::invalid_argument, "sequences, most and texts have different lengths");
    }
    std::vector<Ahead> texts;
    for (size_t i = 0; i < count; ++i) {
        if (most[i] < 0 || room[i] < 0 || (last[i] >= 0 && positions[i] < 0)) {
            fail(code::invalid_argument, "text %zu has %d tokens, room for %d, and its last token at %d", i, most[i],
                 room[i], positions[i]);
        }
        texts.push_back({ sequences[i], static_cast<size_t>(most[i]),
                          TextObject::from(list.Get(static_cast<uint32_t>(i))), static_cast<size_t>(room[i]), last[i],
                          positions[i] });
    }
    return texts;
}

// How long a token may wait for others; 0: each batch is told at once.
std::chrono::milliseconds delay_of(const Napi::Value & ahead) {
    const int32_t delay = optional_int(to_object(ahead, "ahead"), "delay", 0);
    if (delay < 0) {
        fail(code::invalid_argument, "delay: expected milliseconds from 0 on, found %d", delay);
    }
    return std::chrono::milliseconds(delay);
}

// The tokens that no text has more of without being allowed to.
size_t most_of(const std::vector<Ahead> & texts) {
    size_t most = 0;
    for (const Ahead & text : texts) {
        most = std::max(most, text.most);
    }
    return most;
}

// Who reads half of what a text may have lets it go on before it has all of it.
Untold untold_of(const std::vector<Ahead> & texts, std::chrono::milliseconds delay) {
    const size_t most = most_of(texts);
    const bool   has_room =
        std::any_of(texts.begin(), texts.end(), [](const Ahead & text) { return text.room > text.most; });
    return { delay, std::max<size_t>(1, most / 2), has_room ? 0 : most + 1 };
}

// A promise of `start`, which rejects where it throws.
template <typename Start> Napi::Value promised(Napi::Env env, Start start) {
    try {
        return start();
    } catch (const Failure & failure) {
        const auto deferred = Napi::Promise::Deferred::New(env);
        deferred.Reject(to_error(env, failure.code, failure.what()).Value());
        return deferred.Promise();
    }
}

// Something that a running task tells.
class Report : public Task {
public:
    explicit Report(std::function<void(Napi::Env)> tell) : tell(std::move(tell)) {}

    void work() noexcept override {}
    void settle(Napi::Env env) noexcept override {
        try {
            tell(env);
        } catch (const Napi::Error &) {} // the environment ends
    }
    bool is_last() const override { return false; }

private:
    std::function<void(Napi::Env)> tell;
};

// The row that an optional argument names.
size_t to_row(const Napi::Value & value) {
    return value.IsUndefined() ? 0 : static_cast<size_t>(std::max(0, to_int(value, "row")));
}

} // namespace

Napi::Function ContextObject::define(Napi::Env env) {
    return DefineClass(env, "Context",
                       {
                           InstanceMethod<&ContextObject::decode>("decode"),
                           InstanceMethod<&ContextObject::write>("write"),
                           InstanceMethod<&ContextObject::pause>("pause"),
                           InstanceMethod<&ContextObject::allow>("allow"),
                           InstanceMethod<&ContextObject::set_chain>("setChain"),
                           InstanceMethod<&ContextObject::set_uniforms>("setUniforms"),
                           InstanceMethod<&ContextObject::set_input>("setInput"),
                           InstanceMethod<&ContextObject::set_text>("setText"),
                           InstanceMethod<&ContextObject::set_guide>("setGuide"),
                           InstanceMethod<&ContextObject::set_rows>("setRows"),
                           InstanceMethod<&ContextObject::remove>("remove"),
                           InstanceMethod<&ContextObject::copy>("copy"),
                           InstanceMethod<&ContextObject::swap>("swap"),
                           InstanceMethod<&ContextObject::can_keep>("canKeep"),
                           InstanceMethod<&ContextObject::extents>("extents"),
                           InstanceMethod<&ContextObject::abort>("abort"),
                           InstanceMethod<&ContextObject::stats>("stats"),
                           InstanceMethod<&ContextObject::graph_nodes>("graphNodes"),
                           InstanceAccessor<&ContextObject::context_size>("contextSize"),
                           InstanceAccessor<&ContextObject::has_own_caches>("hasOwnCaches"),
                           InstanceValue("hasFollowers", Napi::Boolean::New(env, true)),
                           InstanceMethod<&ContextObject::dispose>("dispose"),
                       });
}

ContextObject::ContextObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<ContextObject>(info) {
    if (!info[0].IsExternal()) {
        throw to_error(info.Env(), code::invalid_argument, "a Context comes from model.createContext");
    }
    context                    = *info[0].As<Napi::External<std::shared_ptr<Context>>>().Data();
    const Context::Bytes bytes = context->bytes();
    memory.keep(info.Env(), bytes.cache + bytes.compute);
}

Context & ContextObject::get() const {
    if (!context) {
        fail(code::disposed, "this context is disposed");
    }
    return *context;
}

Context & ContextObject::idle() const {
    Context & target = get();
    if (*busy) {
        fail(code::busy, "this context is decoding: await the promise of decode() first");
    }
    return target;
}

Worker & ContextObject::begin(Napi::Env env) {
    idle();
    if (!worker) {
        worker = std::make_unique<Worker>(env, [weak = std::weak_ptr(context)] {
            if (const std::shared_ptr<Context> target = weak.lock()) {
                target->pause();
                target->abort();
            }
        });
    }
    context->forget_pause();
    context->forget_allowed();
    context->forget_abort();
    latest = context->stats();
    *busy  = true;
    return *worker;
}

Napi::Value ContextObject::decode(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return promised(env, [&] {
        Batch    batch  = to_batch(info[0]);
        Worker & thread = begin(env);
        auto     task   = std::make_unique<PromiseTask<std::vector<Output>>>(
            env, [target = context, batch = std::move(batch)] { return target->decode(batch); },
            [](Napi::Env on, std::vector<Output> && outputs) { return from_outputs(on, outputs); },
            [flag = busy] { *flag = false; });
        const Napi::Promise promise = task->promise();
        thread.run(env, std::move(task));
        return promise;
    });
}

Napi::Value ContextObject::write(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return promised(env, [&] {
        Batch              batch = to_batch(info[0]);
        std::vector<Ahead> texts = to_texts(info[1]);
        if (!info[2].IsFunction()) {
            fail(code::invalid_argument, "onTokens: expected a function");
        }
        const auto delay  = delay_of(info[1]);
        Worker &   thread = begin(env);
        on_tokens         = Napi::Persistent(info[2].As<Napi::Function>());
        Ref(); // until it is settled
        const auto receive = [this](Napi::Env on, const WrittenWords & tokens, const ContextStats & stats) {
            latest = stats;
            on_tokens.Call({ from_vector(on, tokens.words), Napi::String::New(on, tokens.text) });
        };
        auto task = std::make_unique<PromiseTask<std::vector<Output>>>(
            env,
            [target = context, batch = std::move(batch), texts = std::move(texts), report = thread.reporter(), delay,
             receive] {
                Untold     untold = untold_of(texts, delay);
                const auto tell   = [&] {
                    report(std::make_unique<Report>([receive, words = untold.take(), stats = target->stats()](
                                                        Napi::Env on) { receive(on, words, stats); }));
                };
                const auto tell_rest = [&] {
                    if (!untold.is_empty()) {
                        tell();
                    }
                };
                try {
                    auto others = target->write(batch, texts, [&](const std::vector<Written> & tokens) {
                        if (untold.add(tokens)) {
                            tell();
                        }
                    });
                    tell_rest();
                    return others;
                } catch (...) {
                    tell_rest();
                    throw;
                }
            },
            [](Napi::Env on, std::vector<Output> && others) { return from_outputs(on, others); },
            [this, flag = busy] {
                *flag = false;
                on_tokens.Reset();
                Unref();
            });
        const Napi::Promise promise = task->promise();
        thread.run(env, std::move(task));
        return promise;
    });
}

void ContextObject::set_chain(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] {
        const bool is_guide = !info[2].IsUndefined() && info[2].ToBoolean();
        idle().set_chain(to_int(info[0], "sequence"), info[1].IsNull() ? nullptr : GraphObject::from(info[1]),
                         is_guide ? Role::guides : Role::picks);
    });
}

void ContextObject::set_uniforms(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] {
        idle()
            .sampler(to_int(info[0], "sequence"))
            .set_uniforms(to_vector<float>(info[1], "uniforms"), to_row(info[2]));
    });
}

void ContextObject::set_input(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] {
        Sampler &  sampler = idle().sampler(to_int(info[0], "sequence"));
        const auto index   = static_cast<size_t>(std::max(0, to_int(info[1], "input")));
        if (is_array<int32_t>(info[2])) {
            sampler.set_input(index, to_vector<int32_t>(info[2], "values"), to_row(info[3]));
        } else {
            sampler.set_input(index, to_vector<float>(info[2], "values"), to_row(info[3]));
        }
    });
}

void ContextObject::set_text(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { TextObject::from(info[1])->feed(idle().sampler(to_int(info[0], "sequence"))); });
}

void ContextObject::set_guide(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] {
        const auto input = static_cast<size_t>(std::max(0, to_int(info[1], "input")));
        idle().set_guide(to_int(info[0], "sequence"), input, to_int(info[2], "guide"));
    });
}

void ContextObject::set_rows(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] {
        Context & target = idle();
        target.set_rows(to_int(info[0], "rows"), to_int(info[1], "outputs"));
        memory.release(info.Env());
        const Context::Bytes bytes = target.bytes();
        memory.keep(info.Env(), bytes.cache + bytes.compute);
    });
}

void ContextObject::remove(const Napi::CallbackInfo & info) {
    guarded(info.Env(),
            [&] { idle().remove(to_int(info[0], "sequence"), info[1].IsUndefined() ? 0 : to_int(info[1], "from")); });
}

void ContextObject::copy(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { idle().copy(to_int(info[0], "from"), to_int(info[1], "to")); });
}

void ContextObject::swap(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] { idle().swap(to_int(info[0], "a"), to_int(info[1], "b")); });
}

Napi::Value ContextObject::has_own_caches(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] { return Napi::Value::From(info.Env(), idle().has_own_caches()); });
}

Napi::Value ContextObject::can_keep(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        return Napi::Value::From(info.Env(), idle().can_keep(to_int(info[0], "sequence"), to_int(info[1], "count")));
    });
}

Napi::Value ContextObject::extents(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        std::vector<int32_t> values;
        for (const Context::Extent & extent : idle().extents()) {
            values.push_back(extent.held);
            values.push_back(extent.least);
        }
        return from_vector(info.Env(), values);
    });
}

void ContextObject::pause(const Napi::CallbackInfo &) {
    if (context && *busy) {
        context->pause();
    }
}

void ContextObject::allow(const Napi::CallbackInfo & info) {
    guarded(info.Env(), [&] {
        const int32_t more = to_int(info[0], "more");
        if (more < 0) {
            fail(code::invalid_argument, "more: expected a number from 0 on, found %d", more);
        }
        if (context && *busy) {
            context->allow(static_cast<size_t>(more));
        }
    });
}

void ContextObject::abort(const Napi::CallbackInfo &) {
    if (context && *busy) {
        context->abort();
    }
}

Napi::Value ContextObject::stats(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const ContextStats stats   = *busy ? latest : get().stats();
        Napi::Array        devices = Napi::Array::New(env);
        for (const std::string & name : stats.chains.devices) {
            devices.Set(devices.Length(), name);
        }
        Napi::Object object = Napi::Object::New(env);
        object.Set("graphBuilds", static_cast<double>(stats.counters.graph_builds));
        object.Set("reserveBuilds", static_cast<double>(stats.counters.reserve_builds));
        object.Set("probeBuilds", static_cast<double>(stats.counters.probe_builds));
        object.Set("setInputs", static_cast<double>(stats.counters.set_inputs));
        object.Set("uploadBytes", static_cast<double>(stats.counters.upload_bytes));
        object.Set("columnBytes", static_cast<double>(stats.chains.column_bytes));
        object.Set("nodes", static_cast<double>(stats.chains.nodes));
        object.Set("nodesWithoutViews", static_cast<double>(stats.chains.nodes_without_views));
        object.Set("readbackBytes", static_cast<double>(stats.chains.readback_bytes));
        object.Set("reads", static_cast<double>(stats.chains.reads));
        object.Set("sequenceBytes", static_cast<double>(stats.chains.sequence_bytes));
        object.Set("cacheBytes", static_cast<double>(stats.cache_bytes));
        object.Set("threads", stats.threads);
        object.Set("batchThreads", stats.batch_threads);
        object.Set("devices", devices);
        return object;
    });
}

Napi::Value ContextObject::graph_nodes(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        Napi::Array list = Napi::Array::New(env);
        for (const Context::NodeBytes & node : idle().graph_nodes()) {
            Napi::Object object = Napi::Object::New(env);
            object.Set("name", node.name);
            object.Set("bytes", from_vector(env, node.bytes));
            list.Set(list.Length(), object);
        }
        return list;
    });
}

Napi::Value ContextObject::context_size(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] { return Napi::Value::From(info.Env(), get().context_size()); });
}

// A running decode keeps the context alive until it stops.
void ContextObject::dispose(const Napi::CallbackInfo & info) {
    abort(info);
    context.reset();
    worker.reset();
    memory.release(info.Env());
}

} // namespace ggsl::addon
