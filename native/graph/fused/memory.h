// Memory of a thread, for one program after the other: fresh pages would cost as much as computing them.
#pragma once

#include <cstddef>
#include <memory>

namespace ggsl::fused {

// Room for `size` numbers, not set to 0. Each `use` has its own, which lasts until its next call with a larger size.
template <typename T, typename use> T * memory_of(size_t size) {
    static thread_local std::unique_ptr<T[]> memory;
    static thread_local size_t               available = 0;
    if (available < size) {
        memory.reset(new T[size]);
        available = size;
    }
    return memory.get();
}

} // namespace ggsl::fused
