#include "remote.h"

#include "graph/failure.h"

#include <ggml-rpc.h>

#include <cinttypes>
#include <filesystem>
#include <fstream>

namespace ggsl::addon {

namespace {

// A function of the RPC backend's library.
template <typename Function> Function * rpc_function(const std::string & library, const char * name) {
    load_backend(library);
    ggml_backend_reg_t rpc   = ggml_backend_reg_by_name("RPC");
    void *             found = rpc == nullptr ? nullptr : ggml_backend_reg_get_proc_address(rpc, name);
    if (found == nullptr) {
        fail(code::no_device, "%s has no %s", library.c_str(), name);
    }
    return reinterpret_cast<Function *>(found);
}

// FNV-1a of a file, as the name that a worker gives it.
std::string name_for(const std::filesystem::path & file) {
    std::ifstream     stream(file, std::ios::binary);
    std::vector<char> block(1 << 20);
    uint64_t          hash = 0xcbf29ce484222325;
    while (stream) {
        stream.read(block.data(), static_cast<std::streamsize>(block.size()));
        for (std::streamsize i = 0; i < stream.gcount(); ++i) {
            hash = (hash ^ static_cast<unsigned char>(block[static_cast<size_t>(i)])) * 0x100000001b3;
        }
    }
    char text[17];
    std::snprintf(text, sizeof(text), "%016" PRIx64, hash);
    return text;
}

} // namespace

std::vector<std::string> add_worker(const std::string & library, const std::string & endpoint, Family kind) {
    const auto add = rpc_function<decltype(ggml_backend_rpc_add_server)>(library, "ggml_backend_rpc_add_server");
    ggml_backend_reg_t worker = add(endpoint.c_str());
    if (worker == nullptr) {
        fail(code::no_device, "the worker at %s has no device", endpoint.c_str());
    }
    std::vector<std::string> names;
    for (size_t i = 0; i < ggml_backend_reg_dev_count(worker); ++i) {
        ggml_backend_dev_t device = ggml_backend_reg_dev_get(worker, i);
        set_remote(device, kind);
        names.emplace_back(ggml_backend_dev_name(device));
    }
    if (ggml_backend_dev_by_name(names.front().c_str()) == nullptr) {
        ggml_backend_register(worker);
    }
    return names;
}

void run_worker(const WorkerOptions & options) {
    const auto start =
        rpc_function<decltype(ggml_backend_rpc_start_server)>(options.library, "ggml_backend_rpc_start_server");
    std::vector<ggml_backend_dev_t> devices;
    for (const std::string & name : options.devices) {
        devices.push_back(device_by_name(name));
    }
    if (devices.empty() || options.threads < 1) {
        fail(code::invalid_argument, "a worker needs a device and a thread");
    }
    start(options.endpoint.c_str(), options.cache.empty() ? nullptr : options.cache.c_str(),
          static_cast<size_t>(options.threads), devices.size(), devices.data());
}

void check_cache(const std::string & folder) {
    namespace fs = std::filesystem;
    fs::path           newest;
    fs::file_time_type time = fs::file_time_type::min();
    for (const fs::directory_entry & entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const bool is_weights  = name.size() == 16 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
        if (is_weights && entry.is_regular_file() && entry.last_write_time() >= time) {
            newest = entry.path();
            time   = entry.last_write_time();
        }
    }
    if (!newest.empty() && newest.filename() != name_for(newest)) {
        fs::remove(newest);
    }
}

} // namespace ggsl::addon
