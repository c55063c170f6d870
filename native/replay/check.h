// Replays recorded cases on a device and compares what comes out.
#pragma once

#include "cases.h"
#include "device.h"

#include <optional>
#include <string>

namespace ggsl::tools {

// Nothing where all outputs are as expected, else what was expected and found first.
//
// Picks are the same, and so are the rows that are kept; they are best first where they should be. Rows of the same logit may
// change places, which is left open between devices. Logits and states differ by at most the tolerance times
// max(1, |expected|), probabilities by at most the tolerance.
std::optional<std::string> compare(const Case & c, const Results & found);

// Runs a case. Throws Failure where it can not run.
std::optional<std::string> check_case(const Case & c, ggml_backend_dev_t device, int threads);

} // namespace ggsl::tools
