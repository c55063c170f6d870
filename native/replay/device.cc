#include "device.h"

#include "graph/backend.h"
#include "graph/failure.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace ggsl::tools {

namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

template <typename Function> Function * find_function(ggml_backend_t backend, const char * name) {
    ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend));
    return reg == nullptr ? nullptr : reinterpret_cast<Function *>(ggml_backend_reg_get_proc_address(reg, name));
}

// As ggml-cpu.h declares them; the CPU backend is loaded at run time, so it is not linked.
using NewPool  = ggml_threadpool *(ggml_threadpool_params *);
using FreePool = void(ggml_threadpool *);
using SetPool  = void(ggml_backend_t, ggml_threadpool *);

} // namespace

ggml_backend_dev_t choose_device(const std::string & wanted) {
    size_t number            = 0;
    const auto [rest, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error == std::errc() && rest == wanted.data() + wanted.size() && number < ggml_backend_dev_count()) {
        return ggml_backend_dev_get(number);
    }
    for (size_t i = 0; !wanted.empty() && i < ggml_backend_dev_count(); ++i) {
        ggml_backend_dev_t device = ggml_backend_dev_get(i);
        if (lower(ggml_backend_dev_name(device)).starts_with(lower(wanted))) {
            return device;
        }
    }
    return device_by_name(wanted);
}

Device::Device(ggml_backend_dev_t chosen, int count)
    : device(chosen), threads(count), pointer(ggml_backend_dev_init(chosen, nullptr)) {
    if (!pointer) {
        fail(code::no_device, "device %s did not start", ggml_backend_dev_name(device));
    }
    set_threads(pointer.get(), threads);
    keep_threads();
}

void Device::keep_threads() {
    auto * new_pool = find_function<NewPool>(pointer.get(), "ggml_threadpool_new");
    auto * set_pool = find_function<SetPool>(pointer.get(), "ggml_backend_cpu_set_threadpool");
    if (threads < 2 || new_pool == nullptr || set_pool == nullptr) {
        return;
    }
    ggml_threadpool_params params = ggml_threadpool_params_default(threads);
    pool                          = new_pool(&params);
    set_pool(pointer.get(), pool);
}

Device::~Device() {
    if (pool != nullptr) {
        find_function<SetPool>(pointer.get(), "ggml_backend_cpu_set_threadpool")(pointer.get(), nullptr);
        find_function<FreePool>(pointer.get(), "ggml_threadpool_free")(pool);
    }
}

void Device::compute(ggml_cgraph * graph) const {
    if (const ggml_status status = ggml_backend_graph_compute(pointer.get(), graph); status != GGML_STATUS_SUCCESS) {
        fail(code::compute_failed, "computing the graph failed: %s", ggml_status_to_string(status));
    }
}

} // namespace ggsl::tools
