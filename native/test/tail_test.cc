// Host tails of random stages with random parameters on random rows: they may fail, but the process survives, and a clone
// behaves as the original.
#include "graph/failure.h"
#include "llama/facts.generated.h"
#include "llama/tail.h"
#include "check.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>

namespace ggsl::test {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_f    = std::numeric_limits<float>::quiet_NaN();

std::mt19937 generator(7);

size_t below(size_t n) {
    return generator() % n;
}

template <size_t N> double any_of(const double (&numbers)[N]) {
    return numbers[below(N)];
}

double any_number() {
    constexpr double numbers[] = { 0, 1, -1, 0.5, 0.1, 0.95, 2, 5, 40, 1e-30, 1e30, 3.4e38, -3.4e38, 1e-45 };
    return any_of(numbers);
}

double any_count() {
    constexpr double numbers[] = { 0, 1, 2, 3, 5, 64, 200, 100000 };
    return any_of(numbers);
}

// Samplers that need no model; those that pick come last.
std::vector<facts::Sampler> testable_samplers() {
    std::vector<facts::Sampler> samplers{ { "logit_bias", false, {} } };
    std::copy_if(std::begin(facts::samplers), std::end(facts::samplers), std::back_inserter(samplers),
                 [](const facts::Sampler & sampler) {
                     return sampler.name != std::string("grammar") && sampler.name != std::string("infill");
                 });
    std::stable_partition(samplers.begin(), samplers.end(),
                          [](const facts::Sampler & sampler) { return !sampler.picks; });
    return samplers;
}

const std::vector<facts::Sampler> samplers   = testable_samplers();
const size_t                      first_pick = static_cast<size_t>(
    std::count_if(samplers.begin(), samplers.end(), [](const facts::Sampler & sampler) { return !sampler.picks; }));

Value any_value(const facts::Parameter & parameter) {
    switch (parameter.type) {
        case facts::Type::f32:  return { any_number() };
        case facts::Type::i32:  return { any_count() };
        case facts::Type::seed: return { static_cast<double>(below(100)) };
        default: // breakers
            return { List{ { List{ { 3.0 } } }, { List{ { 4.0 }, { 5.0 } } } } };
    }
}

SamplerSpec any_spec(const facts::Sampler & sampler) {
    SamplerSpec spec{ sampler.name, {} };
    for (const facts::Parameter & parameter : sampler.parameters) {
        spec.parameters[parameter.name] = any_value(parameter);
    }
    if (spec.name == "mirostat") {
        spec.parameters["n_vocab"] = { 300.0 };
    }
    if (spec.name == "logit_bias") {
        const double bias         = any_number();
        spec.parameters["biases"] = { List{ { List{ { 2.0 }, { bias } } }, { List{ { 7.0 }, { -INFINITY } } } } };
    }
    return spec;
}

// Drops arguments that are rejected, not the chain.
std::vector<SamplerSpec> any_chain() {
    std::vector<SamplerSpec> specs;
    const size_t             count = 1 + below(4);
    while (specs.size() < count) {
        const bool is_last = specs.size() + 1 == count;
        const auto spec    = any_spec(samplers[is_last ? below(samplers.size()) : below(first_pick)]);
        try {
            make_sampler(spec, nullptr);
            specs.push_back(spec);
        } catch (const Failure & failure) {
            CHECK(failure.code == std::string(code::invalid_argument), "%s", failure.what());
        }
    }
    return specs;
}

struct Rows {
    std::vector<int32_t> tokens;
    std::vector<float>   logits;
};

Rows any_rows() {
    constexpr size_t                sizes[] = { 0, 1, 2, 3, 40, 129, 300, 1500 };
    Rows                            rows;
    const size_t                    size = sizes[below(8)];
    std::normal_distribution<float> normal(0, 4);
    for (size_t i = 0; i < size; ++i) {
        rows.tokens.push_back(static_cast<int32_t>(i));
        rows.logits.push_back(below(10) == 0   ? -infinity
                              : below(50) == 0 ? static_cast<float>(any_number())
                                               : normal(generator));
    }
    std::shuffle(rows.tokens.begin(), rows.tokens.end(), generator);
    if (size > 0 && below(100) == 0) {
        rows.logits[below(size)] = below(2) == 0 ? nan_f : infinity;
    }
    return rows;
}

// The rows, or the code of the failure.
std::string outcome(Tail & chain, const Rows & rows, TailRows & result) {
    try {
        result = chain.apply(rows.tokens, rows.logits);
        CHECK(!result.tokens.empty() && result.tokens.size() == result.probs.size(), "no rows");
        double sum = 0;
        for (const float prob : result.probs) {
            sum += static_cast<double>(prob);
        }
        CHECK(std::fabs(sum - 1) < 1e-3, "probabilities sum to %g", sum);
        return "";
    } catch (const Failure & failure) {
        result = {};
        return failure.code;
    }
}

void check_same(Tail & a, Tail & b, const Rows & rows, const char * what) {
    TailRows          from_a, from_b;
    const std::string one = outcome(a, rows, from_a);
    const std::string two = outcome(b, rows, from_b);
    CHECK(one == two, "%s: \"%s\" and \"%s\"", what, one.c_str(), two.c_str());
    CHECK(from_a.tokens == from_b.tokens && from_a.logits == from_b.logits && from_a.selected == from_b.selected,
          "%s differs", what);
}

void check_refused(const char * expected, const std::vector<SamplerSpec> & specs) {
    try {
        Tail chain(specs, nullptr);
    } catch (const Failure & failure) {
        CHECK(std::string(failure.what()).find(expected) != std::string::npos, "\"%s\" does not say \"%s\"",
              failure.what(), expected);
        return;
    }
    CHECK(false, "was accepted: %s", expected);
}

} // namespace

void test_host() {
    check_refused("unknown llama.cpp sampler \"top_q\"", { { "top_q", {} } });
    check_refused("top_p has no parameter q", { { "top_p", { { "q", { 1.0 } } } } });
    check_refused("top_k: k: expected an integer", { { "top_k", { { "k", { 0.5 } } } } });
    check_refused("mirostat: m: expected", { { "mirostat", { { "m", { 0.0 } }, { "n_vocab", { 9.0 } } } } });
    check_refused("needs a model's vocabulary", { { "mirostat", {} } });
    check_refused("needs a model's vocabulary", { { "grammar", { { "text", { std::string("root ::= \"a\"") } } } } });
    check_refused("dist picks the token", { { "dist", {} }, { "top_k", {} } });

    // Several tokens each, for a history; every second round continues with a clone.
    for (int round = 0; round < 3000; ++round) {
        const auto specs = any_chain();
        Tail       chain(specs, nullptr);
        for (int step = 0; step < 6; ++step) {
            Tail       copy = chain.clone();
            const Rows rows = any_rows();
            check_same(chain, copy, rows, specs.back().name.c_str());
            Tail       picked = chain.clone();
            TailRows   result;
            const auto token = static_cast<int32_t>(below(2) == 0 ? below(8) : below(1500));
            chain.accept(token);
            picked.accept(token);
            Rows again = any_rows();
            Tail next  = chain.clone();
            check_same(next, picked, again, "a clone of a pick");
            if (below(10) == 0) {
                chain.reset();
                Tail fresh(specs, nullptr);
                Tail same = chain.clone();
                check_same(same, fresh, again, "a reset chain");
            }
        }
    }
}

} // namespace ggsl::test
