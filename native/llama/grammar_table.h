// llama.cpp's rules of a grammar as the table of nodes that the engine reads (native/grammar/program.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ggsl {

struct GrammarRules;

// llama.cpp's parser writes a repetition as rules of its own: those become repetitions again. `marked`: the names of the rules that get the
// marks 0, 1 and so on. Throws Failure (INVALID_ARGUMENT) for a name that no rule has.
std::vector<uint32_t> table_of(const GrammarRules & rules, const std::vector<std::string> & marked = {});

} // namespace ggsl
