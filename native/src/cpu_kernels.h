// Ops over wide rows on the CPU: what ggml does there one number at a time, or less exactly, done for many at once. They
// compute what the op table says, and are chosen by the rewrite table (legalize.cc).
#pragma once

#include <ggml.h>

namespace ggsl::cpu {

// Each is a ggml_custom_op_t: `dst` is the result, its sources are the operands, contiguous [n, R]. No user data.

// i32 [k, R]: positions of the k largest, the largest first; equal ones by position. A NaN counts as -inf.
void top_k(ggml_tensor * dst, int thread, int threads, void *);
// i32 [1, R]: position of the largest, of several the first. A NaN counts as -inf.
void argmax(ggml_tensor * dst, int thread, int threads, void *);
// i32 [n, R]: positions in order; equal ones by position. A NaN counts as -inf.
void argsort_asc(ggml_tensor * dst, int thread, int threads, void *);
void argsort_desc(ggml_tensor * dst, int thread, int threads, void *);
// f32 [n, R]: running sum, added up in f64, so that it never falls where no number is negative.
void cumsum(ggml_tensor * dst, int thread, int threads, void *);
// f32 [n, R]: x and a number for each row, y [1, R].
void add(ggml_tensor * dst, int thread, int threads, void *);
void sub(ggml_tensor * dst, int thread, int threads, void *);
void mul(ggml_tensor * dst, int thread, int threads, void *);
void div(ggml_tensor * dst, int thread, int threads, void *);

} // namespace ggsl::cpu
