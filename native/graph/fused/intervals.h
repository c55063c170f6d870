// Interval arithmetic over the blocks of a column: between which numbers a block's results lie, without reading them. Each end is
// computed by the same instructions as the numbers, whose rounding is monotone; so a block whose ends are equal holds that number
// everywhere.
#pragma once

#include "lanes.h"

namespace ggsl::fused {

// Blocks of a column, or one number for all of them (`step` 0). NaN: nothing is known.
struct Intervals {
    const float * lo;
    const float * hi;
    size_t        step;
};

// NaN unless these are bounds: between -inf and inf may be a NaN, which a later op could hide.
Bounds checked(float lo, float hi);

// Writes the intervals of `step` over `count` blocks. Not for given columns, positions, orders and scans.
void find_intervals(const Step & step, const Intervals & x, const Intervals & y, float * lo, float * hi, size_t count);

} // namespace ggsl::fused
