// The tokens of sequences, copied between llama.cpp's contexts and within one.
#pragma once

#include <llama.h>

#include <cstdint>

namespace ggsl {

// `to` of the context gets the tokens of `from`: only the cells that are used are copied. Throws Failure (COMPUTE_FAILED).
void copy_sequence(llama_context * context, int32_t from, int32_t to);

// Two sequences of the context get the tokens of each other, in the same way. Throws Failure (COMPUTE_FAILED).
void swap_sequences(llama_context * context, int32_t a, int32_t b);

// All sequences of one context for another one, which is empty, with as many sequences. A cache for each sequence can become one cache
// for all. Throws Failure (COMPUTE_FAILED).
void copy_sequences(llama_context * from, bool is_shared, llama_context * to, bool becomes_shared);

} // namespace ggsl
