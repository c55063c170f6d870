// What programs that drive libggsl through its C interface begin with: files, models and chains, freed with their pointers.
#pragma once

#include "graph/owned.h"
#include "check.h"
#include "include/ggsl.h"

#include <ggml-backend.h>
#include <llama.h>

#include <fstream>
#include <iterator>
#include <string>

namespace ggsl::test {

using ModelPtr   = Owned<llama_model, llama_model_free>;
using ContextPtr = Owned<llama_context, llama_free>;
using SamplerPtr = Owned<llama_sampler, llama_sampler_free>;
using ChainPtr   = Owned<ggsl_chain, ggsl_chain_free>;

inline std::string read_file(const char * path) {
    std::ifstream file(path, std::ios::binary);
    CHECK(file.good(), "cannot read %s", path);
    return { std::istreambuf_iterator<char>(file), {} };
}

// On the host, or as a whole on a device.
inline ModelPtr load_model(const char * path, ggml_backend_dev_t device = nullptr) {
    ggml_backend_dev_t devices[] = { device, nullptr };
    llama_model_params params    = llama_model_default_params();
    params.n_gpu_layers          = device == nullptr ? 0 : -1;
    params.devices               = device == nullptr ? nullptr : devices;
    ModelPtr model(llama_model_load_from_file(path, params));
    CHECK(model, "cannot load %s", path);
    return model;
}

inline ChainPtr load_chain(const std::string & json) {
    ChainPtr chain(ggsl_chain_load(json.data(), json.size()));
    CHECK(chain, "%s: %s", ggsl_error_code(), ggsl_error());
    return chain;
}

} // namespace ggsl::test
