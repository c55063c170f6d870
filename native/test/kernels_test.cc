// Kernels against plain loops: top_k, and those that only WebAssembly uses, so that no other native test covers them.
#include "graph/cpu_kernels.h"
#include "check.h"

#include <ggml-cpu.h>
#include <ggml.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

namespace ggsl::test {

namespace {

using Row = std::vector<float>;

constexpr float  inf   = std::numeric_limits<float>::infinity();
constexpr int    width = 1003; // not a multiple of a vector's width
constexpr int    rows  = 3;
constexpr size_t total = static_cast<size_t>(width) * rows;

// Numbers between `from` and `to`, with -inf among them.
Row numbers(float from, float to) {
    Row x(total);
    for (size_t i = 0; i < total; ++i) {
        x[i] = from + (to - from) * static_cast<float>((i * 7919) % total) / static_cast<float>(total);
        if (i % 11 == 3) {
            x[i] = -inf;
        }
    }
    return x;
}

// The result of a kernel on two threads.
Row run(ggml_custom_op_t kernel, const std::vector<Row> & operands, std::array<float, 2> numbers) {
    std::array<int32_t, 2> attrs;
    std::memcpy(attrs.data(), numbers.data(), sizeof(attrs));
    ggml_context *             context = ggml_init({ size_t{ 1 } << 20, nullptr, false });
    std::vector<ggml_tensor *> tensors;
    for (const Row & operand : operands) {
        tensors.push_back(ggml_new_tensor_2d(context, GGML_TYPE_F32, width, rows));
        std::memcpy(tensors.back()->data, operand.data(), total * sizeof(float));
    }
    ggml_tensor * result = ggml_custom_4d(context, GGML_TYPE_F32, width, rows, 1, 1, tensors.data(),
                                          static_cast<int>(tensors.size()), kernel, 2, attrs.data());
    for (int thread = 0; thread < 2; ++thread) {
        kernel(result, thread, 2, attrs.data());
    }
    Row found(total);
    std::memcpy(found.data(), result->data, total * sizeof(float));
    ggml_free(context);
    return found;
}

void check_soft_max(float scale, const Row & x, const Row * mask) {
    std::vector<Row> operands{ x };
    if (mask != nullptr) {
        operands.push_back(*mask);
    }
    const Row found = run(cpu::soft_max, operands, { scale, 0 });
    for (size_t row = 0; row < rows; ++row) {
        Row   logits(width);
        float most = -inf;
        for (size_t i = 0; i < width; ++i) {
            const size_t at = row * width + i;
            logits[i]       = x[at] * scale + (mask == nullptr ? 0.0f : (*mask)[at]);
            most            = std::fmax(most, logits[i]);
        }
        std::vector<double> exact;
        double              sum = 0;
        for (const float logit : logits) {
            exact.push_back(std::exp(static_cast<double>(logit - most)));
            sum += exact.back();
        }
        for (size_t i = 0; i < width; ++i) {
            const double share = exact[i] / sum;
            const double value = static_cast<double>(found[row * width + i]);
            CHECK(std::fabs(value - share) <= 1e-6 * share + 1e-37,
                  "soft_max of scale %g: number %zu of row %zu is %g, expected %g", static_cast<double>(scale), i, row,
                  value, share);
        }
    }
}

void check_each(const char * what, ggml_custom_op_t kernel, std::array<float, 2> attrs, float (*expected)(float)) {
    Row x = numbers(-4, 4);
    x[0]  = inf;
    x[1]  = 0;
    x[2]  = std::numeric_limits<float>::quiet_NaN();
    Row exact;
    for (const float value : x) {
        exact.push_back(expected(value));
    }
    check_near(run(kernel, { x }, attrs), exact, what);
}

// The positions of the k largest, the largest first, of a tie the earlier ones; NaN counts as -inf.
std::vector<int32_t> best_of(const float * x, size_t n, size_t k) {
    const auto           value = [x](int32_t i) { return std::isnan(x[i]) ? -inf : x[i]; };
    std::vector<int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return value(a) > value(b); });
    order.resize(k);
    return order;
}

void check_top_k(const char * what, const Row & x) {
    for (const int k : { 1, 2, 7, 40, 250, 501, 1000, width }) {
        ggml_context * context = ggml_init({ size_t{ 1 } << 20, nullptr, false });
        ggml_tensor *  column  = ggml_new_tensor_2d(context, GGML_TYPE_F32, width, rows);
        std::memcpy(column->data, x.data(), total * sizeof(float));
        ggml_tensor * best = ggml_custom_4d(context, GGML_TYPE_I32, k, rows, 1, 1, &column, 1, cpu::top_k, 2, nullptr);
        for (int thread = 0; thread < 3; ++thread) {
            cpu::top_k(best, thread, 3, nullptr);
        }
        for (size_t row = 0; row < rows; ++row) {
            const auto   count    = static_cast<size_t>(k);
            const auto * found    = static_cast<const int32_t *>(best->data) + row * count;
            const auto   expected = best_of(x.data() + row * width, width, count);
            CHECK(std::equal(expected.begin(), expected.end(), found), "top_k of %d in row %zu of %s", k, row, what);
        }
        ggml_free(context);
    }
}

void test_top_k() {
    check_top_k("numbers", numbers(-9, 30));
    Row x = numbers(-3, 3);
    for (float & value : x) {
        value = std::floor(value);
    }
    check_top_k("ties", x);
    std::sort(x.begin(), x.end());
    check_top_k("rising numbers", x);
    for (size_t i = 0; i < total; ++i) {
        x[i] = i % 5 == 0 ? std::numeric_limits<float>::quiet_NaN() : i % 3 == 0 ? 0.0f : -0.0f;
    }
    check_top_k("zeros and NaN", x);
    for (size_t i = 0; i < total; ++i) {
        x[i] = i % 101 == 7 ? std::numeric_limits<float>::lowest() : -inf;
    }
    check_top_k("the lowest numbers", x);
    check_top_k("no number", Row(total, std::numeric_limits<float>::quiet_NaN()));
    check_top_k("infinities", Row(total, inf));
}

} // namespace

void test_kernels() {
    test_top_k();
    const Row mask = numbers(-2, 0);
    for (const float scale : { 1.0f, 0.01f, 40.0f }) {
        check_soft_max(scale, numbers(-9, 30), nullptr);
        check_soft_max(scale, numbers(-9, 30), &mask);
    }
    const Row none = run(cpu::soft_max, { Row(total, -inf) }, { 1, 0 });
    CHECK(std::isnan(none.front()) && std::isnan(none.back()), "a row of nothing but -inf has no shares");
    check_each("clamp", cpu::clamp, { -1, 2 },
               [](float x) { return std::isnan(x) ? 2.0f : std::fmin(std::fmax(x, -1.0f), 2.0f); });
    check_each("step", cpu::step, {}, [](float x) { return x > 0 ? 1.0f : 0.0f; });
}

} // namespace ggsl::test
