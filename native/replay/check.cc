#include "check.h"

#include "graph/failure.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <unordered_map>

namespace ggsl::tools {

namespace {

// Formats a printf-style message.
__attribute__((format(printf, 1, 2))) std::string message(const char * format, ...) {
    char    text[256];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return text;
}

bool is_near(float found, float expected, float tolerance) {
    return found == expected || std::fabs(found - expected) <= tolerance;
}

float relative(float tolerance, float expected) {
    return tolerance * std::fmax(1.0f, std::fabs(expected));
}

// An empty `expected` matches everything.
template <typename T> bool differ_in_size(const std::vector<T> & expected, const std::vector<T> & found) {
    return !expected.empty() && expected.size() != found.size();
}

// One sequence's candidate table, expected or found. A dropped row has the logit -inf, or the probability 0.
struct Table {
    std::span<const int32_t> candidates; // none: row i is token i
    std::span<const float>   logits;
    std::span<const float>   probs;

    size_t  size() const { return std::max({ candidates.size(), logits.size(), probs.size() }); }
    int32_t token(size_t i) const { return candidates.empty() ? static_cast<int32_t>(i) : candidates[i]; }
    bool is_kept(size_t i) const { return logits.empty() ? probs.empty() || probs[i] > 0.0f : logits[i] != -INFINITY; }

    std::unordered_map<int32_t, size_t> kept() const {
        std::unordered_map<int32_t, size_t> rows;
        for (size_t i = 0; i < size(); ++i) {
            if (is_kept(i)) {
                rows.emplace(token(i), i);
            }
        }
        return rows;
    }

    // Whether the kept rows are best first, within the tolerance.
    bool is_sorted(float tolerance) const {
        float last = INFINITY;
        for (size_t i = 0; i < logits.size(); ++i) {
            if (is_kept(i)) {
                if (logits[i] > last + relative(tolerance, last)) {
                    return false;
                }
                last = logits[i];
            }
        }
        return true;
    }
};

// Values of one output in one sequence; empty if it is not expected.
template <typename T> std::span<const T> part(const std::vector<T> & values, size_t row, size_t rows) {
    const size_t size = values.size() / rows;
    return std::span<const T>(values).subspan(row * size, size);
}

std::optional<std::string> compare_table(const Table & expected, const Table & found, float tolerance, size_t row) {
    const auto there  = found.kept();
    size_t     wanted = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        if (!expected.is_kept(i)) {
            continue;
        }
        ++wanted;
        const auto at = there.find(expected.token(i));
        if (at == there.end()) {
            return message("sequence %zu: expected token %d among the rows, found it in none", row, expected.token(i));
        }
        if (!expected.logits.empty() &&
            !is_near(found.logits[at->second], expected.logits[i], relative(tolerance, expected.logits[i]))) {
            return message("sequence %zu, token %d: expected the logit %g, found %g", row, at->first,
                           static_cast<double>(expected.logits[i]), static_cast<double>(found.logits[at->second]));
        }
        if (!expected.probs.empty() && !is_near(found.probs[at->second], expected.probs[i], tolerance)) {
            return message("sequence %zu, token %d: expected the probability %g, found %g", row, at->first,
                           static_cast<double>(expected.probs[i]), static_cast<double>(found.probs[at->second]));
        }
    }
    if (there.size() != wanted) {
        return message("sequence %zu: expected %zu rows, found %zu", row, wanted, there.size());
    }
    if (expected.is_sorted(0.0f) && !found.is_sorted(tolerance)) {
        return message("sequence %zu: expected rows with the best first, found another order", row);
    }
    return std::nullopt;
}

std::optional<std::string> compare_rows(const Case & c, const Results & found) {
    const auto rows = static_cast<size_t>(c.rows);
    for (size_t row = 0; row < rows; ++row) {
        const Table wanted{ part(c.candidates, row, rows), part(c.expected_logits, row, rows),
                            part(c.probs, row, rows) };
        const Table is{ part(found.candidates, row, rows), part(found.logits, row, rows),
                        part(found.probs, row, rows) };
        if (auto difference = compare_table(wanted, is, c.tolerance, row)) {
            return difference;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> compare(const Case & c, const Results & found) {
    if (differ_in_size(c.sampled, found.sampled) || differ_in_size(c.candidates, found.candidates) ||
        differ_in_size(c.expected_logits, found.logits) || differ_in_size(c.probs, found.probs) ||
        differ_in_size(c.states, found.states)) {
        return "an output has another size than expected";
    }
    for (size_t row = 0; row < c.sampled.size(); ++row) {
        if (c.sampled[row] != found.sampled[row]) {
            return message("sequence %zu: expected the pick %d, found %d", row, c.sampled[row], found.sampled[row]);
        }
    }
    for (size_t i = 0; i < c.states.size(); ++i) {
        const float expected = c.states[i], state = found.states[i];
        if (!is_near(state, expected, relative(c.tolerance, expected))) {
            return message("state %zu: expected %g, found %g", i, static_cast<double>(expected),
                           static_cast<double>(state));
        }
    }
    return compare_rows(c, found);
}

std::optional<std::string> check_case(const Case & c, ggml_backend_dev_t device, int threads) {
    if (!c.has_expectation()) {
        return "the case has no expected outputs to check: it is for `time`";
    }
    Evaluator evaluator(c.bound.graph, c.bound.vocab_size, c.rows, device, threads);
    return compare(c, evaluator.run(c.feeds()));
}

} // namespace ggsl::tools
