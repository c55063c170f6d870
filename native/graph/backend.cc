#include "backend.h"

#include "cpu_variant.h"
#include "failure.h"

#include <llama.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace ggsl {

namespace {

thread_local LogCapture * innermost = nullptr;

// GGML_LOG_LEVEL_CONT continues the line before.
thread_local bool continues = false;

void on_log(ggml_log_level level, const char * text, void *) {
    if (level != GGML_LOG_LEVEL_CONT) {
        continues = level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR;
    }
    if (continues && innermost != nullptr) {
        innermost->text += text;
    }
}

const char * type_name(enum ggml_backend_dev_type type) {
    switch (type) {
        case GGML_BACKEND_DEVICE_TYPE_CPU:  return "cpu";
        case GGML_BACKEND_DEVICE_TYPE_GPU:  return "gpu";
        case GGML_BACKEND_DEVICE_TYPE_IGPU: return "integrated-gpu";
        default:                            return "accelerator";
    }
}

std::string backend_name(ggml_backend_dev_t device) {
    std::string name = ggml_backend_reg_name(ggml_backend_dev_backend_reg(device));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

ggml_backend_dev_t cpu_device() {
    return ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
}

constexpr std::array<const char *, 5> family_names = { "cpu", "cuda", "vulkan", "other", "unknown" };

// The kinds of remote devices, which ggml does not know. Devices are never removed.
class RemoteKinds {
public:
    void set(ggml_backend_dev_t device, Family kind) {
        const std::lock_guard lock(mutex);
        kinds[device] = kind;
    }
    // None for a device of this machine. RPC says that it can run everything, so what nobody described counts as unknown.
    std::optional<Family> find(ggml_backend_dev_t device) {
        const std::lock_guard lock(mutex);
        const auto            found = kinds.find(device);
        if (found != kinds.end()) {
            return found->second;
        }
        return backend_name(device).starts_with("rpc") ? std::optional(Family::unknown) : std::nullopt;
    }

private:
    std::mutex                           mutex;
    std::map<ggml_backend_dev_t, Family> kinds;
};

RemoteKinds & remote_kinds() {
    static RemoteKinds kinds;
    return kinds;
}

// Rows that every backend can sort.
constexpr int64_t narrow_sort = 1024;

// By reading the backends of the release: Metal, SYCL, WebGPU, HIP and MUSA have every op of the op table but for these.
bool runs_on_other(const ggml_tensor & tensor) {
    switch (tensor.op) {
        case GGML_OP_ROLL:   // WebGPU
        case GGML_OP_ARANGE: // WebGPU
            return false;
        case GGML_OP_ARGSORT: // HIP and MUSA
        case GGML_OP_TOP_K:   return tensor.src[0]->ne[0] <= narrow_sort;
        default:              return true;
    }
}

// The same with OpenCL and CANN.
bool runs_on_unknown(const ggml_tensor & tensor) {
    switch (tensor.op) {
        case GGML_OP_LOG:    // OpenCL
        case GGML_OP_ARGMAX: // OpenCL
        case GGML_OP_TOP_K:  // both
            return false;
        case GGML_OP_UNARY: {
            const ggml_unary_op op = ggml_get_unary_op(&tensor);
            return op != GGML_UNARY_OP_FLOOR && op != GGML_UNARY_OP_CEIL && op != GGML_UNARY_OP_ROUND; // CANN
        }
        default: return runs_on_other(tensor);
    }
}

bool is_own_kernel(const ggml_tensor & tensor) {
    return tensor.op == GGML_OP_CUSTOM || tensor.op == GGML_OP_MAP_CUSTOM1 || tensor.op == GGML_OP_MAP_CUSTOM2 ||
           tensor.op == GGML_OP_MAP_CUSTOM3;
}

bool runs_on(Family kind, const ggml_tensor & tensor) {
    switch (kind) {
        case Family::cpu:    return ggml_backend_dev_supports_op(cpu_device(), &tensor);
        case Family::cuda:
        case Family::vulkan: return true;
        case Family::other:  return runs_on_other(tensor);
        default:             return runs_on_unknown(tensor);
    }
}

} // namespace

void load_backends(const std::string & directory) {
    static std::mutex     mutex;
    const std::lock_guard lock(mutex);
    if (cpu_device() != nullptr) {
        return;
    }
    const std::string chosen = chosen_cpu_variant(directory);
    ggml_backend_load_all_from_path(directory.c_str());
    if (!chosen.empty()) {
        // replaces the best variant, which ggml loads with all other backends
        if (ggml_backend_dev_t best = cpu_device()) {
            ggml_backend_unload(ggml_backend_dev_backend_reg(best));
        }
        load_backend(chosen);
    }
    if (cpu_device() == nullptr) {
        fail(code::no_device, "no ggml backend for this processor in %s", directory.c_str());
    }
}

void load_backend(const std::string & path) {
    static std::mutex            mutex;
    static std::set<std::string> loaded;
    const std::lock_guard        lock(mutex);
    if (loaded.count(path) > 0) {
        return;
    }
    const LogCapture log;
    if (ggml_backend_load(path.c_str()) == nullptr) {
        fail(code::no_device, "%s does not load%s", path.c_str(), log.suffix().c_str());
    }
    loaded.insert(path);
}

std::vector<Device> devices() {
    std::vector<Device> list;
    for (size_t i = 0; i < ggml_backend_dev_count(); ++i) {
        ggml_backend_dev_t dev = ggml_backend_dev_get(i);
        Device             device{ ggml_backend_dev_name(dev),
                       backend_name(dev),
                       ggml_backend_dev_description(dev),
                       type_name(ggml_backend_dev_type(dev)),
                       0,
                       0 };
        ggml_backend_dev_memory(dev, &device.memory_free, &device.memory_total);
        list.push_back(device);
    }
    return list;
}

ggml_backend_dev_t device_by_name(const std::string & name) {
    if (ggml_backend_dev_t device = ggml_backend_dev_by_name(name.c_str())) {
        return device;
    }
    std::string names;
    for (const Device & device : devices()) {
        names += (names.empty() ? "" : ", ") + device.name;
    }
    fail(code::no_device, "no device \"%s\"; there are: %s", name.c_str(), names.empty() ? "none" : names.c_str());
}

void set_remote(ggml_backend_dev_t device, Family kind) {
    remote_kinds().set(device, kind);
}

Target remote_target(Family kind) {
    // without our kernels a CPU needs what holds for any device
    return { kind == Family::cpu ? Family::other : kind,
             [kind](const ggml_tensor * op) { return !is_own_kernel(*op) && runs_on(kind, *op); } };
}

Target target_of(ggml_backend_dev_t device) {
    if (const auto kind = remote_kinds().find(device)) {
        return remote_target(*kind);
    }
    return local_target(device, family_of(device));
}

Family family_of(ggml_backend_dev_t device) {
    if (const auto kind = remote_kinds().find(device)) {
        return remote_target(*kind).family;
    }
    const std::string name  = backend_name(device);
    const auto        found = std::find(family_names.begin(), family_names.end(), name);
    return found == family_names.end() ? Family::other : static_cast<Family>(found - family_names.begin());
}

const char * family_name(Family family) {
    return family_names[static_cast<size_t>(family)];
}

Family family_by_name(const std::string & name) {
    const auto found = std::find(family_names.begin(), family_names.end(), name);
    if (found == family_names.end()) {
        fail(code::invalid_argument, "expected cpu, cuda, vulkan, other or unknown, found \"%s\"", name.c_str());
    }
    return static_cast<Family>(found - family_names.begin());
}

ggml_backend_dev_t device_of(ggml_backend_buffer_type_t type) {
    ggml_backend_dev_t device = ggml_backend_buft_get_device(type);
    // the memory of the host that a device reads fast is where the CPU computes
    const bool is_host = device != nullptr && ggml_backend_dev_host_buffer_type(device) == type;
    return device != nullptr && !is_host ? device : cpu_device();
}

void set_threads(ggml_backend_t backend, int threads) {
    ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend));
    void * function = reg == nullptr ? nullptr : ggml_backend_reg_get_proc_address(reg, "ggml_backend_set_n_threads");
    if (function != nullptr) {
        reinterpret_cast<ggml_backend_set_n_threads_t>(function)(backend, threads);
    }
}

void capture_logs() {
    llama_log_set(on_log, nullptr);
}

LogCapture::LogCapture() : outer(innermost) {
    innermost = this;
}

LogCapture::~LogCapture() {
    innermost = outer;
}

std::string LogCapture::suffix() const {
    if (text.empty()) {
        return "";
    }
    std::string line = text.substr(0, text.find_last_not_of('\n') + 1);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return ": llama.cpp said: " + line;
}

} // namespace ggsl
