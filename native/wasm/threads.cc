// This module has no threads, and so none of ggml's registry of devices, through which native/graph/backend.cc would go.
#include "graph/backend.h"

#include <ggml-cpu.h>

namespace ggsl {

void set_threads(ggml_backend_t backend, int threads) {
    ggml_backend_cpu_set_n_threads(backend, threads);
}

} // namespace ggsl
