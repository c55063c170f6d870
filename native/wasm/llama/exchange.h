// How values cross: numbers and pointers as they are; texts and arrays given to the module lie in memory that `ggsl_allocate`
// gave, those that it gives are kept until the next function that gives some, and read by `ggsl_given`.
#pragma once

#include "wasm/failure_text.h"
#include "llama/model.h"
#include "graph/wire.h"

#include <emscripten.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace ggsl::wasm {

// A model stays as long as its contexts and grammars; a graph, as long as the contexts that run it.
using SharedModel = std::shared_ptr<Model>;
using SharedGraph = std::shared_ptr<const Graph>;

// Keeps bytes for the caller; true, because 0 is a failure.
bool give_bytes(const void * bytes, size_t count);

template <typename T> bool give(const std::vector<T> & values) { return give_bytes(values.data(), values.size() * sizeof(T)); }

// Each text ends with a zero.
bool give_texts(const std::vector<std::string> & texts);

} // namespace ggsl::wasm
