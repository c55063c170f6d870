#include "sequence/random.h"

#include <algorithm>
#include <cmath>

namespace ggsl::c {

namespace {

// The finalizer of MurmurHash3.
uint32_t mix(uint32_t h) {
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

// The seed of a stream of a seed; without a number it is that of llama.cpp's samplers.
uint32_t stream_seed(uint32_t seed, const std::optional<uint32_t> & stream) {
    return stream ? mix(seed ^ mix(*stream)) : seed;
}

// Replaces a draw of 0, which would pick a row of probability 0.
const double smallest_draw = std::ldexp(1.0, -54);

} // namespace

uint32_t random_seed() {
    return std::random_device{}();
}

Stream::Stream(const Draw & draw, uint32_t seed)
    : kind(draw.kind), given(seed), generator(stream_seed(seed, draw.stream)) {
    this->draw();
}

// The standard's distributions are those of the library; these are llama.cpp's results with libstdc++.
void Stream::draw() {
    double drawn = 0;
    switch (kind) {
        case Draw::Kind::seed: present = given; return;
        case Draw::Kind::f32:
            drawn = static_cast<double>(static_cast<float>(generator())) / 4294967296.0;
            drawn = drawn >= 1 ? 1 - std::ldexp(1.0, -24) : drawn;
            break;
        case Draw::Kind::f64: {
            const auto low = static_cast<double>(generator());
            drawn          = (low + static_cast<double>(generator()) * 4294967296.0) / 18446744073709551616.0;
            drawn          = drawn >= 1 ? 1 - std::ldexp(1.0, -53) : drawn;
            break;
        }
    }
    present = std::max(drawn, smallest_draw);
}

void Stream::advance(int64_t count) {
    if (count <= number) {
        return;
    }
    if (kind != Draw::Kind::seed) {
        generator.discard(static_cast<unsigned long long>(count - number - 1) * (kind == Draw::Kind::f64 ? 2 : 1));
        draw();
    }
    number = count;
}

} // namespace ggsl::c
