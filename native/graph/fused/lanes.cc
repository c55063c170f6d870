#include "lanes.h"

#include "../cpu_rows.h"

#include <cmath>
#include <limits>

namespace ggsl::fused {

namespace {

using cpu::least_exponent;

// Of a module that browsers load: once as vectors, and the rest; several vectors at once are hardly faster there.
#ifdef __wasm__
#define GGSL_SMALL_LOOP _Pragma("clang loop unroll(disable) interleave(disable)")
#else
#define GGSL_SMALL_LOOP
#endif

namespace plain {
#include "lanes.inc"
} // namespace plain

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define GGSL_HAS_AVX2
#pragma GCC push_options
#pragma GCC target("avx2")
namespace avx2 {
#include "lanes.inc"
} // namespace avx2
#pragma GCC pop_options
#endif

const Lanes & best() {
#ifdef GGSL_HAS_AVX2
    if (__builtin_cpu_supports("avx2")) {
        return avx2::table;
    }
#endif
    return plain::table;
}

} // namespace

const Lanes & lanes() {
    static const Lanes & chosen = best();
    return chosen;
}

} // namespace ggsl::fused
