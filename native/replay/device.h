// The device that a command runs on, and its backend.
#pragma once

#include "graph/owned.h"

#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml.h>

#include <string>

namespace ggsl::tools {

using BackendPtr   = Owned<ggml_backend, ggml_backend_free>;
using ContextPtr   = Owned<ggml_context, ggml_free>;
using BufferPtr    = Owned<ggml_backend_buffer, ggml_backend_buffer_free>;
using AllocatorPtr = Owned<ggml_gallocr, ggml_gallocr_free>;

// By its number in `--list`, its name, or a case-insensitive prefix of its name: "cpu", "vulkan", "CUDA1".
// Throws Failure (NO_DEVICE) that lists the devices.
ggml_backend_dev_t choose_device(const std::string & wanted);

// A backend of a device. On the CPU it keeps its threads between graphs, as programs that generate text do.
class Device {
public:
    Device(ggml_backend_dev_t device, int threads);
    ~Device();
    Device(const Device &)             = delete;
    Device & operator=(const Device &) = delete;

    const ggml_backend_dev_t device;
    const int                threads;

    ggml_backend_t             backend() const { return pointer.get(); }
    ggml_backend_buffer_type_t buffer_type() const { return ggml_backend_get_default_buffer_type(pointer.get()); }
    bool                       is_host() const { return ggml_backend_buft_is_host(buffer_type()); }

    // Throws Failure (COMPUTE_FAILED). The graph is complete when it returns.
    void compute(ggml_cgraph * graph) const;

private:
    void keep_threads();

    BackendPtr        pointer;
    ggml_threadpool * pool = nullptr;
};

} // namespace ggsl::tools
