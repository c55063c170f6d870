// Models and contexts (native/src/model.h, context.h) for JavaScript: numbers and pointers only. A function that gives many
// numbers or a text keeps them until the next such call: `ggsl_words` and `ggsl_word_count`.
#include "context.h"

#include "../failure_text.h"
#include "backend.h"
#include "ops.h"

#include <emscripten.h>

#include <cstring>

namespace ggsl::wasm {

namespace {

// One sequence, and what its latest decode gave.
struct Session {
    Context context;
    Results results;
};

// The model stays as long as its contexts.
using Shared = std::shared_ptr<Model>;

std::vector<int32_t> words;

template <typename T> bool give(const std::vector<T> & values) {
    words.resize(values.size());
    std::memcpy(words.data(), values.data(), values.size() * sizeof(T));
    return true;
}

} // namespace

extern "C" {

// To be called before anything else.
EMSCRIPTEN_KEEPALIVE void ggsl_start() { capture_logs(); }

EMSCRIPTEN_KEEPALIVE int32_t ggsl_wire_version() { return wire_version; }

EMSCRIPTEN_KEEPALIVE int32_t * ggsl_allocate(size_t count) {
    return guarded([&] { return new int32_t[count]; });
}
EMSCRIPTEN_KEEPALIVE void ggsl_release(const int32_t * memory) { delete[] memory; }

EMSCRIPTEN_KEEPALIVE const int32_t * ggsl_words() { return words.data(); }
EMSCRIPTEN_KEEPALIVE size_t ggsl_word_count() { return words.size(); }

EMSCRIPTEN_KEEPALIVE Shared * ggsl_model_open(const uint8_t * bytes, size_t count) {
    return guarded([&] { return new Shared(std::make_shared<Model>(std::span(bytes, count))); });
}
EMSCRIPTEN_KEEPALIVE void ggsl_model_close(const Shared * model) { delete model; }

EMSCRIPTEN_KEEPALIVE int32_t ggsl_vocab_size(const Shared * model) { return (*model)->vocab_size(); }
EMSCRIPTEN_KEEPALIVE int32_t ggsl_trained_context(const Shared * model) { return llama_model_n_ctx_train((*model)->get()); }
EMSCRIPTEN_KEEPALIVE bool ggsl_is_end(const Shared * model, int32_t token) { return (*model)->is_end(token); }

// Words: the tokens of a text.
EMSCRIPTEN_KEEPALIVE bool ggsl_tokenize(const Shared * model, const char * text, size_t length, bool add_special, bool parse_special) {
    return guarded([&] { return give((*model)->tokenize(std::string(text, length), add_special, parse_special)); });
}

// Words: the bytes of a token, a word each.
EMSCRIPTEN_KEEPALIVE bool ggsl_piece(const Shared * model, int32_t token, bool special) {
    return guarded([&] {
        const std::string piece = (*model)->piece(token, special);
        std::vector<int32_t> bytes;
        for (const char byte : piece) {
            bytes.push_back(static_cast<uint8_t>(byte));
        }
        return give(bytes);
    });
}

// Words: where the pieces of all tokens begin, and after them the bytes, a word each.
EMSCRIPTEN_KEEPALIVE bool ggsl_pieces(const Shared * model) {
    return guarded([&] {
        Model::Pieces pieces = (*model)->pieces();
        pieces.offsets.insert(pieces.offsets.end(), pieces.bytes.begin(), pieces.bytes.end());
        return give(pieces.offsets);
    });
}

EMSCRIPTEN_KEEPALIVE Session * ggsl_context_open(const Shared * model, const int32_t * graph, size_t count, int32_t context_size) {
    return guarded([&] {
        ContextOptions options;
        options.context_size = context_size;
        options.threads      = 1;
        options.chains       = { std::make_shared<const Graph>(decode_wire(graph, count)) };
        return new Session{ { *model, options }, {} };
    });
}
EMSCRIPTEN_KEEPALIVE void ggsl_context_close(const Session * session) { delete session; }
EMSCRIPTEN_KEEPALIVE int32_t ggsl_context_size(const Session * session) { return session->context.context_size(); }

EMSCRIPTEN_KEEPALIVE bool ggsl_set_uniforms(Session * session, const float * values, size_t count) {
    return guarded([&] {
        session->context.sampler(0).set_uniforms({ values, values + count });
        return true;
    });
}

EMSCRIPTEN_KEEPALIVE bool ggsl_set_input(Session * session, size_t input, bool is_f32, const int32_t * values, size_t count) {
    return guarded([&] {
        if (is_f32) {
            std::vector<float> floats(count);
            std::memcpy(floats.data(), values, count * sizeof(float));
            session->context.sampler(0).set_input(input, std::move(floats));
        } else {
            session->context.sampler(0).set_input(input, std::vector<int32_t>(values, values + count));
        }
        return true;
    });
}

// Tokens from `position` on; the chain samples after the last one.
EMSCRIPTEN_KEEPALIVE bool ggsl_decode(Session * session, const int32_t * tokens, size_t count, int32_t position) {
    return guarded([&] {
        Batch batch;
        for (size_t i = 0; i < count; ++i) {
            batch.tokens.push_back(tokens[i]);
            batch.positions.push_back(position + static_cast<int32_t>(i));
            batch.sequences.push_back(0);
            batch.outputs.push_back(i + 1 == count);
        }
        session->results = session->context.decode(batch).at(0).results;
        return true;
    });
}

// Words: 0 nodes of the chain in the model's graph, 1 those without views, 2 bytes read back a token, 3 graph builds.
EMSCRIPTEN_KEEPALIVE bool ggsl_context_stats(const Session * session) {
    return guarded([&] {
        const ContextStats stats = session->context.stats();
        return give(std::vector<int32_t>{
            static_cast<int32_t>(stats.chains.nodes), static_cast<int32_t>(stats.chains.nodes_without_views),
            static_cast<int32_t>(stats.chains.readback_bytes), static_cast<int32_t>(stats.counters.graph_builds) });
    });
}

// Words: 0 sampled, 1 candidates, 2 logits, 3 probs, 4 states of the latest decode.
EMSCRIPTEN_KEEPALIVE bool ggsl_result(const Session * session, int32_t which) {
    return guarded([&] {
        const Results & results = session->results;
        switch (which) {
            case 0: return give(results.sampled);
            case 1: return give(results.candidates);
            case 2: return give(results.logits);
            case 3: return give(results.probs);
            case 4: return give(results.states);
        }
        fail(code::invalid_argument, "there is no result %d", which);
    });
}

} // extern "C"

} // namespace ggsl::wasm
