#include "runs.h"

#include <algorithm>
#include <map>
#include <set>

namespace ggsl {

namespace {

bool are_filled(int32_t from, int32_t to, int32_t most, const std::function<bool(int32_t)> & may_take_part) {
    if (to - from > most) {
        return false;
    }
    for (int32_t sequence = from; sequence < to; ++sequence) {
        if (!may_take_part(sequence)) {
            return false;
        }
    }
    return true;
}

} // namespace

std::vector<Run> split_into_runs(std::span<const int32_t> sequences, size_t most_tokens, int32_t most_idle,
                                 const std::function<bool(int32_t)> & may_take_part) {
    std::map<int32_t, std::vector<size_t>> tokens;
    for (size_t i = 0; i < sequences.size(); ++i) {
        tokens[sequences[i]].push_back(i);
    }
    std::vector<Run> runs;
    int32_t          next  = 0; // after the last sequence of the latest run
    size_t           count = 0; // of its tokens for each sequence
    for (const auto & [sequence, own] : tokens) {
        const auto gap     = static_cast<size_t>(sequence - next);
        const bool is_like = !runs.empty() && own.size() == count &&
                             runs.back().tokens.size() + runs.back().idle.size() + gap + own.size() <= most_tokens;
        const bool follows =
            is_like && (sequence == next || (count == 1 && are_filled(next, sequence, most_idle, may_take_part)));
        if (!follows) {
            runs.emplace_back();
            next = sequence;
        }
        Run & run = runs.back();
        for (; next < sequence; ++next) {
            run.idle.push_back(next);
        }
        run.tokens.insert(run.tokens.end(), own.begin(), own.end());
        count = own.size();
        ++next;
    }
    return runs;
}

Stages split_beginnings(std::span<const int32_t> sequences, std::span<const uint8_t> outputs) {
    std::map<int32_t, size_t> counts;
    for (const int32_t sequence : sequences) {
        ++counts[sequence];
    }
    const bool        are_equal = std::all_of(counts.begin(), counts.end(),
                                              [&](const auto & entry) { return entry.second == counts.begin()->second; });
    Stages            stages;
    std::set<int32_t> begun; // have an output
    for (size_t i = 0; i < sequences.size(); ++i) {
        if (outputs[i] != 0) {
            begun.insert(sequences[i]);
        }
        const bool is_first = !are_equal && begun.count(sequences[i]) == 0;
        (is_first ? stages.beginnings : stages.rest).push_back(i);
    }
    return stages;
}

} // namespace ggsl
