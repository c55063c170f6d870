// A stable sort of pairs of a key and an index.
#pragma once

#include "cpu_rows.h"

#include <array>
#include <cstddef>
#include <utility>

namespace ggsl::cpu {

// Maps a float to an unsigned key of the same order: flip all bits of negatives, the sign bit of the rest. NaN counts as -inf.
// Without branches, which random signs would make expensive.
inline uint32_t rank(float x) {
    const uint32_t bits     = bits_of(number(x) + 0.0f); // -0 is 0
    const uint32_t negative = 0u - (bits >> 31);
    return bits ^ (negative | 0x80000000u);
}

struct Keyed {
    uint32_t key;
    int32_t  index;
};

inline constexpr int      digit_bits = 11;
inline constexpr uint32_t digits     = 1u << digit_bits;

inline uint32_t digit_of(uint32_t key, int pass) {
    return key >> pass * digit_bits & (digits - 1);
}

// A pass over the pairs for each 11 bits, from the lowest on, so that every read is in sequence; three passes are all bits.
template <int passes> class RadixSort {
public:
    // Counts a key; all are counted before `run`.
    void count(uint32_t key) {
        for (int pass = 0; pass < passes; ++pass) {
            ++places[static_cast<size_t>(pass)][digit_of(key, pass)];
        }
    }

    // Writes the indices of n pairs in the order of their keys. Overwrites the pairs; `other` is memory for as many.
    void run(Keyed * pairs, Keyed * other, size_t n, int32_t * indices) {
        for (auto & counts : places) {
            uint32_t total = 0;
            for (uint32_t & place : counts) {
                const uint32_t size = place;
                place               = total;
                total += size;
            }
        }
        for (int pass = 0; pass < passes - 1; ++pass) {
            move(pairs, n, pass, [&](uint32_t place, Keyed pair) { other[place] = pair; });
            std::swap(pairs, other);
        }
        move(pairs, n, passes - 1, [&](uint32_t place, Keyed pair) { indices[place] = pair.index; });
    }

private:
    template <typename Put> void move(const Keyed * from, size_t n, int pass, Put put) {
        auto & counts = places[static_cast<size_t>(pass)];
        for (size_t i = 0; i < n; ++i) {
            put(counts[digit_of(from[i].key, pass)]++, from[i]);
        }
    }

    std::array<std::array<uint32_t, digits>, passes> places{};
};

} // namespace ggsl::cpu
