#include "outputs.h"
#include "text_object.h"

namespace ggsl::addon {

namespace {

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
