#include "cpu_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace ggsl::cpu {

namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

template <typename T> T * row_of(const ggml_tensor * tensor, int64_t row) {
    return reinterpret_cast<T *>(static_cast<char *>(tensor->data) + row * static_cast<int64_t>(tensor->nb[1]));
}

// Rows are shared out among the threads.
template <typename F> void for_rows(const ggml_tensor * dst, int thread, int threads, F f) {
    for (int64_t row = thread; row < dst->ne[1]; row += threads) {
        f(row);
    }
}

float number(float x) {
    return std::isnan(x) ? lowest : x;
}

// The largest of some numbers, NaN apart; -inf for none. Eight at a time, so that the compiler uses vectors.
constexpr size_t lanes = 8;

float largest(const float * x, size_t n) {
    std::array<float, lanes> most;
    most.fill(lowest);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        for (size_t lane = 0; lane < lanes; ++lane) {
            most[lane] = x[i + lane] > most[lane] ? x[i + lane] : most[lane];
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

struct Ranked {
    float   value;
    int32_t position;
};

bool better(const Ranked & a, const Ranked & b) {
    return a.value > b.value || (a.value == b.value && a.position < b.position);
}

// The best so far are kept in a heap with the worst of them in front; a block of numbers that holds none better than that
// one costs a look at its largest.
constexpr size_t block = 64;

void select(const float * x, size_t n, int32_t * best, size_t k, std::vector<Ranked> & heap) {
    heap.clear();
    for (size_t i = 0; i < k; ++i) {
        heap.push_back({ number(x[i]), static_cast<int32_t>(i) });
    }
    std::make_heap(heap.begin(), heap.end(), better);
    for (size_t start = k; start < n; start += block) {
        const size_t end = std::min(start + block, n);
        if (!(largest(x + start, end - start) > heap.front().value)) {
            continue;
        }
        for (size_t i = start; i < end; ++i) {
            // a later one of equal ones is no better
            if (x[i] > heap.front().value) {
                std::pop_heap(heap.begin(), heap.end(), better);
                heap.back() = { x[i], static_cast<int32_t>(i) };
                std::push_heap(heap.begin(), heap.end(), better);
            }
        }
    }
    std::sort_heap(heap.begin(), heap.end(), better);
    std::transform(heap.begin(), heap.end(), best, [](const Ranked & r) { return r.position; });
}

// ---------------------------------------------------------------- sorting

// A word that is in order as the numbers are: the bits of a float are, but for negative ones, which are the other way round.
uint32_t rank(float x) {
    const float value = number(x) + 0.0f; // -0 is 0
    uint32_t    bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

struct Keyed {
    uint32_t key;
    int32_t  position;
};

// Three passes of 11 bits, each of which keeps the order of equal ones.
constexpr int      digit_bits = 11;
constexpr uint32_t digits     = 1u << digit_bits;

void radix_sort(std::vector<Keyed> & keyed, std::vector<Keyed> & other) {
    other.resize(keyed.size());
    for (int shift = 0; shift < 32; shift += digit_bits) {
        std::array<size_t, digits> starts{};
        for (const Keyed & k : keyed) {
            ++starts[(k.key >> shift) & (digits - 1)];
        }
        size_t total = 0;
        for (size_t & start : starts) {
            const size_t count = start;
            start              = total;
            total += count;
        }
        for (const Keyed & k : keyed) {
            other[starts[(k.key >> shift) & (digits - 1)]++] = k;
        }
        keyed.swap(other);
    }
}

void argsort(ggml_tensor * dst, int thread, int threads, uint32_t flip) {
    const ggml_tensor * x = dst->src[0];
    const auto          n = static_cast<size_t>(x->ne[0]);
    std::vector<Keyed>  keyed(n), other;
    for_rows(dst, thread, threads, [&](int64_t row) {
        const float * values = row_of<const float>(x, row);
        for (size_t i = 0; i < n; ++i) {
            keyed[i] = { rank(values[i]) ^ flip, static_cast<int32_t>(i) };
        }
        radix_sort(keyed, other);
        std::transform(keyed.begin(), keyed.end(), row_of<int32_t>(dst, row), [](const Keyed & k) { return k.position; });
    });
}

// ---------------------------------------------------------------- running sums

// So many parts of a row at once: additions that do not wait for each other.
constexpr size_t parts = 8;

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

// ---------------------------------------------------------------- a column and a number

// Each thread has its part of every row.
template <typename Op> void with_number(ggml_tensor * dst, int thread, int threads, Op op) {
    const int64_t n     = dst->ne[0];
    const int64_t first = n * thread / threads;
    const int64_t last  = n * (thread + 1) / threads;
    for (int64_t row = 0; row < dst->ne[1]; ++row) {
        const float * x      = row_of<const float>(dst->src[0], row);
        const float   y      = *row_of<const float>(dst->src[1], row);
        float *       result = row_of<float>(dst, row);
        for (int64_t i = first; i < last; ++i) {
            result[i] = op(x[i], y);
        }
    }
}

} // namespace

void top_k(ggml_tensor * dst, int thread, int threads, void *) {
    const ggml_tensor * x = dst->src[0];
    std::vector<Ranked> heap;
    heap.reserve(static_cast<size_t>(dst->ne[0]));
    for_rows(dst, thread, threads, [&](int64_t row) {
        select(row_of<const float>(x, row), static_cast<size_t>(x->ne[0]), row_of<int32_t>(dst, row), static_cast<size_t>(dst->ne[0]), heap);
    });
}

void argmax(ggml_tensor * dst, int thread, int threads, void *) {
    for_rows(dst, thread, threads, [&](int64_t row) {
        const float * x    = row_of<const float>(dst->src[0], row);
        const auto    n    = dst->src[0]->ne[0];
        const float   most = largest(x, static_cast<size_t>(n));
        // -inf where there is nothing but NaN: then the first row
        const float * found        = std::find(x, x + n, most);
        *row_of<int32_t>(dst, row) = found == x + n ? 0 : static_cast<int32_t>(found - x);
    });
}

void argsort_asc(ggml_tensor * dst, int thread, int threads, void *) {
    argsort(dst, thread, threads, 0);
}

void argsort_desc(ggml_tensor * dst, int thread, int threads, void *) {
    argsort(dst, thread, threads, ~0u);
}

void cumsum(ggml_tensor * dst, int thread, int threads, void *) {
    for_rows(dst, thread, threads, [&](int64_t row) {
        running_sum(row_of<const float>(dst->src[0], row), row_of<float>(dst, row), static_cast<size_t>(dst->ne[0]));
    });
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

} // namespace ggsl::cpu
