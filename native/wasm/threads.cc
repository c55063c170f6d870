// This module has no threads, nor ggml's device registry, which native/graph/backend.cc uses.
#include "graph/backend.h"

#include <ggml-cpu.h>

namespace ggsl {

void set_threads(ggml_backend_t backend, int threads) {
    ggml_backend_cpu_set_n_threads(backend, threads);
}

} // namespace ggsl
