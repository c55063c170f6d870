// The leaves of uniform expressions at the present token of a sequence.
#pragma once

#include "sequence/sequence.h"

#include <algorithm>

namespace ggsl::c {

class Sequence::Leaves : public Environment {
public:
    explicit Leaves(const Sequence & sequence) : sequence(sequence) {}

    double param(int32_t index) const override { return sequence.params[static_cast<size_t>(index)]; }
    double draw(int32_t index) const override { return sequence.present_draw(static_cast<size_t>(index)); }
    double state(int32_t index) const override {
        return static_cast<double>(sequence.state_values[static_cast<size_t>(index)]);
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
    double step() const override { return static_cast<double>(sequence.steps); }
    double vocab() const override { return sequence.looked_up->place.vocab_size; }
    double prompt_length() const override { return static_cast<double>(sequence.prompt_length); }

private:
    const Sequence & sequence;
};

} // namespace ggsl::c
