// ggml's kernels for WebAssembly truncate where all others, and its reference, round when they quantize activations to 8 bits: a
// loss of half a step a number. The linker puts these in their place.
#include <ggml-quants.h>

#include <stdint.h>

void __wrap_quantize_row_q8_0(const float * x, void * y, int64_t count);
void __wrap_quantize_row_q8_1(const float * x, void * y, int64_t count);

void __wrap_quantize_row_q8_0(const float * x, void * y, int64_t count) { quantize_row_q8_0_ref(x, y, count); }
void __wrap_quantize_row_q8_1(const float * x, void * y, int64_t count) { quantize_row_q8_1_ref(x, y, count); }
