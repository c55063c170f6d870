// Range analysis: bounds of a graph's numbers, known before it runs.
#pragma once

#include "wire.h"

#include <vector>

namespace ggsl {

// All values of a node lie between `lo` and `hi`, which may be infinite, unless they are NaN.
struct Range {
    double lo;
    double hi;
    bool   may_be_nan;

    bool is_finite() const;
    // Above -FLT_MAX, so that argmax finds a largest number on every device.
    bool is_above_lowest() const;
};

// One range per node of a graph whose dims are numbers. Logits may be anything; other inputs and uniforms anything but NaN.
std::vector<Range> find_ranges(const Graph & graph);

} // namespace ggsl
