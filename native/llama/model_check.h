// What llama.cpp's loader takes for granted of a GGUF file, and ends the process without.
#pragma once

#include "graph/owned.h"

#include <gguf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ggsl {

// The metadata and the tensors' descriptions, without their data.
using ModelHeader = Owned<gguf_context, gguf_free>;

// Its readers compare each name with all others, so many of them take minutes.
inline constexpr size_t most_keys    = 4096;
inline constexpr size_t most_tensors = 16384;
inline constexpr size_t counts_end   = 24; // bytes of a file up to the end of its counts

// Checks the counts in a file's first bytes. Throws Failure (INVALID_MODEL).
void check_counts(std::span<const uint8_t> start, const std::string & name);

// Checks the metadata. Values of a type that llama.cpp does not expect are left to it: it reports them.
// Throws Failure (INVALID_MODEL).
void check_header(const gguf_context * header, const std::string & name);

} // namespace ggsl
