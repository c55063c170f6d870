// Bundles of small ops: which nodes they have, and the same bits as the ops one by one.
#include "graph/bundles/bundles.h"
#include "graph/evaluate.h"
#include "check.h"
#include "words.h"

#include <cstring>

namespace ggsl::test {

namespace {

constexpr int32_t k          = 40;
constexpr int32_t vocab_size = 2000;

Graph decoded(const Words & words) {
    const std::vector<int32_t> wire = words.finish();
    return decode_wire(wire.data(), wire.size());
}

// The k best, sorted; the largest is replaced in place, a share of the rest is 0 / 0; a draw.
Graph sampler() {
    Words         words;
    const int32_t logits = words.the_logits(), uniform = words.uniform();
    const int32_t best  = words.i32(OpId::top_k, k, { logits }, { k });
    const int32_t some  = words.f32(OpId::get_rows, k, { logits, best });
    const int32_t order = words.i32(OpId::argsort, k, { some }, { 1 });
    words.logits        = words.f32(OpId::get_rows, k, { some, order });
    words.candidates    = words.i32(OpId::get_rows, k, { best, order });
    const int32_t twice = words.f32(OpId::mul, k, { words.logits, uniform });
    const int32_t place = words.i32(OpId::argmax, 1, { twice });
    const int32_t put   = words.f32(OpId::set_rows, k, { twice, uniform, place });
    words.probs         = words.f32(OpId::soft_max, k, { put }, { bits(1.0f) });
    const int32_t sums  = words.f32(OpId::cumsum, k, { words.probs });
    const int32_t above = words.f32(OpId::step, k, { words.f32(OpId::sub, k, { sums, uniform }) });
    const int32_t nan   = words.f32(OpId::div, k, { above, words.f32(OpId::sub, k, { above, above }) });
    const int32_t pick  = words.i32(OpId::argmax, 1, { above });
    words.sampled       = words.i32(OpId::get_rows, 1, { words.candidates, pick });
    words.states        = { words.f32(OpId::sum_rows, 1, { nan }), words.f32(OpId::view, 1, { sums }, { -1, 1 }) };
    return decoded(words);
}

// A wide column between two bundles, which both change places of it.
Graph layers() {
    Words         words;
    const int32_t logits = words.the_logits(), uniform = words.uniform();
    int32_t       column = logits;
    for (int i = 0; i < 2; ++i) {
        const int32_t best  = words.i32(OpId::top_k, k, { column }, { k });
        const int32_t some  = words.f32(OpId::get_rows, k, { column, best });
        const int32_t lower = words.f32(OpId::sub, k, { words.f32(OpId::mul, k, { some, uniform }), uniform });
        column              = words.f32(OpId::set_rows, V, { column, lower, best });
    }
    words.logits  = column;
    words.sampled = words.i32(OpId::argmax, 1, { column });
    return decoded(words);
}

// More columns of the host than a node of ggml has operands.
Graph many_inputs() {
    Words   words;
    int32_t sum = words.f32(OpId::view, 1, { words.the_logits() }, { 0, 1 });
    for (int32_t i = 1; i <= 12; ++i) {
        words.inputs.insert(words.inputs.end(), { 0, 1, 0 });
        sum = words.f32(OpId::add, 1, { sum, words.f32(OpId::input, 1, {}, { i, 0, 1 }) });
    }
    words.states  = { sum };
    words.sampled = words.i32(OpId::argmax, 1, { 0 });
    return decoded(words);
}

template <typename T> bool has_same_bits(const std::vector<T> & a, const std::vector<T> & b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void check_bits(const char * what, const Graph & graph, size_t bundles) {
    const BoundGraph bound = bind_graph(graph, vocab_size);
    CHECK(bundles::Bundles(bound, 1).plan().bundles.size() == bundles, "%s: expected %zu bundles", what, bundles);
    for (const int64_t rows : { 1, 5, 33 }) {
        std::vector<float> logits(static_cast<size_t>(rows * vocab_size));
        for (size_t i = 0; i < logits.size(); ++i) {
            // with ties
            logits[i] = static_cast<float>(i * 7919 % 1009) / 50.0f - 3.0f;
        }
        std::vector<float> uniforms(static_cast<size_t>(rows * graph.uniform_count));
        for (size_t i = 0; i < uniforms.size(); ++i) {
            uniforms[i] = static_cast<float>(i + 1) / static_cast<float>(uniforms.size() + 1);
        }
        std::vector<Values> inputs(graph.inputs.size(),
                                   std::span<const float>(logits.data(), static_cast<size_t>(rows)));
        inputs[0] = std::monostate();
        Evaluator     alone(graph, vocab_size, rows, device_by_name("CPU"), 1, Family::cpu, true, false);
        const Results wanted = alone.run({ logits, uniforms, inputs });
        for (const int threads : { 1, 3 }) {
            Evaluator bundled(graph, vocab_size, rows, device_by_name("CPU"), threads, Family::cpu, true, true);
            CHECK(bundles == 0 || bundled.nodes_without_views() < alone.nodes_without_views(), "%s: no bundle", what);
            for (int run = 0; run < 2; ++run) {
                const Results found = bundled.run({ logits, uniforms, inputs });
                CHECK(has_same_bits(found.sampled, wanted.sampled) &&
                          has_same_bits(found.candidates, wanted.candidates) &&
                          has_same_bits(found.logits, wanted.logits) && has_same_bits(found.probs, wanted.probs) &&
                          has_same_bits(found.states, wanted.states),
                      "%s: other bits in bundles with %d rows", what, static_cast<int>(rows));
            }
        }
    }
}

} // namespace

void test_bundles() {
    check_bits("a sampler", sampler(), 1);
    check_bits("two layers", layers(), 2);
    check_bits("many inputs", many_inputs(), 0);
}

} // namespace ggsl::test
