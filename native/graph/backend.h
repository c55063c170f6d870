// ggml's devices and logs.
#pragma once

#include <ggml-backend.h>

#include <functional>
#include <string>
#include <vector>

namespace ggsl {

// What drives a device. Ops differ between families in edge cases (legalize.h). `unknown`: any of them, but none of our kernels.
enum class Family { cpu, cuda, vulkan, other, unknown };

struct Device {
    std::string name;        // ggml's name, e.g. "CPU" or "Vulkan0"
    std::string backend;     // "cpu", "cuda", "vulkan", ...
    std::string description; // e.g. the processor's name
    std::string type;        // "cpu", "gpu", "integrated-gpu", "accelerator"
    size_t      memory_free;
    size_t      memory_total;
};

// Loads ggml's backend libraries from a directory. The CPU backend is loaded once per process, by any caller: the variant
// that GGSL_CPU_VARIANT names (cpu_variant.h), else the best for this processor.
void load_backends(const std::string & directory);

// Loads one more backend library, e.g. for a GPU, and adds its devices. Loading it again does nothing. A driver that crashes
// takes the process with it, so try it in another process first.
// Throws Failure (NO_DEVICE) for a library that does not load.
void load_backend(const std::string & path);

std::vector<Device> devices();

// The device of that name. Throws Failure (NO_DEVICE) that lists the devices.
ggml_backend_dev_t device_by_name(const std::string & name);

Family family_of(ggml_backend_dev_t device);

// What decides how a graph is built for a device, and whether it can run there.
struct Target {
    Family                                      family;
    std::function<bool(const ggml_tensor * op)> can_run;
};

Target target_of(ggml_backend_dev_t device);

// The same for a device of this machine, for which graphs are built as for this family.
inline Target local_target(ggml_backend_dev_t device, Family family) {
    return { family, [device](const ggml_tensor * op) { return ggml_backend_dev_supports_op(device, op); } };
}

// A device of another machine, of this kind. Our own kernels are functions of this process and never go there.
Target remote_target(Family kind);

// From now on `target_of` and `family_of` say what holds for a remote device of this kind.
void set_remote(ggml_backend_dev_t device, Family kind);

// "cpu", "cuda", "vulkan", "other", "unknown".
const char * family_name(Family family);
// Throws Failure (INVALID_ARGUMENT).
Family family_by_name(const std::string & name);

// The device that a buffer type belongs to; the CPU if ggml names none.
ggml_backend_dev_t device_of(ggml_backend_buffer_type_t type);

// Threads for computing; backends without threads ignore it.
void set_threads(ggml_backend_t backend, int threads);

// Captures the logs of llama.cpp and ggml. Nothing is printed; a LogCapture keeps what is worth showing in an error.
void capture_logs();

// While alive, keeps the warnings and errors that this thread logs.
class LogCapture {
public:
    LogCapture();
    ~LogCapture();
    LogCapture(const LogCapture &)             = delete;
    LogCapture & operator=(const LogCapture &) = delete;

    // The lines joined into one, e.g. ": llama.cpp said: ..."; empty if there are none.
    std::string suffix() const;

    std::string text;

private:
    LogCapture * outer;
};

} // namespace ggsl
