#include "cpu_kernels.h"
#include "cpu_rows.h"
#include "radix.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace ggsl::cpu {

namespace {

// Numbers that are compared with a bound at once.
constexpr size_t chunk = 64;

// The largest of x[i], x[i + width], x[i + 2 width], ... for each i < width; NaN counts as -inf.
[[gnu::noinline]] void largest_of_strides(const float * x, size_t n, float * most, size_t width) {
    std::transform(x, x + width, most, number);
    size_t start = width;
    for (; start + width <= n; start += width) {
        for (size_t i = 0; i < width; ++i) {
            most[i] = most[i] < x[start + i] ? x[start + i] : most[i];
        }
    }
    for (size_t i = 0; start + i < n; ++i) {
        most[i] = most[i] < x[start + i] ? x[start + i] : most[i];
    }
}

[[gnu::noinline]] bool has_above(const float * x, float bound) {
    int32_t found = 0;
    for (size_t i = 0; i < chunk; ++i) {
        found |= x[i] > bound ? -1 : 0;
    }
    return found != 0;
}

// The k largest numbers of a row, the largest first; of a tie the earlier ones. NaN counts as -inf.
class Selection {
public:
    explicit Selection(size_t k) : k(k), most_positions(2 * k + chunk) {
        positions.resize(most_positions + chunk);
        keys.resize(most_positions + chunk);
    }

    void run(const float * row, size_t n, int32_t * best) {
        x        = row;
        count    = 0;
        bound    = below_the_last(n);
        size_t i = 0;
        for (; i + chunk <= n; i += chunk) {
            if (has_above(x + i, bound)) {
                collect(i, i + chunk);
            }
        }
        collect(i, n);
        for (i = 0; count < k; ++i) {
            if (!(x[i] > lowest)) {
                positions[count++] = static_cast<uint32_t>(i);
            }
        }
        cut();
        // less code than a sort, in a module that browsers load
        std::make_heap(keys.begin(), keys.begin() + last() + 1, std::greater<>());
        std::sort_heap(keys.begin(), keys.begin() + last() + 1, std::greater<>());
        std::transform(keys.begin(), keys.begin() + last() + 1, best,
                       [](uint64_t key) { return static_cast<int32_t>(position_of(key)); });
    }

private:
    ptrdiff_t last() const { return static_cast<ptrdiff_t>(k) - 1; }

    // Of two keys the better number has the larger one.
    static uint64_t key_of(float value, uint32_t position) { return uint64_t{ rank(value) } << 32 | ~position; }
    static uint32_t position_of(uint64_t key) { return ~static_cast<uint32_t>(key); }

    // A number below the k largest: the k largest of the strides are of different places.
    float below_the_last(size_t n) {
        constexpr size_t lanes = 32;
        const size_t     width = (2 * k + lanes - 1) / lanes * lanes;
        if (2 * width > n) {
            return lowest;
        }
        most.resize(width);
        largest_of_strides(x, n, most.data(), width);
        std::nth_element(most.begin(), most.begin() + last(), most.end(), std::greater<>());
        return std::nextafter(most[k - 1], lowest);
    }

    // Takes the numbers above the bound, and keeps the best of them where they are too many.
    void collect(size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            positions[count] = static_cast<uint32_t>(i);
            count += x[i] > bound ? 1 : 0;
        }
        if (count >= most_positions) {
            cut();
        }
    }

    // Keeps the k best of what is collected. A number that comes later must be larger than the last of them.
    void cut() {
        for (size_t i = 0; i < count; ++i) {
            keys[i] = key_of(x[positions[i]], positions[i]);
        }
        std::nth_element(keys.begin(), keys.begin() + last(), keys.begin() + static_cast<ptrdiff_t>(count),
                         std::greater<>());
        count = k;
        std::transform(keys.begin(), keys.begin() + last() + 1, positions.begin(), position_of);
        bound = std::max(bound, number(x[positions[k - 1]]));
    }

    const size_t          k;
    const size_t          most_positions;
    const float *         x     = nullptr;
    float                 bound = lowest;
    size_t                count = 0;
    std::vector<uint32_t> positions;
    std::vector<uint64_t> keys;
    std::vector<float>    most;
};

} // namespace

void top_k(ggml_tensor * dst, int thread, int threads, void *) {
    const ggml_tensor * x = dst->src[0];
    if (thread >= dst->ne[1]) {
        return;
    }
    Selection selection(static_cast<size_t>(dst->ne[0]));
    for_rows(dst, thread, threads, [&](int64_t row) {
        selection.run(row_of<const float>(x, row), static_cast<size_t>(x->ne[0]), row_of<int32_t>(dst, row));
    });
}

} // namespace ggsl::cpu
