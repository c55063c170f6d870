// Takes the words of a packed input apart.
#pragma once

#include "graph.h"
#include "owned.h"

#include <ggml-alloc.h>
#include <ggml-backend.h>

#include <memory>

namespace ggsl {

using BufferPtr  = Owned<ggml_backend_buffer, ggml_backend_buffer_free>;
using ContextPtr = Owned<ggml_context, ggml_free>;

// The bits of every word as numbers, f32 [16, 65536] in 4 MB, on a device.
class BitTable {
public:
    // Throws Failure (OUT_OF_MEMORY).
    explicit BitTable(ggml_backend_buffer_type_t type);

    ggml_tensor * tensor() const { return table; }

private:
    ContextPtr    context;
    BufferPtr     buffer;
    ggml_tensor * table;
};

// The one table for all graphs on a device, as long as one of them is there. Adds what was written to the device to `uploaded`.
std::shared_ptr<BitTable> bit_table(ggml_backend_buffer_type_t type, size_t & uploaded);

// By rows of the table, for devices other than the CPU: f32 [n, rows] of the words i32 [ceil(n / 16), rows].
ggml_tensor * bits_by_table(Builder & b, ggml_tensor * words, int64_t n);

} // namespace ggsl
