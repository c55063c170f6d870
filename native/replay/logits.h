// Logits generated from a seed, for timing: their values do not matter, their distribution does.
#pragma once

#include "cases.h"

namespace ggsl::tools {

// Fills `logits` of a case that has none. Each row is normally distributed. Flat: deviation 1, nearly every token stays a
// candidate. Peaked: deviation 2, and 8 tokens 12 to 19 above the rest, as from a confident model.
void fill_logits(Case & c);

} // namespace ggsl::tools
