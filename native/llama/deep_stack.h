// Work that needs a deep stack: a thread of its own for it.
#pragma once

#include <cstddef>
#include <functional>

namespace ggsl {

// Runs `work` on a new thread with a stack of `bytes`, and waits for it. Pages that it does not touch take no memory, and those that it
// does are free after it. What it throws is thrown here. Throws Failure (OUT_OF_MEMORY). Without threads, as in WebAssembly, it runs
// on the caller's stack.
void with_stack(size_t bytes, const std::function<void()> & work);

} // namespace ggsl
