// Loops over a block, compiled for each instruction set and chosen at run time. None of them fuses a product and a sum, so all give the
// same bits.
#pragma once

#include "program.h"

#include <limits>

namespace ggsl::fused {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

struct Bounds {
    float lo;
    float hi;
};

struct Lanes {
    // y = op(x), with the attributes of scale and clamp.
    void (*map)(Kind kind, const float * x, float * y, size_t n, float c0, float c1);
    // z = op(x, y); the step of an operand is 0 for a number, else 1.
    void (*zip)(Kind kind, const float * x, size_t x_step, const float * y, size_t y_step, float * z, size_t n);
    // NaN if one of the numbers is.
    Bounds (*bounds)(const float * x, size_t n);
    // Ignores NaN; -inf if there is no number.
    float (*largest)(const float * x, size_t n);
    double (*sum)(const float * x, size_t n);
    // Prefix sums after `start`, at most `end`.
    void (*scan)(const float * x, float * y, size_t n, double start, double end);
    // The bits of words of 16 bits each, as numbers.
    void (*bits)(const int32_t * words, float * y, size_t n);
    // How many bits of such words are set.
    uint32_t (*ones)(const int32_t * words, size_t n);
    // Writes the positions of the numbers that are `least` or more, in order, and returns how many.
    size_t (*at_least)(const float * x, size_t n, float least, int32_t * positions);
};

const Lanes & lanes();

} // namespace ggsl::fused
