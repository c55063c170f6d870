// Which llama.cpp the library is built for.
#pragma once

#include "llama/facts.generated.h"

namespace ggsl::c {

inline constexpr const char * version_text = GGSL_VERSION ", for llama.cpp " GGSL_LLAMA_TAG;

// Throws Failure (WRONG_VERSION) unless the program's llama.cpp and ggml are those that this library is compiled for: the interface
// of samplers is experimental, and changes without notice.
void check_llama();

} // namespace ggsl::c
