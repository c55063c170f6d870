// Streams of random numbers: those of std::mt19937, as llama.cpp's samplers draw them.
#pragma once

#include "spec/spec.h"

#include <random>

namespace ggsl::c {

// A number from the system, for a seed that is random.
uint32_t random_seed();

// A place in the stream of a draw.
class Stream {
public:
    Stream(const Draw & draw, uint32_t seed);

    // The draw for the present token, in (0, 1); of a draw of the kind `seed` the seed.
    double value() const { return present; }
    // How many draws came before.
    int64_t  count() const { return number; }
    uint32_t seed() const { return given; }
    // Goes on to a later draw.
    void advance(int64_t count);

private:
    void draw();

    Draw::Kind   kind;
    uint32_t     given; // before the number of the stream is mixed in
    std::mt19937 generator;
    int64_t      number  = 0;
    double       present = 0;
};

} // namespace ggsl::c
