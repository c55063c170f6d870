// A model of what a GPU does for a graph: kernels, copies and memory that it sets, and bytes that they move. For the CUDA and Vulkan
// backends of the release that this is linked to, as read in their sources; nothing is measured.
#pragma once

#include "graph/backend.h"

#include <ggml.h>

namespace ggsl::tools {

struct Work {
    int64_t launches = 0;
    int64_t bytes    = 0; // of device memory, read and written

    Work & operator+=(const Work & other) {
        launches += other.launches;
        bytes += other.bytes;
        return *this;
    }
};

// The bytes of a node's operands and its result, each once. Of a gathered operand only the rows that are read, of one that is
// written into only those that are written; views move nothing.
int64_t bytes_moved(const ggml_tensor * node);

// Of a whole graph on one device of this family, which is CUDA or Vulkan; runs of additions and of multiplications are one launch
// where the backend joins them.
Work work_of(ggml_cgraph * graph, Family family);

} // namespace ggsl::tools
