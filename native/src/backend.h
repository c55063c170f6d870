// ggml's devices and logs.
#pragma once

#include <ggml-backend.h>

#include <string>
#include <vector>

namespace ggsl {

struct Device {
    std::string name;        // ggml's name, e.g. "CPU" or "Vulkan0"
    std::string description; // e.g. the processor's name
    std::string type;        // "cpu", "gpu", "integrated-gpu", "accelerator"
    size_t      memory_free;
    size_t      memory_total;
};

// Loads ggml's backend libraries from a directory. The CPU backend is loaded once a process, whoever loaded it.
void load_backends(const std::string & directory);

std::vector<Device> devices();

// The device of that name. Throws Failure (NO_DEVICE), naming the devices that there are.
ggml_backend_dev_t device_by_name(const std::string & name);

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
