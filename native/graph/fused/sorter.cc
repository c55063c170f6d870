#include "sorter.h"

#include "../radix.h"
#include "lanes.h"
#include "memory.h"
#include "program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ggsl::fused {

namespace {

// How many of the best are sorted at first.
constexpr size_t wanted = block;
// Where the best of a column end is estimated from this many of its numbers.
constexpr size_t samples = 4096;
// A column is worth selecting from if it is this many times longer than what is selected.
constexpr size_t least_share = 4;
// Up to here, comparing is faster than counting.
constexpr size_t few = 128;

struct Candidates;
struct Above;
struct Others;

// By the topmost bits; a bucket's numbers differ in the bits that two passes sort by.
uint32_t bucket_of(uint32_t key) {
    return key >> (32 - cpu::digit_bits);
}

uint32_t falling(float x) {
    return ~cpu::rank(x);
}

// A number that likely has as many numbers as are wanted at or above it, or some more.
float threshold(const float * x, size_t n) {
    std::array<float, samples> sample;
    for (size_t i = 0; i < samples; ++i) {
        sample[i] = cpu::number(x[i * n / samples]);
    }
    const double share = static_cast<double>(wanted) * static_cast<double>(samples) / static_cast<double>(n);
    // three standard deviations more
    const auto place = static_cast<size_t>(share + 3 * std::sqrt(share));
    if (place >= samples) {
        return cpu::lowest;
    }
    std::nth_element(sample.begin(), sample.begin() + static_cast<ptrdiff_t>(place), sample.end(),
                     [](float a, float b) { return a > b; });
    return sample[place];
}

} // namespace

void Sorter::start(const float * values, size_t count, int32_t * positions, cpu::Keyed * memory) {
    x          = values;
    n          = count;
    order      = positions;
    pairs      = memory;
    done       = 0;
    cut        = std::numeric_limits<float>::infinity();
    is_divided = false;
    bucket     = 0;
}

void Sorter::sort(size_t count) {
    if (done == 0 && count <= wanted && least_share * wanted <= n) {
        sort_best();
    }
    if (done < count && !is_divided) {
        divide();
        done = 0; // the same positions again
    }
    while (done < count) {
        sort_bucket();
    }
}

// Those above a threshold are sorted, those equal to it follow in their order.
void Sorter::sort_best() {
    const float least = threshold(x, n);
    if (least == cpu::lowest) {
        return;
    }
    int32_t * const   candidates = memory_of<int32_t, Candidates>(n);
    const size_t      count      = lanes().at_least(x, n, least, candidates);
    cpu::Keyed *      above      = memory_of<cpu::Keyed, Above>(count);
    int32_t *         ties       = order; // moved behind the others
    size_t            larger = 0, equal = 0;
    cpu::RadixSort<3> sort;
    for (size_t i = 0; i < count; ++i) {
        const float value = x[candidates[i]];
        if (value > least) {
            const uint32_t key = falling(value);
            above[larger++]    = { key, candidates[i] };
            sort.count(key);
        } else if (equal < wanted) {
            ties[equal++] = candidates[i];
        }
    }
    std::copy_backward(ties, ties + equal, order + larger + equal);
    sort.run(above, memory_of<cpu::Keyed, Others>(larger), larger, order);
    done = larger + equal;
    cut  = least;
}

void Sorter::divide() {
    ends.fill(0);
    for (size_t i = 0; i < n; ++i) {
        ++ends[bucket_of(falling(x[i]))];
    }
    uint32_t total = 0;
    for (uint32_t & end : ends) {
        const uint32_t size = end;
        end                 = total;
        total += size;
    }
    for (size_t i = 0; i < n; ++i) {
        const uint32_t key            = falling(x[i]);
        pairs[ends[bucket_of(key)]++] = { key, static_cast<int32_t>(i) };
    }
    is_divided = true;
}

void Sorter::sort_bucket() {
    const size_t size  = ends[bucket++] - done;
    cpu::Keyed * first = pairs + done;
    if (size <= few) {
        std::sort(first, first + size, [](const cpu::Keyed & a, const cpu::Keyed & b) {
            return a.key < b.key || (a.key == b.key && a.index < b.index);
        });
        std::transform(first, first + size, order + done, [](const cpu::Keyed & pair) { return pair.index; });
    } else {
        cpu::RadixSort<2> sort;
        std::for_each(first, first + size, [&](const cpu::Keyed & pair) { sort.count(pair.key); });
        sort.run(first, memory_of<cpu::Keyed, Others>(size), size, order + done);
    }
    done += size;
    cut = done == 0 ? cut : cpu::number(x[order[done - 1]]);
}

} // namespace ggsl::fused
