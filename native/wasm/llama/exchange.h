// The calling convention: numbers and pointers are passed directly. The caller puts texts and arrays for the module into memory
// from `ggsl_allocate`; those that the module gives stay valid until a function gives others, and are read by `ggsl_given`.
#pragma once

#include "graph/wire.h"
#include "llama/model.h"
#include "wasm/failure_text.h"

#include <emscripten.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace ggsl::wasm {

// A model lives as long as its contexts and grammars; a graph, as long as the contexts that run it.
using SharedModel = std::shared_ptr<Model>;
using SharedGraph = std::shared_ptr<const Graph>;

// Keeps bytes for the caller; true, because 0 means failure.
bool give_bytes(const void * bytes, size_t count);

template <typename T> bool give(const std::vector<T> & values) {
    return give_bytes(values.data(), values.size() * sizeof(T));
}

// Each text is zero-terminated.
bool give_texts(const std::vector<std::string> & texts);

} // namespace ggsl::wasm
