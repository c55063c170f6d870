// ggml's devices and logs.
#pragma once

#include <ggml-backend.h>

#include <string>
#include <vector>

namespace ggsl {

// What drives a device. Ops differ in what they do at the edges (legalize.h).
enum class Family { cpu, cuda, vulkan, other };

struct Device {
    std::string name;        // ggml's name, e.g. "CPU" or "Vulkan0"
    std::string backend;     // "cpu", "cuda", "vulkan", ...
    std::string description; // e.g. the processor's name
    std::string type;        // "cpu", "gpu", "integrated-gpu", "accelerator"
    size_t      memory_free;
    size_t      memory_total;
};

// Loads ggml's backend libraries from a directory. The CPU backend is loaded once a process, whoever loaded it: the variant that
// GGSL_CPU_VARIANT names (cpu_variant.h), else the best for this processor.
void load_backends(const std::string & directory);

// Loads one more backend library, such as that of a GPU; its devices come to those that there are. Loading it again does
// nothing. A driver that crashes takes the process with it, so try it in another one first.
// Throws Failure (NO_DEVICE) for a library that does not load.
void load_backend(const std::string & path);

std::vector<Device> devices();

// The device of that name. Throws Failure (NO_DEVICE), naming the devices that there are.
ggml_backend_dev_t device_by_name(const std::string & name);

Family family_of(ggml_backend_dev_t device);

// "cpu", "cuda", "vulkan", "other".
const char * family_name(Family family);
// Throws Failure (INVALID_ARGUMENT).
Family family_by_name(const std::string & name);

// The device that a buffer type belongs to; the CPU's where ggml says none.
ggml_backend_dev_t device_of(ggml_backend_buffer_type_t type);

// Threads for computing; backends without threads ignore it.
void set_threads(ggml_backend_t backend, int threads);

// Takes llama.cpp's and ggml's logs. Nothing is printed; a LogCapture keeps what is worth showing in an error.
void capture_logs();

// While alive, keeps the warnings and errors that this thread logs.
class LogCapture {
public:
    LogCapture();
    ~LogCapture();
    LogCapture(const LogCapture &) = delete;
    LogCapture & operator=(const LogCapture &) = delete;

    // The lines on one line, e.g. ": llama.cpp said: ..."; empty when there are none.
    std::string suffix() const;

    std::string text;

private:
    LogCapture * outer;
};

} // namespace ggsl
