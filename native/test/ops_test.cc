// Every op, for one row and for several, against plain loops.
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "check.h"
#include "words.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <random>
#include <set>

namespace ggsl::test {

namespace {

using Row    = std::vector<float>;
using Make   = std::function<int32_t(Words &, int32_t logits, int32_t uniform)>;
using Expect = std::function<Row(const Row & logits, float uniform)>;

constexpr int32_t vocab_size = 9;

std::set<OpId> tested;

Results evaluate(const Words & words, int64_t rows, const Row & logits, const Row & uniforms) {
    const std::vector<int32_t> wire  = words.finish();
    const Graph                graph = decode_wire(wire.data(), wire.size());
    for (const Node & node : graph.nodes) {
        tested.insert(id_of(node));
    }
    Evaluator evaluator(graph, vocab_size, rows, device_by_name("CPU"), 2);
    evaluator.run({ logits, uniforms, {} });
    return evaluator.run({ logits, uniforms, {} }); // the second run must not see what the first left behind
}

Row map(const Row & row, const std::function<float(float)> & f) {
    Row result(row.size());
    std::transform(row.begin(), row.end(), result.begin(), f);
    return result;
}

// `dim` rows come out of `make`, f32, given the logits (all different, none 0) and one uniform.
void check_op(const char * name, int32_t dim, const Make & make, const Expect & expect) {
    for (const int64_t rows : { 1, 3 }) {
        std::mt19937 random(42);
        Row          logits(static_cast<size_t>(vocab_size * rows));
        Row          uniforms(static_cast<size_t>(rows));
        for (size_t i = 0; i < logits.size(); ++i) {
            logits[i] = static_cast<float>(i) * 0.37f - 3.1f;
        }
        std::shuffle(logits.begin(), logits.end(), random);
        for (size_t i = 0; i < uniforms.size(); ++i) {
            uniforms[i] = 0.25f + static_cast<float>(i);
        }

        Words         words;
        const int32_t input   = words.the_logits();
        const int32_t uniform = words.uniform();
        words.logits          = make(words, input, uniform);
        words.candidates      = words.i32(OpId::cast, dim, { words.f32(OpId::arange, dim, {}, { dim }) }, { 1 });

        Row expected;
        for (int64_t r = 0; r < rows; ++r) {
            const auto begin = logits.begin() + r * vocab_size;
            const Row  row   = expect(Row(begin, begin + vocab_size), uniforms[static_cast<size_t>(r)]);
            expected.insert(expected.end(), row.begin(), row.end());
        }
        check_near(evaluate(words, rows, logits, uniforms).logits, expected,
                   std::string(name) + " of " + std::to_string(rows) + " rows");
    }
}

void check_unary(OpId op, const char * name, const std::function<float(float)> & f) {
    check_op(
        name, V, [&](Words & w, int32_t x, int32_t) { return w.f32(op, V, { x }); },
        [&](const Row & x, float) { return map(x, f); });
    // Strided rows: a part of each.
    check_op(
        name, 4, [&](Words & w, int32_t x, int32_t) { return w.f32(op, 4, { w.f32(OpId::view, 4, { x }, { 2, 4 }) }); },
        [&](const Row & x, float) { return map(Row(x.begin() + 2, x.begin() + 6), f); });
}

void check_binary(OpId op, const char * name, const std::function<float(float, float)> & f) {
    check_op(
        name, V, [&](Words & w, int32_t x, int32_t u) { return w.f32(op, V, { x, u }); },
        [&](const Row & x, float u) { return map(x, [&](float v) { return f(v, u); }); });
    check_op(
        name, V, [&](Words & w, int32_t x, int32_t) { return w.f32(op, V, { x, w.f32(OpId::exp, V, { x }) }); },
        [&](const Row & x, float) { return map(x, [&](float v) { return f(v, std::exp(v)); }); });
}

Row soft_max(const Row & x) {
    const float max = *std::max_element(x.begin(), x.end());
    Row         p   = map(x, [&](float v) { return std::exp(v - max); });
    const float sum = std::accumulate(p.begin(), p.end(), 0.0f);
    return map(p, [&](float v) { return v / sum; });
}

Row sorted(Row x, bool descending) {
    std::sort(x.begin(), x.end());
    if (descending) {
        std::reverse(x.begin(), x.end());
    }
    return x;
}

void test_elementwise() {
    check_unary(OpId::abs, "abs", [](float v) { return std::fabs(v); });
    check_unary(OpId::neg, "neg", [](float v) { return -v; });
    check_unary(OpId::sgn, "sgn", [](float v) { return v > 0 ? 1.0f : v < 0 ? -1.0f : 0.0f; });
    check_unary(OpId::step, "step", [](float v) { return v > 0 ? 1.0f : 0.0f; });
    check_unary(OpId::exp, "exp", [](float v) { return std::exp(v); });
    check_unary(OpId::sqr, "sqr", [](float v) { return v * v; });
    check_unary(OpId::sigmoid, "sigmoid", [](float v) { return 1.0f / (1.0f + std::exp(-v)); });
    check_unary(OpId::tanh, "tanh", [](float v) { return std::tanh(v); });
    check_unary(OpId::floor, "floor", [](float v) { return std::floor(v); });
    check_unary(OpId::ceil, "ceil", [](float v) { return std::ceil(v); });
    check_unary(OpId::round, "round", [](float v) { return std::round(v); });
    for (const auto & [op, name] : { std::pair(OpId::log, "log"), std::pair(OpId::sqrt, "sqrt") }) {
        check_op(
            name, V, [op = op](Words & w, int32_t x, int32_t) { return w.f32(op, V, { w.f32(OpId::exp, V, { x }) }); },
            [op = op](const Row & x, float) {
                return map(x, [&](float v) { return op == OpId::log ? v : std::exp(v / 2); });
            });
    }
    for (const float b : { 0.0f, 1.5f }) {
        check_op(
            "scale", V,
            [&](Words & w, int32_t x, int32_t) { return w.f32(OpId::scale, V, { x }, { bits(-2.0f), bits(b) }); },
            [&](const Row & x, float) { return map(x, [&](float v) { return -2.0f * v + b; }); });
    }
    check_op(
        "clamp", V,
        [](Words & w, int32_t x, int32_t) { return w.f32(OpId::clamp, V, { x }, { bits(-1.0f), bits(0.5f) }); },
        [](const Row & x, float) { return map(x, [](float v) { return std::clamp(v, -1.0f, 0.5f); }); });
    check_binary(OpId::add, "add", [](float a, float b) { return a + b; });
    check_binary(OpId::sub, "sub", [](float a, float b) { return a - b; });
    check_binary(OpId::mul, "mul", [](float a, float b) { return a * b; });
    check_binary(OpId::div, "div", [](float a, float b) { return a / b; });
}

// compiler/graph/hash.ts in integers.
float hash_of(float x, float key) {
    const auto k     = static_cast<int64_t>(key);
    int64_t    left  = static_cast<int64_t>(x) / 4096;
    int64_t    right = static_cast<int64_t>(x) % 4096;
    for (size_t round = 0; round < 6; ++round) {
        const int64_t difference = right - (round % 2 == 0 ? k % 4096 : k / 4096);
        const int64_t mixed =
            (left + difference * difference / 64 + std::array{ 0x9e3, 0x6b5, 0x3d1, 0xc4f, 0x2a7, 0x87d }[round]) %
            4096;
        left  = right;
        right = mixed;
    }
    return static_cast<float>(right * 4096 + left);
}

// The uniforms are keys.
void test_hash() {
    const auto tokens = [](Words & w) { return w.f32(OpId::arange, V, {}, { V }); };
    const auto key    = [](Words & w, int32_t u) {
        return w.f32(OpId::scale, 1, { u }, { bits(4000004.0f), bits(1.0f) });
    };
    const auto expect = [](const Row & x, float u) {
        Row row(x.size());
        std::iota(row.begin(), row.end(), 0.0f);
        return map(row, [&](float token) { return hash_of(token, u * 4000004.0f + 1.0f); });
    };
    check_op(
        "hash", V, [&](Words & w, int32_t, int32_t u) { return w.f32(OpId::hash, V, { tokens(w), key(w, u) }); },
        expect);
    check_op(
        "hash by a column", V,
        [&](Words & w, int32_t, int32_t u) {
            const int32_t inner = w.f32(OpId::hash, V, { tokens(w), key(w, u) });
            return w.f32(OpId::hash, V, { tokens(w), inner });
        },
        [&](const Row & x, float u) {
            Row keys = expect(x, u);
            for (size_t i = 0; i < keys.size(); ++i) {
                keys[i] = hash_of(static_cast<float>(i), keys[i]);
            }
            return keys;
        });
    check_op(
        "hash of a number", 1, [&](Words & w, int32_t, int32_t u) { return w.f32(OpId::hash, 1, { u, u }); },
        [](const Row &, float u) { return Row{ hash_of(u, u) }; });
}

void test_rows() {
    check_op(
        "soft_max", V, [](Words & w, int32_t x, int32_t) { return w.f32(OpId::soft_max, V, { x }, { bits(1.0f) }); },
        [](const Row & x, float) { return soft_max(x); });
    check_op(
        "soft_max with scale", V,
        [](Words & w, int32_t x, int32_t) { return w.f32(OpId::soft_max, V, { x }, { bits(0.5f) }); },
        [](const Row & x, float) { return soft_max(map(x, [](float v) { return v * 0.5f; })); });
    check_op(
        "soft_max with mask", V,
        [](Words & w, int32_t x, int32_t) {
            const int32_t mask = w.f32(OpId::scale, V, { w.f32(OpId::step, V, { x }) }, { bits(-100.0f), bits(0.0f) });
            return w.f32(OpId::soft_max, V, { x, mask }, { bits(2.0f) });
        },
        [](const Row & x, float) { return soft_max(map(x, [](float v) { return v > 0 ? 2 * v - 100 : 2 * v; })); });
    check_op(
        "cumsum", V, [](Words & w, int32_t x, int32_t) { return w.f32(OpId::cumsum, V, { x }); },
        [](const Row & x, float) {
            Row sums(x.size());
            std::partial_sum(x.begin(), x.end(), sums.begin());
            return sums;
        });
    check_op(
        "sum_rows", 1, [](Words & w, int32_t x, int32_t) { return w.f32(OpId::sum_rows, 1, { x }); },
        [](const Row & x, float) { return Row{ std::accumulate(x.begin(), x.end(), 0.0f) }; });
    check_op(
        "argmax", 1,
        [](Words & w, int32_t x, int32_t) { return w.f32(OpId::cast, 1, { w.i32(OpId::argmax, 1, { x }) }, { 0 }); },
        [](const Row & x, float) {
            return Row{ static_cast<float>(std::max_element(x.begin(), x.end()) - x.begin()) };
        });
    for (const int32_t order : { 0, 1 }) {
        check_op(
            "argsort and get_rows", V,
            [&](Words & w, int32_t x, int32_t) {
                return w.f32(OpId::get_rows, V, { x, w.i32(OpId::argsort, V, { x }, { order }) });
            },
            [&](const Row & x, float) { return sorted(x, order == 1); });
    }
    for (const int32_t k : { 1, 3 }) {
        check_op(
            "top_k", k,
            [&](Words & w, int32_t x, int32_t) {
                const int32_t top = w.f32(OpId::get_rows, k, { x, w.i32(OpId::top_k, k, { x }, { k }) });
                return w.f32(OpId::get_rows, k, { top, w.i32(OpId::argsort, k, { top }, { 1 }) });
            },
            [&](const Row & x, float) {
                const Row s = sorted(x, true);
                return Row(s.begin(), s.begin() + k);
            });
    }
}

void test_moves() {
    check_op(
        "set_rows", V,
        [](Words & w, int32_t x, int32_t u) {
            const int32_t top = w.i32(OpId::top_k, 2, { x }, { 2 });
            const int32_t set = w.f32(OpId::set_rows, V, { x, w.f32(OpId::repeat, 2, { u }, { 2 }), top });
            return w.f32(OpId::sub, V, { set, x }); // x itself must not change
        },
        [](const Row & x, float u) {
            const Row s = sorted(x, true);
            return map(x, [&](float v) { return v >= s[1] ? u - v : 0.0f; });
        });
    check_op(
        "set_rows after a reading", V,
        [](Words & w, int32_t x, int32_t) {
            const int32_t twice    = w.f32(OpId::scale, V, { x }, { bits(2.0f), bits(0.0f) });
            const int32_t top      = w.i32(OpId::top_k, 2, { twice }, { 2 });
            const int32_t negative = w.f32(OpId::neg, 2, { w.f32(OpId::get_rows, 2, { twice, top }) });
            return w.f32(OpId::set_rows, V, { twice, negative, top });
        },
        [](const Row & x, float) {
            const Row s = sorted(x, true);
            return map(x, [&](float v) { return v >= s[1] ? -2.0f * v : 2.0f * v; });
        });
    check_op(
        "set_rows between readings", V,
        [](Words & w, int32_t x, int32_t u) {
            const int32_t twice = w.f32(OpId::scale, V, { x }, { bits(2.0f), bits(0.0f) });
            const int32_t top   = w.i32(OpId::top_k, 2, { twice }, { 2 });
            const int32_t set   = w.f32(OpId::set_rows, V, { twice, w.f32(OpId::repeat, 2, { u }, { 2 }), top });
            return w.f32(OpId::sub, V, { set, twice }); // twice must not change
        },
        [](const Row & x, float u) {
            const Row s = sorted(x, true);
            return map(x, [&](float v) { return v >= s[1] ? u - 2.0f * v : 0.0f; });
        });
    check_op(
        "set_rows into fill", V,
        [](Words & w, int32_t x, int32_t u) {
            const int32_t fill = w.f32(OpId::fill, V, {}, { bits(7.0f), V });
            return w.f32(OpId::set_rows, V, { fill, u, w.i32(OpId::argmax, 1, { x }) });
        },
        [](const Row & x, float u) {
            const float max = *std::max_element(x.begin(), x.end());
            return map(x, [&](float v) { return v == max ? u : 7.0f; });
        });
    check_op(
        "view from the end", 3, [](Words & w, int32_t x, int32_t) { return w.f32(OpId::view, 3, { x }, { -3, 3 }); },
        [](const Row & x, float) { return Row(x.end() - 3, x.end()); });
    check_op(
        "view of i32", 2,
        [](Words & w, int32_t x, int32_t) {
            const int32_t order = w.i32(OpId::argsort, V, { x }, { 1 });
            return w.f32(OpId::get_rows, 2, { x, w.i32(OpId::view, 2, { order }, { 1, 2 }) });
        },
        [](const Row & x, float) {
            const Row s = sorted(x, true);
            return Row{ s[1], s[2] };
        });
    for (const int32_t shift : { 1, -2, 0, 20 }) {
        check_op(
            "roll", V, [&](Words & w, int32_t x, int32_t) { return w.f32(OpId::roll, V, { x }, { shift }); },
            [&](const Row & x, float) {
                Row y(x.size());
                for (int32_t i = 0; i < vocab_size; ++i) {
                    y[static_cast<size_t>(((i + shift) % vocab_size + vocab_size) % vocab_size)] =
                        x[static_cast<size_t>(i)];
                }
                return y;
            });
    }
    check_op(
        "cast", V,
        [](Words & w, int32_t x, int32_t) {
            return w.f32(OpId::cast, V, { w.i32(OpId::cast, V, { w.f32(OpId::exp, V, { x }) }, { 1 }) }, { 0 });
        },
        [](const Row & x, float) { return map(x, [](float v) { return std::trunc(std::exp(v)); }); });
    check_op(
        "cast to rows out of range", 1,
        [](Words & w, int32_t x, int32_t u) {
            const int32_t far = w.f32(OpId::scale, 1, { u }, { bits(1e9f), bits(0.0f) });
            return w.f32(OpId::get_rows, 1, { x, w.i32(OpId::cast, 1, { far }, { 1 }) });
        },
        [](const Row & x, float) { return Row{ x.back() }; });
    check_op(
        "repeat", 4, [](Words & w, int32_t, int32_t u) { return w.f32(OpId::repeat, 4, { u }, { 4 }); },
        [](const Row &, float u) { return Row(4, u); });
    check_op(
        "fill", 4, [](Words & w, int32_t, int32_t) { return w.f32(OpId::fill, 4, {}, { bits(-2.5f), 4 }); },
        [](const Row &, float) { return Row(4, -2.5f); });
    check_op(
        "arange", V, [](Words & w, int32_t, int32_t) { return w.f32(OpId::arange, V, {}, { V }); },
        [](const Row & x, float) {
            Row y(x.size());
            std::iota(y.begin(), y.end(), 0.0f);
            return y;
        });
}

} // namespace

void test_ops() {
    test_elementwise();
    test_rows();
    test_hash();
    test_moves();
    for (size_t op = 0; op < op_table().size(); ++op) {
        CHECK(tested.contains(static_cast<OpId>(op)), "%s is not tested", op_table()[op].name);
    }
}

} // namespace ggsl::test
