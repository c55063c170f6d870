#include "best.h"

#include "../radix.h"
#include "lanes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace ggsl::fused {

namespace {

float value_of(uint64_t key) {
    const auto rank = static_cast<uint32_t>(key >> 32);
    return cpu::from_bits((rank & 0x80000000u) != 0 ? rank ^ 0x80000000u : ~rank);
}

} // namespace

uint64_t key_of(float value, size_t position) {
    return uint64_t{ cpu::rank(value) } << 32 | ~static_cast<uint32_t>(position);
}

int32_t place_in(uint64_t key) {
    return static_cast<int32_t>(~static_cast<uint32_t>(key));
}

void sort_keys(std::vector<uint64_t> & keys) {
    // less code than a sort, in a module that browsers load
    std::make_heap(keys.begin(), keys.end(), std::greater<>());
    std::sort_heap(keys.begin(), keys.end(), std::greater<>());
}

void Best::start(size_t count) {
    k     = count;
    least = 0;
    bound = -infinity;
    keys.clear();
}

bool Best::may_have(float most, size_t first) const {
    return least == 0 || std::isnan(most) || key_of(most, first) > least;
}

float Best::least_from(size_t first) const {
    // of a tie, the earlier one
    const bool loses_ties = least != 0 && first > static_cast<size_t>(place_in(least));
    return loses_ties && bound != -infinity ? std::nextafter(bound, infinity) : bound;
}

void Best::add(float value, size_t position) {
    const uint64_t key = key_of(value, position);
    if (key > least) {
        keys.push_back(key);
    }
}

void Best::offer(const float * x, size_t n, size_t first) {
    const float from = least_from(first);
    if (from == -infinity) {
        for (size_t i = 0; i < n; ++i) {
            add(x[i], first + i);
        }
    } else {
        std::array<int32_t, block> places;
        const size_t               count = lanes().at_least(x, n, from, places.data());
        for (size_t i = 0; i < count; ++i) {
            add(x[places[i]], first + static_cast<size_t>(places[i]));
        }
    }
    keep_best();
}

void Best::offer_same(float x, size_t n, size_t first) {
    for (size_t i = 0; i < std::min(n, k); ++i) {
        add(x, first + i);
    }
    keep_best();
}

void Best::offer_at(const float * x, std::span<const int32_t> positions) {
    for (const int32_t position : positions) {
        add(*x++, static_cast<size_t>(position));
    }
    keep_best();
}

// At first, and where they are too many.
void Best::keep_best() {
    if (keys.size() < (least == 0 ? k : 3 * k)) {
        return;
    }
    const auto last = keys.begin() + static_cast<ptrdiff_t>(k) - 1;
    std::nth_element(keys.begin(), last, keys.end(), std::greater<>());
    keys.resize(k);
    least = keys.back();
    bound = value_of(least);
}

const std::vector<int32_t> & Best::positions() {
    sort_keys(keys);
    found.resize(k);
    std::transform(keys.begin(), keys.begin() + static_cast<ptrdiff_t>(k), found.begin(), place_in);
    return found;
}

} // namespace ggsl::fused
