#include "hash.h"

#include "ops.h"

namespace ggsl {

namespace {

using Tensor = ggml_tensor *;

constexpr auto half  = static_cast<float>(hash_half);
constexpr auto range = static_cast<float>(hash_range);

// A spec may have any operands. The ranges of nodes are widened by rounding, so they do not show that a key is below 2^24.
Tensor bounded(Builder & b, const Node & node, Tensor x) {
    const Range & known = b.bound.ranges[node.operands[0]];
    return !known.may_be_nan && known.lo >= 0 && known.hi <= range ? x : b.clamped(x, 0.0f, range);
}

Tensor bounded_key(Builder & b, const Node & node, Tensor key) {
    const bool is_hash = id_of(b.bound.graph.nodes[node.operands[1]]) == OpId::hash;
    return is_hash ? key : b.clamped(key, 0.0f, range - 1.0f);
}

Tensor scaled(Builder & b, Tensor x, float factor, float bias = 0.0f) {
    return b.made(bias == 0.0f ? ggml_scale(b.context, x, factor) : ggml_scale_bias(b.context, x, factor, bias));
}

Tensor floor_of(Builder & b, Tensor x) {
    return b.made(ggml_floor(b.context, x));
}

Tensor difference(Builder & b, Tensor x, Tensor y) {
    return b.made(ggml_sub(b.context, x, y));
}

Tensor sum(Builder & b, Tensor x, Tensor y) {
    return b.made(ggml_add(b.context, x, y));
}

// The upper half as an integer, and the lower one as a fraction, a multiple of 2^-12.
struct Halves {
    Tensor high;
    Tensor low;
};

Halves split(Builder & b, Tensor x) {
    const Tensor shifted = scaled(b, x, 1.0f / half);
    const Tensor high    = floor_of(b, shifted);
    return { high, difference(b, shifted, high) };
}

} // namespace

// All numbers are integers below 2^24, or such integers divided by a power of 2, so no step rounds, fused with another or not.
Tensor hash_by_steps(Builder & b, const Node & node, Tensor x, Tensor key) {
    const Halves keys    = split(b, bounded_key(b, node, key));
    const Tensor parts[] = { keys.low, scaled(b, keys.high, 1.0f / half) };
    const Halves halves  = split(b, bounded(b, node, x));
    Tensor       right   = halves.low;
    Tensor       left    = nullptr;
    for (size_t round = 0; round < hash_constants.size(); ++round) {
        const Tensor square   = b.made(ggml_sqr(b.context, difference(b, right, parts[round % 2])));
        const Tensor middle   = floor_of(b, scaled(b, square, range / static_cast<float>(1u << hash_shift)));
        const float  constant = static_cast<float>(hash_constants[round]) / half;
        // the left half is an integer in the first round, then a fraction
        const Tensor mixed = left == nullptr ? scaled(b, sum(b, middle, halves.high), 1.0f / half, constant)
                                             : sum(b, scaled(b, middle, 1.0f / half, constant), left);
        left               = right;
        right              = difference(b, mixed, floor_of(b, mixed));
    }
    return scaled(b, sum(b, scaled(b, right, half), left), half);
}

} // namespace ggsl
