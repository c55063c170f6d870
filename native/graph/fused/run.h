// Runs a program; a ggml_custom_op_t.
#pragma once

#include "program.h"

#include <ggml.h>

namespace ggsl::fused {

// `dst` holds the program's outputs, each [dim, R], one after the other, or the only one. Its sources are the program's inputs, then
// the uniforms [R, U], if it reads any. Each row is computed by one thread.
void run(ggml_tensor * dst, int thread, int threads, void * program);

} // namespace ggsl::fused
