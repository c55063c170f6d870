// llama.cpp's rules of a grammar as the table of nodes that the engine reads (native/grammar/program.h).
#pragma once

#include <cstdint>
#include <vector>

namespace ggsl {

struct GrammarRules;

// llama.cpp's parser writes a repetition as rules of its own: those become repetitions again.
std::vector<uint32_t> table_of(const GrammarRules & rules);

} // namespace ggsl
