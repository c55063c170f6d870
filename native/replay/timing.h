// GGSL against llama.cpp, side by side in one process.
#pragma once

#include "cases.h"
#include "device.h"
#include "json.h"

namespace ggsl::tools {

struct TimingOptions {
    int    rounds   = 15;      // at most; a slow case has fewer
    double round_us = 20000.0; // about how long each side runs in a round, at least once
};

// Measures one case: in every round the sides pick tokens in turn, in changing order, so that the machine's noise affects all of
// them. Returns medians and quartiles over the rounds, and ratios taken within a round.
Json time_case(const Case & c, const Device & device, const TimingOptions & options);

// Profiles one token: microseconds and bytes of each node, run alone, of GGSL's graph and of llama.cpp's.
std::vector<Json> profile_case(const Case & c, const Device & device, int rounds);

} // namespace ggsl::tools
