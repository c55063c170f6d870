// Chains of llama.cpp's samplers, written as text: "top_k k=40 | temp t=0.8 | dist seed=42".
#pragma once

#include "llama/sampler_spec.h"

#include <span>

namespace ggsl::tools {

// Numbers are the only parameters. Samplers that need to know the vocabulary's size are told. The history is accepted.
// Throws Failure (INVALID_ARGUMENT) for a text that is no chain, and for chains that llama.cpp would abort on.
SamplerPtr make_chain(const std::string & text, int32_t vocab_size, std::span<const int32_t> history);

// The stages that llama.cpp has no version of for the device that holds the logits, in their order.
std::vector<std::string> stages_without_backend(llama_sampler * chain);

} // namespace ggsl::tools
