// The classes that JavaScript sees; runtime/backends/native/binding.ts describes them.
#pragma once

#include "llama/context.h"
#include "llama/tail.h"
#include "convert.h"
#include "external_memory.h"
#include "sequence/given.h"
#include "worker.h"

namespace ggsl::addon {

// Constructors that native code calls.
struct Constructors {
    Napi::FunctionReference model;
    Napi::FunctionReference context;
    Napi::FunctionReference tail;
    Napi::FunctionReference trie;
    Napi::FunctionReference automaton;
    Napi::FunctionReference position;
};

class GraphObject : public Napi::ObjectWrap<GraphObject> {
public:
    static Napi::Function define(Napi::Env env);
    explicit GraphObject(const Napi::CallbackInfo & info);
    void Finalize(Napi::Env env) override { memory.release(env); }

    // Throws Failure (INVALID_ARGUMENT) for anything that is not a graph.
    static std::shared_ptr<const Graph> from(const Napi::Value & value);

private:
    Napi::Value describe(const Napi::CallbackInfo & info);

    std::shared_ptr<const Graph> graph;
    ExternalMemory               memory;
};

class EvaluatorObject : public Napi::ObjectWrap<EvaluatorObject> {
public:
    static Napi::Function define(Napi::Env env);
    explicit EvaluatorObject(const Napi::CallbackInfo & info);

private:
    Napi::Value evaluate(const Napi::CallbackInfo & info);
    Napi::Value nodes(const Napi::CallbackInfo & info);
    Napi::Value nodes_without_views(const Napi::CallbackInfo & info);
    Napi::Value rewritten(const Napi::CallbackInfo & info);
    void        dispose(const Napi::CallbackInfo & info);
    Evaluator & get() const;

    std::unique_ptr<Evaluator> evaluator;
};

class ModelObject : public Napi::ObjectWrap<ModelObject> {
public:
    static Napi::Function define(Napi::Env env);
    explicit ModelObject(const Napi::CallbackInfo & info);

    // loadModel(path, options): Promise<Model>
    static Napi::Value load(const Napi::CallbackInfo & info);

    // Throws Failure (INVALID_ARGUMENT for anything that is not a model, DISPOSED).
    static std::shared_ptr<Model> from(const Napi::Value & value);
    // Where texts of the model look up tokens; what is read of its vocabulary is kept. Throws Failure (INVALID_ARGUMENT, DISPOSED).
    static const c::Place & place_of(const Napi::Value & value);

    ~ModelObject() override { memory.release(Env()); }

private:
    Napi::Value                    info(const Napi::CallbackInfo & info);
    Napi::Value                    tokenize(const Napi::CallbackInfo & info);
    Napi::Value                    tokenize_later(const Napi::CallbackInfo & info);
    Napi::Value                    piece(const Napi::CallbackInfo & info);
    Napi::Value                    pieces(const Napi::CallbackInfo & info);
    Napi::Value                    texts(const Napi::CallbackInfo & info);
    Napi::Value                    classes(const Napi::CallbackInfo & info);
    Napi::Value                    is_end(const Napi::CallbackInfo & info);
    Napi::Value                    create_context(const Napi::CallbackInfo & info);
    void                           dispose(const Napi::CallbackInfo & info);
    const std::shared_ptr<Model> & get() const;
    Worker &                       tokenizing(Napi::Env env, const std::string & text);

    std::shared_ptr<Model>             model;
    std::optional<c::Place>            place;
    ExternalMemory                     memory;
    Napi::ObjectReference              facts;                   // what `info` says, once it was asked for
    std::unique_ptr<Worker>            short_texts, long_texts; // one does not wait for the other
    std::shared_ptr<std::atomic<bool>> is_ended = std::make_shared<std::atomic<bool>>(false);
};

class TailObject : public Napi::ObjectWrap<TailObject> {
public:
    static Napi::Function define(Napi::Env env);
    explicit TailObject(const Napi::CallbackInfo & info);

private:
    Napi::Value apply(const Napi::CallbackInfo & info);
    Napi::Value clone(const Napi::CallbackInfo & info);
    void        accept(const Napi::CallbackInfo & info);
    void        accept_prompt(const Napi::CallbackInfo & info);
    void        reset(const Napi::CallbackInfo & info);
    void        dispose(const Napi::CallbackInfo & info);
    Tail &      get() const;

    std::unique_ptr<Tail> chain;
};

class ContextObject : public Napi::ObjectWrap<ContextObject> {
public:
    static Napi::Function define(Napi::Env env);
    explicit ContextObject(const Napi::CallbackInfo & info);
    ~ContextObject() override { memory.release(Env()); }

private:
    Napi::Value decode(const Napi::CallbackInfo & info);
    Napi::Value write(const Napi::CallbackInfo & info);
    Napi::Value stats(const Napi::CallbackInfo & info);
    Napi::Value graph_nodes(const Napi::CallbackInfo & info);
    Napi::Value context_size(const Napi::CallbackInfo & info);
    void        set_chain(const Napi::CallbackInfo & info);
    void        set_uniforms(const Napi::CallbackInfo & info);
    void        set_input(const Napi::CallbackInfo & info);
    void        set_text(const Napi::CallbackInfo & info);
    void        set_guide(const Napi::CallbackInfo & info);
    void        set_rows(const Napi::CallbackInfo & info);
    void        remove(const Napi::CallbackInfo & info);
    void        copy(const Napi::CallbackInfo & info);
    void        swap(const Napi::CallbackInfo & info);
    Napi::Value has_own_caches(const Napi::CallbackInfo & info);
    Napi::Value extents(const Napi::CallbackInfo & info);
    Napi::Value can_keep(const Napi::CallbackInfo & info);
    void        pause(const Napi::CallbackInfo & info);
    void        allow(const Napi::CallbackInfo & info);
    void        abort(const Napi::CallbackInfo & info);
    void        dispose(const Napi::CallbackInfo & info);
    // Checks that it is idle, and makes it busy; the thread of its decodes. Throws Failure (DISPOSED, BUSY, OUT_OF_MEMORY).
    Worker & begin(Napi::Env env);
    // Throws Failure (DISPOSED).
    Context & get() const;
    // Throws Failure (DISPOSED, BUSY).
    Context & idle() const;

    std::shared_ptr<Context>           context;
    std::shared_ptr<std::atomic<bool>> busy = std::make_shared<std::atomic<bool>>(false);
    ContextStats                       latest;    // before the running decode
    Napi::FunctionReference            on_tokens; // of the running `write`
    std::unique_ptr<Worker>            worker;    // of the decodes, from the first on
    ExternalMemory                     memory;
};

} // namespace ggsl::addon
