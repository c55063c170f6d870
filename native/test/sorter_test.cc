// The best of a column first (native/graph/fused/sorter), against a stable sort: with ties, -inf and NaN, of lengths around those from
// which only some are sorted.
#include "graph/fused/sorter.h"
#include "check.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace ggsl::test {

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

using Make = std::function<float(std::mt19937 &, size_t i)>;

float normal(std::mt19937 & random) {
    return std::normal_distribution<float>()(random);
}

struct Shape {
    const char * name;
    Make         make;
};

const Shape shapes[] = {
    { "noise", [](std::mt19937 & random, size_t) { return normal(random); } },
    { "ties", [](std::mt19937 & random, size_t) { return std::round(normal(random)); } },
    { "all equal", [](std::mt19937 &, size_t) { return -0.5f; } },
    { "-inf but for some", [](std::mt19937 & random, size_t i) { return i % 211 == 7 ? normal(random) : -inf; } },
    { "the lowest but for some",
      [](std::mt19937 & random, size_t i) { return i % 97 == 7 ? normal(random) : -1e30f; } },
    { "NaN among them",
      [](std::mt19937 & random, size_t i) {
          return i % 3 == 1 ? std::numeric_limits<float>::quiet_NaN() : normal(random);
      } },
    { "rising", [](std::mt19937 &, size_t i) { return static_cast<float>(i); } },
    { "0 of both signs", [](std::mt19937 & random, size_t) { return random() % 2 == 0 ? 0.0f : -0.0f; } },
    { "extremes",
      [](std::mt19937 & random, size_t) {
          constexpr float numbers[] = { 3.4e38f, -3.4e38f, 1e-40f, -1e-40f, inf, -inf, 1.0f };
          return numbers[random() % 7];
      } },
};

void check(const Shape & shape, size_t n, std::mt19937 & random) {
    std::vector<float> x(n);
    for (size_t i = 0; i < n; ++i) {
        x[i] = shape.make(random, i);
    }
    const auto number = [&](int32_t i) {
        return std::isnan(x[static_cast<size_t>(i)]) ? -inf : x[static_cast<size_t>(i)];
    };
    std::vector<int32_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) { return number(a) > number(b); });

    std::vector<int32_t>    positions(n);
    std::vector<cpu::Keyed> pairs(n);
    fused::Sorter           sorter;
    sorter.start(x.data(), n, positions.data(), pairs.data());
    for (const size_t wanted : { size_t{ 1 }, size_t{ 1024 }, size_t{ 1500 }, size_t{ 9000 }, n }) {
        const size_t least = std::min(wanted, n);
        sorter.sort(least);
        CHECK(sorter.sorted() >= least, "%s: %zu of %zu sorted, expected %zu", shape.name, sorter.sorted(), n, least);
        for (size_t i = 0; i < n; ++i) {
            const bool is_sorted = i < sorter.sorted();
            CHECK(!is_sorted || sorter.positions()[i] == expected[i],
                  "%s: place %zu of %zu is position %d, expected %d", shape.name, i, n, sorter.positions()[i],
                  expected[i]);
            CHECK(is_sorted || number(expected[i]) <= sorter.largest_of_rest(), "%s: place %zu of %zu is above %g",
                  shape.name, i, n, static_cast<double>(sorter.largest_of_rest()));
        }
    }
}

} // namespace

void test_sorter() {
    std::mt19937 random(7);
    for (const Shape & shape : shapes) {
        for (const size_t n : { 1, 1023, 1025, 4095, 4096, 4097, 20011, 32767, 32768, 40000 }) {
            check(shape, n, random);
        }
    }
}

} // namespace ggsl::test
