// What llama.cpp's loader takes for granted of a GGUF file, and ends the process without.
#pragma once

#include <gguf.h>

#include <memory>
#include <string>

namespace ggsl {

struct HeaderDeleter {
    void operator()(gguf_context * pointer) const { gguf_free(pointer); }
};
// The metadata and the tensors' descriptions, without their data.
using ModelHeader = std::unique_ptr<gguf_context, HeaderDeleter>;

// Checks the metadata. Values of a type that llama.cpp does not expect are left to it: it reports them.
// Throws Failure (INVALID_MODEL).
void check_header(const gguf_context * header, const std::string & name);

} // namespace ggsl
