#include "cpu_kernels.h"
#include "cpu_rows.h"
#include "radix.h"

#include <algorithm>

namespace ggsl::cpu {

namespace {

// `dst->src[1]` is memory for two lists of pairs per thread; ggml may run more threads than requested.
void argsort(ggml_tensor * dst, int thread, int threads, uint32_t flip) {
    const int lists = static_cast<int>(dst->src[1]->ne[1]);
    if (thread >= lists) {
        return;
    }
    const ggml_tensor * x     = dst->src[0];
    const auto          n     = static_cast<size_t>(x->ne[0]);
    auto * const        first = row_of<Keyed>(dst->src[1], thread);
    auto * const        other = first + n;

    for_rows(dst, thread, std::min(threads, lists), [&](int64_t row) {
        const float * values = row_of<const float>(x, row);
        RadixSort<3>  sort;
        for (size_t i = 0; i < n; ++i) {
            const uint32_t key = rank(values[i]) ^ flip;
            first[i]           = { key, static_cast<int32_t>(i) };
            sort.count(key);
        }
        sort.run(first, other, n, row_of<int32_t>(dst, row));
    });
}

} // namespace

void argsort_asc(ggml_tensor * dst, int thread, int threads, void *) {
    argsort(dst, thread, threads, 0);
}

void argsort_desc(ggml_tensor * dst, int thread, int threads, void *) {
    argsort(dst, thread, threads, ~0u);
}

} // namespace ggsl::cpu
