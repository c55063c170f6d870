// What the CPU's kernels share.
#pragma once

#include <ggml.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace ggsl::cpu {

// The least x whose e^x is a normal number.
inline constexpr float least_exponent = -87.33654f;

inline constexpr float lowest = -std::numeric_limits<float>::infinity();

template <typename T> T * row_of(const ggml_tensor * tensor, int64_t row) {
    return reinterpret_cast<T *>(static_cast<char *>(tensor->data) + row * static_cast<int64_t>(tensor->nb[1]));
}

// Divides the rows among the threads.
template <typename F> void for_rows(const ggml_tensor * dst, int thread, int threads, F f) {
    for (int64_t row = thread; row < dst->ne[1]; row += threads) {
        f(row);
    }
}

inline uint32_t bits_of(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}

inline float from_bits(uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
}

inline float number(float x) {
    return std::isnan(x) ? lowest : x;
}

} // namespace ggsl::cpu
