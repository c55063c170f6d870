#include "context_options.h"

#include "graph/failure.h"
#include "facts.generated.h"

#include <algorithm>
#include <thread>

namespace ggsl {

void check_range(int32_t value, int32_t min, int32_t max, const char * name) {
    if (value < min || value > max) {
        fail(code::invalid_argument, "%s: expected %d to %d, found %d", name, min, max, value);
    }
}

void check_options(const ContextOptions & options) {
    check_range(options.context_size, 0, facts::max_context, "contextSize");
    check_range(options.batch_size, 1, facts::max_batch, "batchSize");
    check_range(options.sequences, 1, static_cast<int32_t>(llama_max_parallel_sequences()), "sequences");
    check_range(options.rows, 1, static_cast<int32_t>(facts::max_rows), "rows");
    check_range(options.outputs, 0, options.sequences * options.rows, "outputs");
    check_range(options.threads, 0, facts::max_threads, "threads");
    check_range(options.batch_threads, 0, facts::max_threads, "batchThreads");
    if (options.chains.size() > static_cast<size_t>(options.sequences)) {
        fail(code::invalid_argument, "%zu chains for %d sequences", options.chains.size(), options.sequences);
    }
    if (ggml_is_quantized(options.cache_type_v) && options.flash_attention == LLAMA_FLASH_ATTN_TYPE_DISABLED) {
        fail(code::invalid_argument,
             "cacheTypeV: %s needs flash attention, which is off: set flashAttention to auto or on",
             ggml_type_name(options.cache_type_v));
    }
}

ggml_type cache_type_by_name(const std::string & name, const char * what) {
    std::string names;
    for (const ggml_type type : facts::cache_types) {
        if (name == ggml_type_name(type)) {
            return type;
        }
        names += (names.empty() ? "" : ", ") + std::string(ggml_type_name(type));
    }
    fail(code::invalid_argument, "%s: expected one of %s, found \"%s\"", what, names.c_str(), name.c_str());
}

Cache cache_by_name(const std::string & name) {
    if (name != "auto" && name != "shared") {
        fail(code::invalid_argument, "cache: expected auto or shared, found \"%s\"", name.c_str());
    }
    return name == "shared" ? Cache::shared : Cache::own;
}

llama_flash_attn_type flash_attention_by_name(const std::string & name) {
    if (name == "auto") {
        return LLAMA_FLASH_ATTN_TYPE_AUTO;
    }
    if (name == "on") {
        return LLAMA_FLASH_ATTN_TYPE_ENABLED;
    }
    if (name == "off") {
        return LLAMA_FLASH_ATTN_TYPE_DISABLED;
    }
    fail(code::invalid_argument, "flashAttention: expected auto, on or off, found \"%s\"", name.c_str());
}

llama_context_params to_params(const ContextOptions & options) {
    // One thread per core: hardware threads share a core's arithmetic, and ggml's threads wait by spinning.
    const auto    cores   = static_cast<int32_t>(std::max(1u, std::thread::hardware_concurrency() / 2));
    const int32_t threads = options.threads == 0 ? cores : options.threads;

    llama_context_params params  = llama_context_default_params();
    params.n_ctx                 = static_cast<uint32_t>(options.context_size);
    const int32_t outputs        = std::max(options.outputs, options.sequences - 1 + options.rows);
    params.n_batch               = static_cast<uint32_t>(std::max(options.batch_size, outputs));
    params.n_ubatch              = params.n_batch; // one graph per decode: states are read after it
    params.n_seq_max             = static_cast<uint32_t>(options.sequences);
    params.n_outputs_max         = static_cast<uint32_t>(outputs);
    params.n_outputs_max_per_seq = static_cast<uint32_t>(options.rows);
    params.n_threads             = threads;
    params.n_threads_batch       = options.batch_threads == 0 ? threads : options.batch_threads;
    params.type_k                = options.cache_type_k;
    params.type_v                = options.cache_type_v;
    params.flash_attn_type       = options.flash_attention;
    // for one sequence both are the same, and llama.cpp checks a batch for one sequence in place of 256
    params.kv_unified = options.sequences > 1 && options.cache == Cache::shared;
    params.no_perf    = true;
    return params;
}

} // namespace ggsl
