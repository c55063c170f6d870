// Contexts (native/llama/context.h).
#include "llama/context.h"

#include "exchange.h"

namespace ggsl::wasm {

namespace {

// A context and the outputs of its latest decode.
struct Session {
    Context             context;
    std::vector<Output> outputs;
};

ContextOptions to_options(const int32_t * words) {
    ContextOptions options;
    options.context_size = words[0];
    options.batch_size   = words[1];
    options.sequences    = words[2];
    options.threads      = 1;
    options.placement    = words[3] != 0 ? Placement::host : Placement::graph;
    options.check_logits = words[4] != 0;
    options.rows         = words[5];
    options.outputs      = words[6];
    options.cache        = words[7] != 0 ? Cache::shared : Cache::own;
    return options;
}

} // namespace

extern "C" {

// `options`: context size, batch size, sequences, whether chains run on the host, whether raw logits are checked,
// rows, outputs, whether the sequences share a cache.
// `chains`: `count` graphs, null for a sequence without one; `guides`: for each whether it is a guide.
EMSCRIPTEN_KEEPALIVE Session * ggsl_context_open(const SharedModel * model, const int32_t * options,
                                                 const SharedGraph * const * chains, const int32_t * guides,
                                                 size_t count) {
    return guarded([&] {
        ContextOptions with = to_options(options);
        for (size_t i = 0; i < count; ++i) {
            with.chains.push_back(chains[i] == nullptr ? nullptr : *chains[i]);
            with.guides.push_back(guides[i] != 0 ? 1 : 0);
        }
        return new Session{ { *model, with }, {} };
    });
}
EMSCRIPTEN_KEEPALIVE void ggsl_context_close(const Session * session) {
    delete session;
}
EMSCRIPTEN_KEEPALIVE int32_t ggsl_context_size(const Session * session) {
    return session->context.context_size();
}

// Removes the chain if `graph` is null.
EMSCRIPTEN_KEEPALIVE bool ggsl_set_chain(Session * session, int32_t sequence, const SharedGraph * graph,
                                         bool is_guide) {
    return guarded([&] {
        session->context.set_chain(sequence, graph == nullptr ? nullptr : *graph,
                                   is_guide ? Role::guides : Role::picks);
        return true;
    });
}
EMSCRIPTEN_KEEPALIVE bool ggsl_set_guide(Session * session, int32_t sequence, size_t input, int32_t guide) {
    return guarded([&] {
        session->context.set_guide(sequence, input, guide);
        return true;
    });
}

EMSCRIPTEN_KEEPALIVE bool ggsl_set_rows(Session * session, int32_t rows, int32_t outputs) {
    return guarded([&] {
        session->context.set_rows(rows, outputs);
        return true;
    });
}

EMSCRIPTEN_KEEPALIVE bool ggsl_set_uniforms(Session * session, int32_t sequence, const float * values, size_t count,
                                            size_t row) {
    return guarded([&] {
        session->context.sampler(sequence).set_uniforms({ values, values + count }, row);
        return true;
    });
}

EMSCRIPTEN_KEEPALIVE bool ggsl_set_input(Session * session, int32_t sequence, size_t input, bool is_f32,
                                         const int32_t * values, size_t count, size_t row) {
    return guarded([&] {
        Sampler & sampler = session->context.sampler(sequence);
        if (is_f32) {
            std::vector<float> floats(count);
            if (count > 0) {
                std::memcpy(floats.data(), values, count * sizeof(float));
            }
            sampler.set_input(input, std::move(floats), row);
        } else {
            sampler.set_input(input, std::vector<int32_t>(values, values + count), row);
        }
        return true;
    });
}

EMSCRIPTEN_KEEPALIVE bool ggsl_remove(Session * session, int32_t sequence, int32_t from) {
    return guarded([&] {
        session->context.remove(sequence, from);
        return true;
    });
}
EMSCRIPTEN_KEEPALIVE bool ggsl_copy(Session * session, int32_t from, int32_t to) {
    return guarded([&] {
        session->context.copy(from, to);
        return true;
    });
}

// 2 if it can, 1 if it cannot.
EMSCRIPTEN_KEEPALIVE int32_t ggsl_can_keep(const Session * session, int32_t sequence, int32_t count) {
    return guarded([&] { return session->context.can_keep(sequence, count) ? 2 : 1; });
}

// Makes the next decode fail: with one thread, no decode can be running.
EMSCRIPTEN_KEEPALIVE void ggsl_abort(Session * session) {
    session->context.abort();
}

// `batch`: `count` tokens, then as many positions, sequences, and whether an output is wanted.
EMSCRIPTEN_KEEPALIVE bool ggsl_decode(Session * session, const int32_t * batch, size_t count) {
    return guarded([&] {
        const auto row = [&](size_t i) { return std::pair(batch + i * count, batch + (i + 1) * count); };
        const auto [tokens, positions, sequences, outputs] = std::tuple(row(0), row(1), row(2), row(3));
        session->outputs.clear();
        session->outputs = session->context.decode({ { tokens.first, tokens.second },
                                                     { positions.first, positions.second },
                                                     { sequences.first, sequences.second },
                                                     { outputs.first, outputs.second } });
        return true;
    });
}

// Of the latest decode.
EMSCRIPTEN_KEEPALIVE size_t ggsl_output_count(const Session * session) {
    return session->outputs.size();
}
EMSCRIPTEN_KEEPALIVE int32_t ggsl_output_sequence(const Session * session, size_t output) {
    return session->outputs[output].sequence;
}

// Gives one of an output's results: 0 sampled, 1 candidates (i32), 2 logits, 3 probs, 4 states, 5 the model's own logits (f32);
// empty if absent.
EMSCRIPTEN_KEEPALIVE bool ggsl_output(const Session * session, size_t output, int32_t which) {
    return guarded([&] {
        const Results & results = session->outputs[output].results;
        switch (which) {
            case 0: return give(results.sampled);
            case 1: return give(results.candidates);
            case 2: return give(results.logits);
            case 3: return give(results.probs);
            case 4: return give(results.states);
            case 5: return give(session->outputs[output].raw);
        }
        fail(code::invalid_argument, "there is no result %d", which);
    });
}

// Gives f64 in the order of NUMBERS in runtime/backends/wasm/llama/context.ts.
EMSCRIPTEN_KEEPALIVE bool ggsl_context_numbers(const Session * session) {
    return guarded([&] {
        const ContextStats stats    = session->context.stats();
        const auto &       counters = stats.counters;
        const auto &       chains   = stats.chains;
        return give(std::vector<double>{
            static_cast<double>(counters.graph_builds), static_cast<double>(counters.reserve_builds),
            static_cast<double>(counters.probe_builds), static_cast<double>(counters.set_inputs),
            static_cast<double>(chains.nodes), static_cast<double>(chains.nodes_without_views),
            static_cast<double>(chains.readback_bytes), static_cast<double>(chains.sequence_bytes),
            static_cast<double>(stats.cache_bytes), static_cast<double>(counters.upload_bytes),
            static_cast<double>(chains.column_bytes), static_cast<double>(chains.reads) });
    });
}

// Gives texts: the devices where the chains' nodes ran.
EMSCRIPTEN_KEEPALIVE bool ggsl_context_devices(const Session * session) {
    return guarded([&] {
        const auto devices = session->context.stats().chains.devices;
        return give_texts({ devices.begin(), devices.end() });
    });
}

} // extern "C"

} // namespace ggsl::wasm
