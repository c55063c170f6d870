// Chains of llama.cpp's samplers, written as text: "top_k k=40 | temp t=0.8 | dist seed=42".
#pragma once

#include "llama/sampler_spec.h"

#include <span>

namespace ggsl::tools {

// Parameters are numbers. Samplers that need the vocabulary size get it. The chain has accepted the history.
// Throws Failure (INVALID_ARGUMENT) for an invalid text, and for chains that llama.cpp would abort on.
SamplerPtr make_chain(const std::string & text, int32_t vocab_size, std::span<const int32_t> history);

// The stages that llama.cpp cannot run on the device that holds the logits, in their order.
std::vector<std::string> stages_without_backend(llama_sampler * chain);

} // namespace ggsl::tools
