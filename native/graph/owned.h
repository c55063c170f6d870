// Owners of what C libraries make and free.
#pragma once

#include <memory>

namespace ggsl {

template <auto release> struct Release {
    void operator()(auto * pointer) const { release(pointer); }
};

// Freed by `release`: `Owned<ggml_context, ggml_free>`.
template <typename T, auto release> using Owned = std::unique_ptr<T, Release<release>>;

} // namespace ggsl
