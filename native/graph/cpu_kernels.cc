#include "cpu_kernels.h"

#include "cpu_rows.h"
#include "hash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace ggsl::cpu {

namespace {

// A thread's part of n numbers, [first, last).
struct Part {
    int64_t first;
    int64_t last;
};

Part part_of(int64_t n, int thread, int threads) {
    return { n * thread / threads, n * (thread + 1) / threads };
}

// The largest number, ignoring NaN; -inf if there is none. Works on many at a time, so that the compiler vectorizes; clang turns only
// a choice with < into one instruction of WebAssembly.
constexpr size_t lanes = 32;

[[gnu::noinline]] float largest(const float * x, size_t n) {
    std::array<float, lanes> most;
    most.fill(lowest);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        for (size_t lane = 0; lane < lanes; ++lane) {
            most[lane] = most[lane] < x[i + lane] ? x[i + lane] : most[lane];
        }
    }
    float result = lowest;
    for (const float m : most) {
        result = m > result ? m : result;
    }
    for (; i < n; ++i) {
        result = x[i] > result ? x[i] : result;
    }
    return result;
}

// ---------------------------------------------------------------- prefix sums

// Parts of a row summed at once: their additions do not wait for each other.
constexpr size_t parts = 8;

double total_of(const float * x, size_t n) {
    std::array<double, parts> sums{};
    size_t                    i = 0;
    for (; i + parts <= n; i += parts) {
        for (size_t part = 0; part < parts; ++part) {
            sums[part] += static_cast<double>(x[i + part]);
        }
    }
    double total = 0;
    for (const double sum : sums) {
        total += sum;
    }
    for (; i < n; ++i) {
        total += static_cast<double>(x[i]);
    }
    return total;
}

void running_sum(const float * x, float * sums, size_t n) {
    const size_t              length = n / parts;
    std::array<double, parts> total{};
    for (size_t i = 0; i < length; ++i) {
        for (size_t part = 0; part < parts; ++part) {
            total[part] += static_cast<double>(x[part * length + i]);
        }
    }
    std::array<double, parts> sum{};
    for (size_t part = 1; part < parts; ++part) {
        sum[part] = sum[part - 1] + total[part - 1];
    }
    for (size_t i = 0; i < length; ++i) {
        for (size_t part = 0; part < parts; ++part) {
            sum[part] += static_cast<double>(x[part * length + i]);
            sums[part * length + i] = static_cast<float>(sum[part]);
        }
    }
    double rest = sum[parts - 1];
    for (size_t i = parts * length; i < n; ++i) {
        rest += static_cast<double>(x[i]);
        sums[i] = static_cast<float>(rest);
    }
}

// ---------------------------------------------------------------- powers

// e^x for x <= 0: 2^n e^r with r in [-ln(2) / 2, ln(2) / 2], and e^r by the polynomial of the Cephes library's expf
// (https://netlib.org/cephes). Branch-free, so that the compiler vectorizes.
float power(float x) {
    constexpr float rounds_to_integers = 12582912.0f; // 1.5 * 2^23: n is in the lowest bits of a sum with it
    const float     exponent           = least_exponent < x ? x : least_exponent;
    const float     shifted            = exponent * 1.44269504f + rounds_to_integers;
    const float     n                  = shifted - rounds_to_integers;
    const float     r                  = exponent - n * 0.693359375f + n * 2.12194440e-4f;
    float           p                  = 1.9875691500e-4f;
    p                                  = p * r + 1.3981999507e-3f;
    p                                  = p * r + 8.3334519073e-3f;
    p                                  = p * r + 4.1665795894e-2f;
    p                                  = p * r + 1.6666665459e-1f;
    p                                  = p * r + 5.0000001201e-1f;
    p                                  = p * r * r + r + 1.0f;
    const float scale                  = from_bits((bits_of(shifted) << 23) + 0x3f800000u);
    return x < least_exponent ? 0.0f : p * scale;
}

void shares(float * x, size_t n) {
    const float most = largest(x, n);
    if (most == lowest) {
        std::fill_n(x, n, std::numeric_limits<float>::quiet_NaN());
        return;
    }
    std::transform(x, x + n, x, [most](float value) { return power(value - most); });
    const auto factor = static_cast<float>(1.0 / total_of(x, n));
    std::transform(x, x + n, x, [factor](float value) { return value * factor; });
}

float attribute(const void * attrs, size_t index) {
    return from_bits(static_cast<const uint32_t *>(attrs)[index]);
}

// Each thread handles its part of all numbers.
template <typename Op> void for_each_number(ggml_tensor * dst, int thread, int threads, Op op) {
    const auto * x           = static_cast<const float *>(dst->src[0]->data);
    auto *       y           = static_cast<float *>(dst->data);
    const auto [first, last] = part_of(ggml_nelements(dst), thread, threads);
    for (int64_t i = first; i < last; ++i) {
        y[i] = op(x[i]);
    }
}

// ---------------------------------------------------------------- a column and a number

// Each thread handles its part of every row.
template <typename Op> void with_number(ggml_tensor * dst, int thread, int threads, Op op) {
    const auto [first, last] = part_of(dst->ne[0], thread, threads);
    for (int64_t row = 0; row < dst->ne[1]; ++row) {
        const float * x      = row_of<const float>(dst->src[0], row);
        const float   y      = *row_of<const float>(dst->src[1], row);
        float *       result = row_of<float>(dst, row);
        for (int64_t i = first; i < last; ++i) {
            result[i] = op(x[i], y);
        }
    }
}

// ---------------------------------------------------------------- bits

constexpr size_t byte_bits = 8;

// The bits of each byte as numbers, in 8 KB: most processors have no instruction that spreads bits.
constexpr std::array<std::array<float, byte_bits>, 256> numbers_of_bytes = [] {
    std::array<std::array<float, byte_bits>, 256> numbers{};
    for (size_t byte = 0; byte < numbers.size(); ++byte) {
        for (size_t bit = 0; bit < byte_bits; ++bit) {
            numbers[byte][bit] = (byte >> bit & 1) != 0 ? 1.0f : 0.0f;
        }
    }
    return numbers;
}();

// ---------------------------------------------------------------- hashes

// See compiler/graph/hash.ts.
void permute(const float * x, const float * keys, size_t key_step, float * y, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        const uint32_t key   = hash_integer(keys[i * key_step], hash_range - 1);
        const uint32_t value = hash_integer(x[i], hash_range);
        uint32_t       left  = (value / hash_half) % hash_half;
        uint32_t       right = value % hash_half;
        for (size_t round = 0; round < hash_constants.size(); ++round) {
            const uint32_t part       = (round % 2 == 0 ? key : key / hash_half) % hash_half;
            const uint32_t difference = right - part; // modulo 2^32: its square is exact
            const uint32_t mixed = (left + (difference * difference >> hash_shift) + hash_constants[round]) % hash_half;
            left                 = right;
            right                = mixed;
        }
        y[i] = static_cast<float>(right * hash_half + left);
    }
}

} // namespace

void argmax(ggml_tensor * dst, int thread, int threads, void *) {
    for_rows(dst, thread, threads, [&](int64_t row) {
        const float * x    = row_of<const float>(dst->src[0], row);
        const auto    n    = dst->src[0]->ne[0];
        const float   most = largest(x, static_cast<size_t>(n));
        // `most` is -inf if all are NaN: then the first row
        const float * found        = std::find(x, x + n, most);
        *row_of<int32_t>(dst, row) = found == x + n ? 0 : static_cast<int32_t>(found - x);
    });
}

void sum_rows(ggml_tensor * dst, int thread, int threads, void *) {
    for_rows(dst, thread, threads, [&](int64_t row) {
        *row_of<float>(dst, row) = static_cast<float>(
            total_of(row_of<const float>(dst->src[0], row), static_cast<size_t>(dst->src[0]->ne[0])));
    });
}

void get_rows(ggml_tensor * dst, int thread, int threads, void *) {
    const auto [first, last] = part_of(dst->ne[0], thread, threads);
    for (int64_t row = 0; row < dst->ne[1]; ++row) {
        // f32 and i32 are both 32-bit words
        const auto * x      = row_of<const int32_t>(dst->src[0], row);
        const auto * places = row_of<const int32_t>(dst->src[1], row);
        auto *       result = row_of<int32_t>(dst, row);
        for (int64_t i = first; i < last; ++i) {
            result[i] = x[places[i]];
        }
    }
}

void cumsum(ggml_tensor * dst, int thread, int threads, void *) {
    for_rows(dst, thread, threads, [&](int64_t row) {
        running_sum(row_of<const float>(dst->src[0], row), row_of<float>(dst, row), static_cast<size_t>(dst->ne[0]));
    });
}

void soft_max(ggml_tensor * dst, int thread, int threads, void * attrs) {
    const float scale = attribute(attrs, 0);
    for_rows(dst, thread, threads, [&](int64_t row) {
        const float * x = row_of<const float>(dst->src[0], row);
        float *       y = row_of<float>(dst, row);
        const auto    n = static_cast<size_t>(dst->ne[0]);
        if (dst->src[1] == nullptr) {
            std::transform(x, x + n, y, [scale](float value) { return value * scale; });
        } else {
            std::transform(x, x + n, row_of<const float>(dst->src[1], row), y,
                           [scale](float value, float mask) { return value * scale + mask; });
        }
        shares(y, n);
    });
}

void clamp(ggml_tensor * dst, int thread, int threads, void * attrs) {
    const float min = attribute(attrs, 0);
    const float max = attribute(attrs, 1);
    for_each_number(dst, thread, threads, [=](float x) {
        const float below = x < max ? x : max;
        return min < below ? below : min;
    });
}

void step(ggml_tensor * dst, int thread, int threads, void *) {
    for_each_number(dst, thread, threads, [](float x) { return x > 0.0f ? 1.0f : 0.0f; });
}

void add(ggml_tensor * dst, int thread, int threads, void *) {
    with_number(dst, thread, threads, [](float x, float y) { return x + y; });
}

void sub(ggml_tensor * dst, int thread, int threads, void *) {
    with_number(dst, thread, threads, [](float x, float y) { return x - y; });
}

void mul(ggml_tensor * dst, int thread, int threads, void *) {
    with_number(dst, thread, threads, [](float x, float y) { return x * y; });
}

void div(ggml_tensor * dst, int thread, int threads, void *) {
    with_number(dst, thread, threads, [](float x, float y) { return x / y; });
}

void hash(ggml_tensor * dst, int thread, int threads, void *) {
    const auto [first, last] = part_of(dst->ne[0], thread, threads);
    const ggml_tensor * keys = dst->src[1];
    const size_t        step = keys->ne[0] == 1 ? 0 : 1;
    for (int64_t row = 0; row < dst->ne[1]; ++row) {
        permute(row_of<const float>(dst->src[0], row) + first,
                row_of<const float>(keys, row) + static_cast<size_t>(first) * step, step,
                row_of<float>(dst, row) + first, static_cast<size_t>(last - first));
    }
}

// Each thread handles its part of the bytes of every row.
void bits(ggml_tensor * dst, int thread, int threads, void *) {
    const auto n             = static_cast<size_t>(dst->ne[0]);
    const auto bytes         = static_cast<int64_t>((n + byte_bits - 1) / byte_bits);
    const auto [first, last] = part_of(bytes, thread, threads);
    for (int64_t row = 0; row < dst->ne[1]; ++row) {
        const auto * words  = row_of<const int32_t>(dst->src[0], row);
        float *      result = row_of<float>(dst, row);
        for (auto i = static_cast<size_t>(first); i < static_cast<size_t>(last); ++i) {
            const auto & eight = numbers_of_bytes[static_cast<uint32_t>(words[i / 2]) >> byte_bits * (i % 2) & 0xff];
            float *      to    = result + i * byte_bits;
            // of a fixed size, a copy is two moves
            if ((i + 1) * byte_bits <= n) {
                std::memcpy(to, eight.data(), sizeof(eight));
            } else {
                std::copy_n(eight.data(), n - i * byte_bits, to);
            }
        }
    }
}

} // namespace ggsl::cpu
