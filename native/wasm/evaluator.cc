// The evaluator (native/graph/evaluate.h) for JavaScript: numbers and pointers only. JavaScript writes values into memory
// from `ggsl_feed`, and reads results from memory that `ggsl_result` points to.
#include "graph/evaluate.h"
#include "graph/ops.h"
#include "failure_text.h"

#include <emscripten.h>
#include <ggml-cpu.h>

#include <algorithm>

namespace ggsl::wasm {

namespace {

struct Session {
    Session(const Graph & graph, int32_t vocab_size, int32_t rows)
        : evaluator(graph, vocab_size, rows, ggml_backend_reg_dev_get(ggml_backend_cpu_reg(), 0), 1, Family::cpu),
          inputs(graph.inputs.size()) {}

    Evaluator evaluator;

    // Values as 32-bit words: floats as their bits.
    struct Fed {
        bool                 is_f32 = true;
        std::vector<int32_t> words;

        std::span<const float> floats() const {
            return { reinterpret_cast<const float *>(words.data()), words.size() };
        }
        Values values() const { return is_f32 ? Values(floats()) : Values(std::span<const int32_t>(words)); }
    };
    Fed              uniforms;
    std::vector<Fed> inputs; // inputs[0] are logits that are not in the evaluator's own memory
    bool             has_own_logits = false;

    std::span<const float> logits() const { return has_own_logits ? evaluator.logits_memory() : inputs[0].floats(); }

    Results results;
};

// As in `ggsl_feed`; the logits are input 0.
constexpr int32_t feed_uniforms = -1;

struct Words {
    const void * data;
    size_t       count;
};

Words result_of(const Session & session, int32_t which) {
    const auto words = [](const auto & values) { return Words{ values.data(), values.size() }; };
    switch (which) {
        case 0: return words(session.results.sampled);
        case 1: return words(session.results.candidates);
        case 2: return words(session.results.logits);
        case 3: return words(session.results.probs);
        case 4: return words(session.results.states);
    }
    fail(code::invalid_argument, "there is no result %d", which);
}

} // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE int32_t ggsl_wire_version() {
    return wire_version;
}

// The name of an op; null after the last one.
EMSCRIPTEN_KEEPALIVE const char * ggsl_op_name(size_t index) {
    return index < op_table().size() ? op_table()[index].name : nullptr;
}

EMSCRIPTEN_KEEPALIVE int32_t * ggsl_allocate(size_t words) {
    return guarded([&] { return new int32_t[words]; });
}

EMSCRIPTEN_KEEPALIVE void ggsl_release(const int32_t * words) {
    delete[] words;
}

// Writes the counts of uniforms, inputs, states and nodes to `size`. 0 if the words are not a valid graph.
EMSCRIPTEN_KEEPALIVE bool ggsl_check(const int32_t * words, size_t count, int32_t * size) {
    return guarded([&] {
        const Graph  graph    = decode_wire(words, count);
        const size_t counts[] = { graph.inputs.size(), graph.states.size(), graph.nodes.size() };
        size[0]               = graph.uniform_count;
        std::transform(std::begin(counts), std::end(counts), size + 1,
                       [](size_t n) { return static_cast<int32_t>(n); });
        return true;
    });
}

// `columns`: those of the constant inputs, one after the other.
EMSCRIPTEN_KEEPALIVE Session * ggsl_open(const int32_t * words, size_t count, int32_t vocab_size, int32_t rows,
                                         const float * columns, size_t column_count, size_t column_size) {
    return guarded([&] {
        Graph graph   = decode_wire(words, count);
        graph.columns = columns_of(columns, column_count, column_size);
        return new Session(graph, vocab_size, rows);
    });
}

EMSCRIPTEN_KEEPALIVE void ggsl_close(const Session * session) {
    delete session;
}

EMSCRIPTEN_KEEPALIVE int32_t ggsl_nodes(const Session * session) {
    return static_cast<int32_t>(session->evaluator.nodes());
}
EMSCRIPTEN_KEEPALIVE int32_t ggsl_nodes_without_views(const Session * session) {
    return static_cast<int32_t>(session->evaluator.nodes_without_views());
}

// Memory for `count` numbers of an input, or of the uniforms if `input` is -1; `ggsl_run` checks the count.
EMSCRIPTEN_KEEPALIVE int32_t * ggsl_feed(Session * session, int32_t input, bool is_f32, size_t count) {
    return guarded([&] {
        if (input != feed_uniforms && (input < 0 || static_cast<size_t>(input) >= session->inputs.size())) {
            fail(code::invalid_argument, "there is no input %d; the graph has %zu besides the logits", input,
                 session->inputs.size() - 1);
        }
        if (input == 0) {
            const std::span<float> own = session->evaluator.logits_memory();
            session->has_own_logits    = !own.empty() && own.size() == count;
            if (session->has_own_logits) {
                return reinterpret_cast<int32_t *>(own.data());
            }
        }
        Session::Fed & fed = input == feed_uniforms ? session->uniforms : session->inputs[static_cast<size_t>(input)];
        fed.is_f32         = is_f32;
        fed.words.reserve(count + 1); // null would be a failure
        fed.words.resize(count);
        return fed.words.data();
    });
}

EMSCRIPTEN_KEEPALIVE bool ggsl_run(Session * session) {
    return guarded([&] {
        Feeds feeds{ session->logits(), session->uniforms.floats(), {} };
        for (const Session::Fed & fed : session->inputs) {
            feeds.inputs.push_back(fed.values());
        }
        session->results = session->evaluator.run(feeds);
        return true;
    });
}

// 0 sampled, 1 candidates, 2 logits, 3 probs, 4 states; empty if the graph lacks that output.
EMSCRIPTEN_KEEPALIVE const void * ggsl_result(const Session * session, int32_t which) {
    return guarded([&] { return result_of(*session, which).data; });
}
EMSCRIPTEN_KEEPALIVE size_t ggsl_result_count(const Session * session, int32_t which) {
    return guarded([&] { return result_of(*session, which).count; });
}

} // extern "C"

} // namespace ggsl::wasm
