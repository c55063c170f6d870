// Replays recorded cases on a device and compares the outputs.
#pragma once

#include "cases.h"
#include "device.h"

#include <optional>
#include <string>

namespace ggsl::tools {

// Nothing if all outputs are as expected, else the first difference.
//
// Picks and kept rows must be the same, best first where expected; the order of ties is unspecified. Logits and states differ
// by at most the tolerance times max(1, |expected|), probabilities by at most the tolerance.
std::optional<std::string> compare(const Case & c, const Results & found);

// Runs a case. Throws Failure if it cannot run.
std::optional<std::string> check_case(const Case & c, ggml_backend_dev_t device, int threads);

} // namespace ggsl::tools
