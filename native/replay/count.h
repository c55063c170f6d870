// Work of the graphs on GPUs (work.h), counted without a GPU.
#pragma once

#include "cases.h"
#include "device.h"
#include "json.h"

namespace ggsl::tools {

// Nodes, launches and bytes for one token of every row, by family of devices: of GGSL's graph, and of llama.cpp's if the case has
// a chain of its samplers and the device has all of them.
Json count_case(const Case & c, const Device & device);

} // namespace ggsl::tools
