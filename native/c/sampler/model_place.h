// A model of the calling program, as a place to look texts up.
#pragma once

#include "sequence/given.h"

#include "llama/model.h"

namespace ggsl::c {

// Throws Failure (INVALID_ARGUMENT) for a model without a vocabulary.
Place place_of(const std::shared_ptr<Model> & model);

// A number for the texts and kinds of all tokens: equal for equal vocabularies.
uint64_t fingerprint_of(const llama_vocab * vocab);

} // namespace ggsl::c
