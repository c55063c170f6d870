// The leaves of uniform expressions at the present token of a sequence.
#pragma once

#include "sequence/sequence.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace ggsl::c {

class Sequence::Leaves : public Environment {
public:
    explicit Leaves(const Sequence & sequence) : sequence(sequence) {}

    double param(int32_t index) const override { return sequence.params[static_cast<size_t>(index)]; }
    double draw(int32_t index) const override { return sequence.present_draw(static_cast<size_t>(index)); }
    double state(int32_t index) const override {
        return static_cast<double>(sequence.state_values[static_cast<size_t>(index)]);
    }
    double window(int32_t index, WindowFold of) const override {
        return fold_of(sequence.windows[static_cast<size_t>(index)], of);
    }
    double last(int32_t k) const override {
        const auto & history = sequence.history;
        return static_cast<size_t>(k) > history.size() ? -1 : history[history.size() - static_cast<size_t>(k)];
    }
    double since(int32_t ending) const override { return sequence.watches[static_cast<size_t>(ending)].since; }
    bool   is_member(double token, int32_t set) const override {
        const auto & tokens = sequence.sets[static_cast<size_t>(set)];
        const auto   found  = std::lower_bound(tokens.begin(), tokens.end(), token);
        return found != tokens.end() && *found == token;
    }
    bool is_in_rule(int32_t index) const override {
        const GrammarRule & rule     = sequence.chain->rules[static_cast<size_t>(index)];
        const GrammarPtr &  position = sequence.followed[rule.feature].position;
        return position && (position->marks() >> rule.mark & 1) != 0;
    }
    double step() const override { return static_cast<double>(sequence.steps); }
    double vocab() const override { return sequence.looked_up->place.vocab_size; }
    double prompt_length() const override { return static_cast<double>(sequence.prompt_length); }

private:
    // In f64, from the oldest value on.
    static double fold_of(const std::deque<float> & values, WindowFold of) {
        constexpr auto largest = static_cast<double>(std::numeric_limits<float>::max());
        double         result  = of == WindowFold::sum ? 0 : of == WindowFold::min ? largest : -largest;
        for (const float value : values) {
            const auto x = static_cast<double>(value);
            result       = of == WindowFold::sum   ? result + x
                           : of == WindowFold::min ? std::min(result, x)
                                                   : std::max(result, x);
        }
        return result;
    }

    const Sequence & sequence;
};

} // namespace ggsl::c
