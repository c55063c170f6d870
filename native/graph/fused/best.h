// The positions of the k largest numbers of a column, the largest first, from blocks in any order. Of a tie, the earlier position comes
// first; NaN counts as -inf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ggsl::fused {

// Numbers with their positions as keys: of two, the larger number has the larger one; of a tie, the earlier position. NaN counts as -inf.
uint64_t key_of(float value, size_t position);
int32_t  place_in(uint64_t key);
// The largest first.
void sort_keys(std::vector<uint64_t> & keys);

class Best {
public:
    void start(size_t k);

    // Whether a block from position `first` on, whose numbers are at most `most`, may have one of the best. NaN: nothing is known.
    bool may_have(float most, size_t first) const;
    // Of those from position `first` on, the least number that may be one of the best; -inf: a NaN may be, too.
    float least_from(size_t first) const;

    // At most a block of numbers; n times the same; numbers at some positions.
    void offer(const float * x, size_t n, size_t first);
    void offer_same(float x, size_t n, size_t first);
    void offer_at(const float * x, std::span<const int32_t> positions);

    // Once at least k numbers were offered.
    const std::vector<int32_t> & positions();

private:
    void add(float value, size_t position);
    void keep_best();

    size_t                k     = 0;
    uint64_t              least = 0; // of the keys, the k-th best; 0: fewer are known
    float                 bound = 0; // its number
    std::vector<uint64_t> keys;
    std::vector<int32_t>  found;
};

} // namespace ggsl::fused
