// The last of a context's llama.cpp samplers, behind those of all sequences. llama.cpp calls it when every sequence has named its rows of
// the model's logits, so it builds the subgraph of each group over the rows of that group alone.
#pragma once

#include "sampler_group.h"
#include "sampler_spec.h"

#include <llama.h>

#include <functional>
#include <vector>

namespace ggsl {

// llama.cpp orders its samplers by sequence, and no sequence has this number.
inline constexpr llama_seq_id assembler_sequence = INT32_MAX;

struct GroupToBuild {
    SamplerGroup * group;
    bool           is_active; // some sequence of the batch has a row
};

// In a llama.cpp sampler chain, as contexts need it. `groups` is called for every build of the model's graph.
SamplerPtr make_assembler(std::function<std::vector<GroupToBuild>()> groups);

} // namespace ggsl
