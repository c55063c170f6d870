#include "sequence/repeats.h"

#include <algorithm>

namespace ggsl::c {

namespace {

using Tokens = std::vector<int32_t>;

bool is_single(const Breakers & breakers, int32_t token) {
    const auto found = breakers.find(token);
    return found != breakers.end() &&
           std::any_of(found->second.begin(), found->second.end(), [](const auto & tails) { return tails->is_end; });
}

// The length of the longest tail that follows position `at`; -1 if none does.
int64_t longest_tail(const Tails & root, const Tokens & backwards, size_t at) {
    int64_t       longest = -1;
    const Tails * tails   = &root;
    for (size_t length = 0; tails != nullptr; ++length) {
        if (tails->is_end) {
            longest = static_cast<int64_t>(length);
        }
        if (length >= at) {
            break;
        }
        const auto next = tails->next.find(backwards[at - 1 - length]);
        tails           = next == tails->next.end() ? nullptr : &next->second;
    }
    return longest;
}

// The number of tokens after the last breaker in the text; all of them if there is none.
int64_t distance_to_breaker(const Tokens & backwards, const Breakers & breakers) {
    for (size_t i = 0; i < backwards.size(); ++i) {
        const auto found = breakers.find(backwards[i]);
        if (found == breakers.end()) {
            continue;
        }
        int64_t longest = -1;
        for (const auto & tails : found->second) {
            longest = std::max(longest, longest_tail(*tails, backwards, i));
        }
        if (longest >= 0) {
            return static_cast<int64_t>(i) - longest;
        }
    }
    return static_cast<int64_t>(backwards.size());
}

// For each position, the length of the common prefix with the whole (Gusfield's Z values), in linear time.
std::vector<int64_t> prefix_matches(const Tokens & tokens) {
    const auto           size = static_cast<int64_t>(tokens.size());
    std::vector<int64_t> matches(tokens.size());
    const auto           at    = [&](int64_t i) { return tokens[static_cast<size_t>(i)]; };
    int64_t              start = 0, end = 0;
    for (int64_t k = 1; k < size; ++k) {
        int64_t length = k < end ? std::min(matches[static_cast<size_t>(k - start)], end - k) : 0;
        while (k + length < size && at(length) == at(k + length)) {
            ++length;
        }
        matches[static_cast<size_t>(k)] = length;
        if (k + length > end) {
            start = k;
            end   = k + length;
        }
    }
    return matches;
}

} // namespace

void Tails::add(std::span<const int32_t> tail) {
    Tails * tails = this;
    for (const int32_t token : tail) {
        tails = &tails->next[token];
    }
    tails->is_end = true;
}

Pairs repeat_lengths(std::span<const int32_t> source, const Breakers & breakers, std::span<const int32_t> text,
                     bool is_same) {
    Pairs         lengths;
    const Tokens  backwards(text.rbegin(), text.rend());
    const int64_t limit = distance_to_breaker(backwards, breakers);
    if (limit == 0) {
        return lengths;
    }
    Tokens               from(source.rbegin(), source.rend());
    std::vector<int64_t> matches;
    if (is_same) {
        matches = prefix_matches(backwards);
    } else {
        Tokens both = backwards;
        both.push_back(-1); // no token
        both.insert(both.end(), from.begin(), from.end());
        matches = prefix_matches(both);
        matches.erase(matches.begin(), matches.begin() + static_cast<int64_t>(backwards.size()) + 1);
    }
    for (size_t k = 1; k < from.size(); ++k) {
        const int32_t next   = from[k - 1];
        const int64_t length = std::min(matches[k], limit);
        if (length > 0 && !is_single(breakers, next) &&
            (!lengths.has(next) || static_cast<double>(length) > lengths[next])) {
            lengths[next] = static_cast<double>(length);
        }
    }
    return lengths;
}

} // namespace ggsl::c
