// ggml's ops over the types that graphs have: f32, and i32 where numbers are moved. ggml compiles its own for every pair of types, which
// is a fifth of the module; the linker calls these in their place (unused.cmake). They give the same bits.
#include "graph/fused/lanes.h"

#include <ggml.h>

#include <cstring>

struct ggml_compute_params;

namespace {

using ggsl::fused::Kind;
using ggsl::fused::lanes;

// Calls `f` with the place of each row of the tensor.
template <typename F> void each_row(const ggml_tensor * t, F f) {
    for (int64_t i3 = 0; i3 < t->ne[3]; ++i3) {
        for (int64_t i2 = 0; i2 < t->ne[2]; ++i2) {
            for (int64_t i1 = 0; i1 < t->ne[1]; ++i1) {
                f(i1, i2, i3);
            }
        }
    }
}

// Rows repeat where the tensor has fewer.
template <typename T> T * row(const ggml_tensor * t, int64_t i1, int64_t i2, int64_t i3) {
    return reinterpret_cast<T *>(static_cast<char *>(t->data) + i1 % t->ne[1] * t->nb[1] + i2 % t->ne[2] * t->nb[2] +
                                 i3 % t->ne[3] * t->nb[3]);
}

bool is_f32(const ggml_tensor * t) {
    return t->type == GGML_TYPE_F32;
}

void map(ggml_tensor * dst, Kind kind, float c0 = 0, float c1 = 0) {
    const ggml_tensor * x = dst->src[0];
    GGML_ASSERT(is_f32(x) && is_f32(dst) && x->nb[0] == sizeof(float) && dst->nb[0] == sizeof(float));
    each_row(dst, [&](int64_t i1, int64_t i2, int64_t i3) {
        lanes().map(kind, row<float>(x, i1, i2, i3), row<float>(dst, i1, i2, i3), static_cast<size_t>(dst->ne[0]), c0,
                    c1);
    });
}

void map_with_attrs(ggml_tensor * dst, Kind kind) {
    float attrs[2];
    std::memcpy(attrs, dst->op_params, sizeof(attrs));
    map(dst, kind, attrs[0], attrs[1]);
}

// Both operands, or the second one repeated.
void zip(ggml_tensor * dst, Kind kind) {
    const ggml_tensor * x = dst->src[0];
    const ggml_tensor * y = dst->src[1];
    GGML_ASSERT(is_f32(x) && is_f32(y) && is_f32(dst) && x->nb[0] == sizeof(float) && dst->nb[0] == sizeof(float));
    const bool    is_number = y->ne[0] == 1;
    const int64_t width     = is_number ? dst->ne[0] : y->nb[0] == sizeof(float) ? y->ne[0] : 1;
    const size_t  stride    = y->nb[0] / sizeof(float);
    each_row(dst, [&](int64_t i1, int64_t i2, int64_t i3) {
        const float * a = row<float>(x, i1, i2, i3);
        const float * b = row<float>(y, i1, i2, i3);
        float *       z = row<float>(dst, i1, i2, i3);
        for (int64_t i = 0; i < dst->ne[0]; i += width) {
            const float * repeated = is_number ? b : b + i % y->ne[0] * stride;
            lanes().zip(kind, a + i, 1, repeated, is_number ? 0 : 1, z + i, static_cast<size_t>(width));
        }
    });
}

// In the order of the numbers, whatever the shapes are.
template <typename From, typename To> void copy_numbers(ggml_tensor * dst) {
    const ggml_tensor * x        = dst->src[0];
    int64_t             at       = 0;
    const bool          is_plain = ggml_is_contiguous(dst);
    each_row(x, [&](int64_t i1, int64_t i2, int64_t i3) {
        const char * from = reinterpret_cast<const char *>(row<From>(x, i1, i2, i3));
        for (int64_t i = 0; i < x->ne[0]; ++i, ++at) {
            const auto    value = static_cast<To>(*reinterpret_cast<const From *>(from + i * x->nb[0]));
            const int64_t j     = at / dst->ne[0];
            To *          to    = is_plain ? static_cast<To *>(dst->data) + at
                                           : reinterpret_cast<To *>(
                                     reinterpret_cast<char *>(row<To>(dst, j % dst->ne[1], j / dst->ne[1] % dst->ne[2],
                                                                                  j / dst->ne[1] / dst->ne[2])) +
                                     at % dst->ne[0] * dst->nb[0]);
            *to                 = value;
        }
    });
}

void copy(ggml_tensor * dst) {
    const ggml_tensor * x = dst->src[0];
    GGML_ASSERT(is_f32(x) || x->type == GGML_TYPE_I32);
    GGML_ASSERT(is_f32(dst) || dst->type == GGML_TYPE_I32);
    if (x->type == dst->type && ggml_is_contiguous(x) && ggml_is_contiguous(dst)) {
        std::memcpy(dst->data, x->data, ggml_nbytes(dst));
    } else if (x->type == dst->type) {
        copy_numbers<int32_t, int32_t>(dst);
    } else if (is_f32(x)) {
        copy_numbers<float, int32_t>(dst);
    } else {
        copy_numbers<int32_t, float>(dst);
    }
}

} // namespace

// unused.cmake reads these names.
#define OWN(op, ...)                                                                                                   \
    extern "C" void __wrap_ggml_compute_forward_##op(const ggml_compute_params *, ggml_tensor * dst) {                 \
        __VA_ARGS__;                                                                                                   \
    }

OWN(abs, map(dst, Kind::abs))
OWN(neg, map(dst, Kind::neg))
OWN(sgn, map(dst, Kind::sgn))
OWN(step, map(dst, Kind::step))
OWN(exp, map(dst, Kind::exp))
OWN(log, map(dst, Kind::log))
OWN(sqrt, map(dst, Kind::sqrt))
OWN(sqr, map(dst, Kind::sqr))
OWN(sigmoid, map(dst, Kind::sigmoid))
OWN(tanh, map(dst, Kind::tanh))
OWN(floor, map(dst, Kind::floor))
OWN(ceil, map(dst, Kind::ceil))
OWN(round, map(dst, Kind::round))
OWN(scale, map_with_attrs(dst, Kind::scale))
OWN(clamp, map_with_attrs(dst, Kind::clamp))
OWN(add, zip(dst, Kind::add))
OWN(sub, zip(dst, Kind::sub))
OWN(mul, zip(dst, Kind::mul))
OWN(div, zip(dst, Kind::div))
OWN(dup, copy(dst))
OWN(cpy, copy(dst))
OWN(cont, copy(dst))
