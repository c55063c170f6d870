// Ops over wide rows on the CPU, where ggml computes one number at a time or less exactly. They compute what the op table
// says; the rewrite table (legalize.cc) selects them.
#pragma once

#include <ggml.h>

namespace ggsl::cpu {

// Each is a ggml_custom_op_t: `dst` is the result, its sources are the operands, contiguous [n, R]. User data are the node's
// attributes as words of the wire form; they outlive the tensor.

// i32 [k, R]: indices of the k largest, the largest first; ties by index. A NaN counts as -inf.
void top_k(ggml_tensor * dst, int thread, int threads, void *);
// i32 [1, R]: index of the largest, the first of a tie. A NaN counts as -inf.
void argmax(ggml_tensor * dst, int thread, int threads, void *);
// i32 [n, R]: indices in order; ties by index. A NaN counts as -inf. A second operand, i32 [4 n, threads], is scratch memory.
void argsort_asc(ggml_tensor * dst, int thread, int threads, void *);
void argsort_desc(ggml_tensor * dst, int thread, int threads, void *);
// [k, R]: the numbers x [n, R] at indices i32 [k, R].
void get_rows(ggml_tensor * dst, int thread, int threads, void *);
// f32 [1, R]: sum in f64.
void sum_rows(ggml_tensor * dst, int thread, int threads, void *);
// f32 [n, R]: prefix sum in f64, so that it never falls if no number is negative.
void cumsum(ggml_tensor * dst, int thread, int threads, void *);
// f32 [n, R]: softmax of scale * x + mask over each row; attributes: the scale. The mask may be absent. Powers are accurate to
// 2 ulp, and 0 if not normal. NaN for a row of only -inf.
void soft_max(ggml_tensor * dst, int thread, int threads, void * attrs);
// f32 [n, R]: x clamped between the first attribute and the second; a NaN gives the second.
void clamp(ggml_tensor * dst, int thread, int threads, void * attrs);
// f32 [n, R]: 1 above 0, else 0.
void step(ggml_tensor * dst, int thread, int threads, void *);
// f32 [n, R]: x and one number per row, y [1, R].
void add(ggml_tensor * dst, int thread, int threads, void *);
void sub(ggml_tensor * dst, int thread, int threads, void *);
void mul(ggml_tensor * dst, int thread, int threads, void *);
void div(ggml_tensor * dst, int thread, int threads, void *);
// f32 [n, R]: the hash of x by the key y [n, R] or [1, R].
void hash(ggml_tensor * dst, int thread, int threads, void *);
// f32 [n, R]: bit i % 16 of word i / 16 of i32 [ceil(n / 16), R].
void bits(ggml_tensor * dst, int thread, int threads, void *);

} // namespace ggsl::cpu
