// What a graph reads on a device that never changes, uploaded once, in buffers that outlive every build: the columns of its constant
// inputs, and the table that takes bits apart.
#pragma once

#include "bits.h"
#include "support.h"

#include <ggml-alloc.h>

namespace ggsl {

class Columns {
public:
    // Throws Failure (OUT_OF_MEMORY). A graph without constant and packed inputs needs no memory.
    Columns(const BoundGraph & bound, ggml_backend_buffer_type_t type, Family family);

    // The column of an input, f32 [V, 1]; null for an input that is not constant.
    ggml_tensor * of(size_t input) const { return tensors[input]; }

    // The table of all words; null where a kernel takes bits apart.
    ggml_tensor * bits() const { return table == nullptr ? nullptr : table->tensor(); }

    // Device memory of the columns; the table belongs to all graphs on the device.
    size_t bytes() const { return buffer == nullptr ? 0 : ggml_backend_buffer_get_size(buffer.get()); }
    // Bytes that were written to the device for this object.
    size_t uploaded_bytes() const { return uploaded; }

private:
    ContextPtr                 context;
    BufferPtr                  buffer;
    std::vector<ggml_tensor *> tensors;
    std::shared_ptr<BitTable>  table;
    size_t                     uploaded = 0;
};

// Columns of equal size that lie one after the other.
std::vector<Column> columns_of(const float * values, size_t count, size_t size);

// Throws Failure (INVALID_ARGUMENT) unless every constant input has a column with a number for each token.
void check_columns(const BoundGraph & bound);

} // namespace ggsl
