// The parameters of llama.cpp's samplers: types of the data in facts.generated.h, whose source is compiler/llama.
#pragma once

#include <cfloat>
#include <cstdint>
#include <span>

namespace ggsl::facts {

enum class Type { f32, i32, seed, text, list };

struct Parameter {
    const char *                  name;
    Type                          type;
    double                        number   = 0; // the default of an f32 or an i32
    double                        min      = -FLT_MAX;
    double                        max      = FLT_MAX;
    bool                          is_above = false; // `min` itself is excluded
    std::span<const char * const> texts    = {};    // the default of a text or a list; a text without one is required
};

struct Sampler {
    const char *               name;
    bool                       picks;
    std::span<const Parameter> parameters;
};

} // namespace ggsl::facts
