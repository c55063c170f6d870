// Ops over wide rows on the CPU: what ggml does there one number at a time, or less exactly, done for many at once. They
// compute what the op table says, and are chosen by the rewrite table (legalize.cc).
#pragma once

#include <ggml.h>

namespace ggsl::cpu {

// Each is a ggml_custom_op_t: `dst` is the result, its sources are the operands, contiguous [n, R]. User data are the node's
// attributes, words as in the wire format; they outlive the tensor.

// i32 [k, R]: positions of the k largest, the largest first; equal ones by position. A NaN counts as -inf.
void top_k(ggml_tensor * dst, int thread, int threads, void *);
// i32 [1, R]: position of the largest, of several the first. A NaN counts as -inf.
void argmax(ggml_tensor * dst, int thread, int threads, void *);
// i32 [n, R]: positions in order; equal ones by position. A NaN counts as -inf. A second operand, i32 [n, threads], is memory
// to work in.
void argsort_asc(ggml_tensor * dst, int thread, int threads, void *);
void argsort_desc(ggml_tensor * dst, int thread, int threads, void *);
// [k, R]: the numbers x [n, R] at positions i32 [k, R].
void get_rows(ggml_tensor * dst, int thread, int threads, void *);
// f32 [1, R]: sum, added up in f64.
void sum_rows(ggml_tensor * dst, int thread, int threads, void *);
// f32 [n, R]: running sum, added up in f64, so that it never falls where no number is negative.
void cumsum(ggml_tensor * dst, int thread, int threads, void *);
// f32 [n, R]: e^(scale * x + mask) in shares of 1 for each row; attributes: the scale. The mask may be absent. Powers are right
// to 2 units in the last place, and 0 below e^-87. NaN for a row of nothing but -inf.
void soft_max(ggml_tensor * dst, int thread, int threads, void * attrs);
// f32 [n, R]: x, at least the first attribute and at most the second; that for a NaN.
void clamp(ggml_tensor * dst, int thread, int threads, void * attrs);
// f32 [n, R]: 1 above 0, else 0.
void step(ggml_tensor * dst, int thread, int threads, void *);
// f32 [n, R]: x and a number for each row, y [1, R].
void add(ggml_tensor * dst, int thread, int threads, void *);
void sub(ggml_tensor * dst, int thread, int threads, void *);
void mul(ggml_tensor * dst, int thread, int threads, void *);
void div(ggml_tensor * dst, int thread, int threads, void *);

} // namespace ggsl::cpu
