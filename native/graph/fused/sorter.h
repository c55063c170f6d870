// The positions of a column's numbers, the largest first, sorted as far as they are read: about a block of the best, then as many as
// are wanted.
#pragma once

#include "../radix.h"

namespace ggsl::fused {

class Sorter {
public:
    // Of a tie, the earlier position comes first; NaN counts as -inf. `positions` and `pairs` have room for n.
    void start(const float * x, size_t n, int32_t * positions, cpu::Keyed * pairs);
    // Sorts at least the first `count` positions.
    void sort(size_t count);

    // How many are sorted, and their positions.
    size_t          sorted() const { return done; }
    const int32_t * positions() const { return order; }
    // No number at another position is larger.
    float largest_of_rest() const { return cut; }

private:
    // Sorts the best, or none if these cannot be told from the others.
    void sort_best();
    // Divides all numbers among buckets, which are in order.
    void divide();
    void sort_bucket();

    const float *                     x          = nullptr;
    int32_t *                         order      = nullptr;
    cpu::Keyed *                      pairs      = nullptr; // bucket by bucket
    size_t                            n          = 0;
    size_t                            done       = 0;
    float                             cut        = 0;
    bool                              is_divided = false;
    uint32_t                          bucket     = 0; // the next to sort
    std::array<uint32_t, cpu::digits> ends;           // of the buckets
};

} // namespace ggsl::fused
