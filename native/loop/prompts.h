// The prompts of texts, all but their last tokens, read in pieces so that texts that have begun do not wait for long.
#pragma once

#include "loop/places.h"

namespace ggsl::loop {

// Adds the next tokens of prompts to a batch, at most so many: those of the text that was asked for first come first. What a prompt
// shares with what another place holds is copied; one that shares more with a prompt that is being read waits for that.
void add_prompts(Batch & batch, Places & places, size_t most);

} // namespace ggsl::loop
