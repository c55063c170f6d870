// Builds llama.cpp's own CPU samplers from a name and named parameters.
#pragma once

#include "graph/owned.h"

#include <llama.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace ggsl {

struct Value;
using List = std::vector<Value>;

// A value of a type that no parameter has; `what` names it in an error, e.g. "a boolean".
struct Other {
    std::string what;
};

// An argument, not yet checked.
struct Value {
    std::variant<double, std::string, List, Other> data;
};

struct SamplerSpec {
    std::string                  name;
    std::map<std::string, Value> parameters;
};

using SamplerPtr = Owned<llama_sampler, llama_sampler_free>;

// Absent parameters have the defaults of llama.cpp's command line. `vocab` may be null if none is needed. Throws Failure
// (INVALID_ARGUMENT) for what llama.cpp does not have, or would abort on.
SamplerPtr make_sampler(const SamplerSpec & spec, const llama_vocab * vocab);

// The text and the start rule of a "grammar" spec; the text is not parsed. Throws Failure (INVALID_ARGUMENT).
struct GrammarTexts {
    std::string text;
    std::string root;
};
GrammarTexts grammar_texts(const SamplerSpec & spec, const llama_vocab * vocab);

// How many tokens of the text the sampler looks at; 0 for one that does not look at it. Throws Failure (INVALID_ARGUMENT).
size_t window_length(const SamplerSpec & spec);

// Whether the sampler of that name picks a token.
bool picks_token(const std::string & name);

} // namespace ggsl
