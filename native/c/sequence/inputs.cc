// The columns that the host writes for each token: features of the text so far, and what the calling program gives.
#include "error.h"
#include "sequence/leaves.h"
#include "sequence/sequence.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace ggsl::c {

namespace {

float saturated(double x) {
    return static_cast<float>(std::clamp(x, -static_cast<double>(FLT_MAX), static_cast<double>(FLT_MAX)));
}

// The last tokens of a text; a negative number means all of them.
std::span<const int32_t> window_of(std::span<const int32_t> tokens, double last) {
    return last < 0 || last >= static_cast<double>(tokens.size()) ? tokens : tokens.last(static_cast<size_t>(last));
}

[[noreturn]] void refuse_missing(const std::string & name) {
    refuse(code::missing_input, "the input `" + name + "` was never set");
}

std::vector<float> flags_of(const std::vector<int32_t> & words, int32_t vocab_size) {
    std::vector<float> flags(static_cast<size_t>(vocab_size));
    for (size_t token = 0; token < flags.size(); ++token) {
        flags[token] = static_cast<float>((words[token / word_bits] >> (token % word_bits)) & 1);
    }
    return flags;
}

} // namespace

std::vector<int32_t> words_of(std::span<const uint32_t> bits, size_t count) {
    static_assert(word_bits == 16);
    std::vector<int32_t> words;
    words.reserve(2 * bits.size());
    for (const uint32_t each : bits) {
        words.push_back(static_cast<int32_t>(each & 0xffff));
        words.push_back(static_cast<int32_t>(each >> 16));
    }
    words.resize((count + word_bits - 1) / word_bits);
    return words;
}

class InputMaker {
public:
    explicit InputMaker(const Sequence & sequence)
        : sequence(sequence), spec(*sequence.chain), vocab_size(sequence.looked_up->place.vocab_size) {}

    std::vector<Fed> make() {
        std::vector<Fed> columns;
        for (size_t i = 1; i < spec.inputs.size(); ++i) {
            const SpecInput & input = spec.inputs[i];
            const auto        index = static_cast<size_t>(input.feature);
            switch (input.part) {
                case SpecInput::Part::logits: break;
                case SpecInput::Part::dense:  columns.emplace_back(dense(input, index)); break;
                case SpecInput::Part::bits:   columns.emplace_back(words(index)); break;
                case SpecInput::Part::ids:    columns.emplace_back(ids(input, pairs_of(index))); break;
                case SpecInput::Part::values: columns.emplace_back(values(input, index)); break;
            }
        }
        return columns;
    }

private:
    std::vector<int32_t> words(size_t index) const {
        const auto & position = sequence.followed[index].position;
        if (!position) {
            const std::string & name = spec.grammars[static_cast<size_t>(spec.features[index].grammar)].name;
            refuse(code::missing_grammar, "the chain `" + spec.name + "` needs a grammar for `" + name +
                                              "`: set it with ggsl_sampler_set_grammar before the first token");
        }
        return position->words();
    }

    std::vector<float> dense(const SpecInput & input, size_t index) const {
        const Feature & feature = spec.features[index];
        if (spec.is_constant(input)) {
            return {};
        }
        if (feature.from == Feature::From::allowed) {
            return flags_of(words(index), vocab_size);
        }
        const auto & given = sequence.given.dense[index];
        if (!given) {
            refuse_missing(feature.name);
        }
        return *given;
    }

    std::vector<int32_t> ids(const SpecInput & input, const Pairs & pairs) const {
        const auto           size = static_cast<size_t>(bind_dim(input.dim, vocab_size));
        std::vector<int32_t> found;
        found.reserve(size);
        for (const auto & [token, _] : pairs) {
            found.push_back(token);
        }
        for (int32_t token = 0; found.size() < size; ++token) { // unused places: ids that no pair has
            if (!pairs.has(token)) {
                found.push_back(token);
            }
        }
        return found;
    }

    std::vector<float> values(const SpecInput & input, size_t index) {
        std::vector<float> found(static_cast<size_t>(bind_dim(input.dim, vocab_size)),
                                 static_cast<float>(spec.features[index].fill));
        size_t             next = 0;
        for (const auto & [_, value] : pairs_of(index)) {
            found[next++] = saturated(value);
        }
        return found;
    }

    // The pairs of a sparse feature; those of both its inputs are the same.
    const Pairs & pairs_of(size_t index) {
        const auto [found, is_new] = known.try_emplace(index);
        if (is_new) {
            const Feature & feature  = spec.features[index];
            const auto      capacity = static_cast<size_t>(bind_dim(feature.capacity, vocab_size));
            for (const auto & [token, value] : make_pairs(feature, index)) {
                if (token < vocab_size) {
                    found->second[token] = value;
                }
            }
            if (found->second.size() > capacity) {
                refuse(code::invalid_argument, "`" + name_of(feature) + "` takes at most " + std::to_string(capacity) +
                                                   " tokens, found " + std::to_string(found->second.size()));
            }
        }
        return found->second;
    }

    static std::string name_of(const Feature & feature) {
        return feature.name.empty() ? rule_of(feature.from).name : feature.name;
    }

    Pairs make_pairs(const Feature & feature, size_t index) const {
        switch (feature.from) {
            case Feature::From::occurrences: {
                Pairs counts;
                for (const int32_t token : window_of(tokens_in(feature, index), last_of(feature))) {
                    counts[token] += 1;
                }
                return counts;
            }
            case Feature::From::repeat_len: {
                const double last    = last_of(feature);
                const auto   source  = window_of(tokens_in(feature, index), last);
                const auto   kind    = feature.in.kind;
                const bool   is_same = kind == TextSource::Kind::all || kind == TextSource::Kind::generated;
                return repeat_lengths(source, sequence.looked_up->breakers[index],
                                      is_same ? source : window_of(sequence.recent(), last), is_same);
            }
            case Feature::From::completes: return sequence.looked_up->completions[index].completing(sequence.recent());
            case Feature::From::bias:      return sequence.given.bias.value_or(Pairs());
            case Feature::From::set:       {
                Pairs members;
                for (const int32_t token : sequence.sets[static_cast<size_t>(feature.set)]) {
                    members[token] = feature.is_negated ? 0 : 1;
                }
                return members;
            }
            case Feature::From::input:
                if (!sequence.given.pairs[index]) {
                    refuse_missing(feature.name);
                }
                return *sequence.given.pairs[index];
            case Feature::From::allowed:
            case Feature::From::guide:   break; // these are dense
        }
        return {};
    }

    double last_of(const Feature & feature) const {
        return feature.last.kind == Expression::Kind::number
                   ? feature.last.number
                   : std::trunc(evaluate(feature.last, Sequence::Leaves(sequence)));
    }

    // The tokens that a feature's window is of.
    std::span<const int32_t> tokens_in(const Feature & feature, size_t index) const {
        const auto history = sequence.recent();
        switch (feature.in.kind) {
            case TextSource::Kind::all:    return history;
            case TextSource::Kind::prompt: return sequence.recent_prompt();
            case TextSource::Kind::generated:
                return history.last(std::min(history.size(), static_cast<size_t>(sequence.steps)));
            case TextSource::Kind::input: break;
        }
        if (!sequence.given.texts[index]) {
            refuse_missing(feature.in.name);
        }
        return *sequence.given.texts[index];
    }

    const Sequence &        sequence;
    const Spec &            spec;
    const int32_t           vocab_size;
    std::map<size_t, Pairs> known;
};

std::vector<Fed> Sequence::inputs() const {
    return InputMaker(*this).make();
}

} // namespace ggsl::c
