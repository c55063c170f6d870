// A minimal test framework.
#pragma once

#include "graph/failure.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                       \
            std::fprintf(stderr, __VA_ARGS__);                                                                         \
            std::fprintf(stderr, "\n");                                                                                \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (false)

namespace ggsl::test {

inline void check_near(const std::vector<float> & found, const std::vector<float> & expected,
                       const std::string & what) {
    CHECK(found.size() == expected.size(), "%s: %zu numbers, expected %zu", what.c_str(), found.size(),
          expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
        const float tolerance = 1e-5f * std::fmax(1.0f, std::fabs(expected[i]));
        CHECK(found[i] == expected[i] || std::fabs(found[i] - expected[i]) <= tolerance,
              "%s: number %zu is %g, expected %g", what.c_str(), i, static_cast<double>(found[i]),
              static_cast<double>(expected[i]));
    }
}

// `work` must throw INVALID_ARGUMENT.
inline void check_fails(const char * what, const std::function<void()> & work) {
    try {
        work();
    } catch (const Failure & failure) {
        CHECK(std::string(failure.code) == code::invalid_argument, "%s: %s", what, failure.what());
        return;
    }
    CHECK(false, "%s was accepted", what);
}

void test_ops();
void test_bundles();
void test_kernels();
void test_runs();
void test_sorter();
void test_ranges();
void test_wire();
void test_bits();
void test_columns();
void test_cases();
void test_fuzz();
void test_host();
void test_rows(const char * model_path);
void test_grammar(const char * model_path);
void test_automaton();
void test_automaton_calls();
void test_automaton_threads();

} // namespace ggsl::test
