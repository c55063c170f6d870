// The columns of constant inputs on a device: uploaded once, in a buffer of their own that outlives every build of the graph.
#pragma once

#include "support.h"

#include <ggml-alloc.h>

namespace ggsl {

class Columns {
public:
    // Throws Failure (OUT_OF_MEMORY). A graph without constant inputs needs no memory.
    Columns(const BoundGraph & bound, ggml_backend_buffer_type_t type);

    // The column of an input, f32 [V, 1]; null for an input that is not constant.
    ggml_tensor * of(size_t input) const { return tensors[input]; }

    size_t bytes() const { return buffer == nullptr ? 0 : ggml_backend_buffer_get_size(buffer.get()); }

private:
    struct BufferDeleter {
        void operator()(ggml_backend_buffer * given) const { ggml_backend_buffer_free(given); }
    };

    ContextPtr                                          context;
    std::unique_ptr<ggml_backend_buffer, BufferDeleter> buffer;
    std::vector<ggml_tensor *>                          tensors;
};

// Columns of equal size that lie one after the other.
std::vector<Column> columns_of(const float * values, size_t count, size_t size);

// Throws Failure (INVALID_ARGUMENT) unless every constant input has a column with a number for each token.
void check_columns(const BoundGraph & bound);

} // namespace ggsl
