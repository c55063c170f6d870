// To quantize activations to 8 bits, ggml's WebAssembly kernels truncate where all others and the reference round: they lose half
// a step per number. The linker replaces them with these.
#include <ggml-quants.h>

#include <stdint.h>

void __wrap_quantize_row_q8_0(const float * x, void * y, int64_t count);
void __wrap_quantize_row_q8_1(const float * x, void * y, int64_t count);

void __wrap_quantize_row_q8_0(const float * x, void * y, int64_t count) {
    quantize_row_q8_0_ref(x, y, count);
}
void __wrap_quantize_row_q8_1(const float * x, void * y, int64_t count) {
    quantize_row_q8_1_ref(x, y, count);
}
