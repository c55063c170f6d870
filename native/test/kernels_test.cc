// Kernels that only WebAssembly uses, so that no other native test covers them, against plain loops in f64.
#include "graph/cpu_kernels.h"
#include "check.h"

#include <ggml-cpu.h>
#include <ggml.h>

#include <array>
#include <cstring>
#include <limits>

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

} // namespace

void test_kernels() {
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
