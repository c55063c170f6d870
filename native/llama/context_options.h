// The options of a context, and their conversion to llama.cpp's.
#pragma once

#include "graph/graph.h"

#include <llama.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ggsl {

enum class Placement { graph, host };

// Where the tokens of sequences are: each has a cache of its own, so that nobody's attention passes over the tokens of others; or all
// share one, from which a graph can compute any sequences with any numbers of tokens.
enum class Cache { own, shared };

struct ContextOptions {
    int32_t               context_size  = 0;   // tokens over all sequences; 0: the model's training context
    int32_t               batch_size    = 512; // tokens computed at once
    int32_t               sequences     = 1;
    int32_t               rows          = 1; // outputs of a sequence that one graph can have
    int32_t               outputs       = 0; // of all sequences together; 0: `rows` of one sequence, one of each other
    int32_t               threads       = 0; // 0: half the number of processors
    int32_t               batch_threads = 0; // for more than one token at once; 0: the same as `threads`
    ggml_type             cache_type_k  = GGML_TYPE_F16;
    ggml_type             cache_type_v  = GGML_TYPE_F16;
    llama_flash_attn_type flash_attention = LLAMA_FLASH_ATTN_TYPE_AUTO;
    Placement             placement       = Placement::graph;
    Cache                 cache           = Cache::own; // where a model and its chains allow it
    bool                  bundles         = true;       // small ops of chains on the CPU are one node
    bool                  check_logits    = false;      // check every raw logit of every output
    std::vector<std::shared_ptr<const Graph>> chains;   // by sequence; null: none
    std::vector<uint8_t>                      guides;   // by sequence; 1: it is a guide, as in set_chain
};

// The cache type of that name. Throws Failure (INVALID_ARGUMENT) that lists the valid ones.
ggml_type cache_type_by_name(const std::string & name, const char * what);
// "auto": own, "shared". Throws Failure (INVALID_ARGUMENT).
Cache cache_by_name(const std::string & name);
// "auto", "on", "off". Throws Failure (INVALID_ARGUMENT).
llama_flash_attn_type flash_attention_by_name(const std::string & name);

// Of an option of this name. Throws Failure (INVALID_ARGUMENT).
void check_range(int32_t value, int32_t min, int32_t max, const char * name);

// Throws Failure (INVALID_ARGUMENT).
void check_options(const ContextOptions & options);

// Of options that were checked; callbacks and samplers are left to the caller.
llama_context_params to_params(const ContextOptions & options);

} // namespace ggsl
