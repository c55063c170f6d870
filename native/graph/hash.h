// The hash of compiler/graph/hash.ts, which explains it.
#pragma once

#include "graph.h"

#include <array>
#include <cstdint>

namespace ggsl {

constexpr uint32_t hash_range = 1u << 24;
constexpr uint32_t hash_half  = 1u << 12;
constexpr int      hash_shift = 6;

constexpr std::array<uint32_t, 6> hash_constants = { 0x9e3, 0x6b5, 0x3d1, 0xc4f, 0x2a7, 0x87d };

// A number as an integer from 0 to `most`; a NaN counts as 0.
inline uint32_t hash_integer(float x, uint32_t most) {
    const float least = x > 0.0f ? x : 0.0f;
    return static_cast<uint32_t>(least < static_cast<float>(most) ? least : static_cast<float>(most));
}

// With plain ops, for devices other than the CPU: x [n, R] by the keys [n, R] or [1, R].
ggml_tensor * hash_by_steps(Builder & b, const Node & node, ggml_tensor * x, ggml_tensor * key);

// The most tensors of it, contiguous copies of both operands included.
constexpr size_t max_tensors_of_hash = 62;

} // namespace ggsl
