// What decoding, binding and running reject.
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/failure.h"
#include "check.h"
#include "words.h"

#include <functional>
#include <limits>

namespace ggsl::test {

namespace {

void check_refused(const char * what, const char * expected_code, const std::function<void()> & action) {
    try {
        action();
    } catch (const Failure & failure) {
        CHECK(std::string(failure.code) == expected_code, "%s: code %s, expected %s (%s)", what, failure.code,
              expected_code, failure.what());
        return;
    }
    CHECK(false, "%s: was accepted", what);
}

Results run(const Words & words, const std::vector<float> & logits, const std::vector<float> & uniforms = {}) {
    const std::vector<int32_t> wire = words.finish();
    Evaluator                  evaluator(decode_wire(wire.data(), wire.size()), static_cast<int32_t>(logits.size()), 1,
                                         device_by_name("CPU"), 1);
    return evaluator.run({ logits, uniforms, {} });
}

const std::vector<float> four = { 1, 2, 3, 4 };

Words greedy() {
    Words words;
    words.sampled = words.i32(OpId::argmax, 1, { words.the_logits() });
    return words;
}

} // namespace

void test_wire() {
    CHECK(run(greedy(), four).sampled[0] == 3, "greedy");

    const std::vector<int32_t> good = greedy().finish();
    for (size_t length = 0; length < good.size(); ++length) {
        check_refused("a graph cut short", code::invalid_graph, [&] { decode_wire(good.data(), length); });
    }

    Words rows      = greedy();
    rows.logits     = rows.f32(OpId::get_rows, 1, { rows.f32(OpId::view, 2, { 0 }, { 0, 2 }), 1 });
    rows.candidates = 1;
    check_refused("rows out of range", code::invalid_graph, [&] { run(rows, four); });

    Words dims  = greedy();
    dims.logits = dims.f32(OpId::add, V, { 0, dims.f32(OpId::fill, 2, {}, { 0, 2 }) });
    check_refused("dims that differ", code::invalid_graph, [&] { run(dims, four); });

    Words view = greedy();
    view.probs = view.f32(OpId::view, V, { 0 }, { 1, V });
    check_refused("a view past the end", code::invalid_graph, [&] { run(view, four); });

    Words   long_chain = greedy();
    int32_t last       = 0;
    for (int i = 0; i < 40000; ++i) {
        last = long_chain.f32(OpId::neg, V, { last });
    }
    long_chain.logits = last;
    check_near(run(long_chain, four).logits, four, "40000 nodes");

    Words uniform  = greedy();
    uniform.logits = uniform.f32(OpId::add, V, { 0, uniform.uniform() });
    check_refused("no uniforms", code::invalid_argument, [&] { run(uniform, four); });
    check_refused("a NaN uniform", code::invalid_argument,
                  [&] { run(uniform, four, { std::numeric_limits<float>::quiet_NaN() }); });
    check_refused("a NaN logit", code::invalid_logits,
                  [&] { run(greedy(), { 1, std::numeric_limits<float>::quiet_NaN() }); });
    check_refused("an infinite logit", code::invalid_logits, [&] { run(greedy(), { 1, INFINITY }); });
}

} // namespace ggsl::test
