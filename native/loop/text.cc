#include "loop/text.h"

#include "error.h"
#include "sequence/saved.h"

#include <algorithm>

namespace ggsl::loop {

namespace {

// Null where a grammar was not given.
const Followed * followed_in(const c::Sequence & sequence, size_t feature) {
    return static_cast<const Followed *>(sequence.grammar(feature).get());
}

std::vector<size_t> followed_by(const c::Spec & spec) {
    std::vector<size_t> found;
    for (size_t i = 0; i < spec.features.size(); ++i) {
        if (spec.features[i].from == c::Feature::From::allowed) {
            found.push_back(i);
        }
    }
    return found;
}

// The feature whose grammar decides alone what comes next.
std::optional<size_t> deciding(const c::Spec & spec) {
    const auto found = std::find_if(spec.features.begin(), spec.features.end(), [](const c::Feature & feature) {
        return feature.from == c::Feature::From::allowed && feature.is_first;
    });
    return found == spec.features.end() ? std::nullopt
                                        : std::optional(static_cast<size_t>(found - spec.features.begin()));
}

} // namespace

Text::Text(const Chain & chain, std::string_view saved, const std::vector<GrammarPosition> & grammars, Unasked given,
           std::optional<c::Pairs> bias)
    : sequence(c::Saved::read(c::Sequence(chain.spec(), chain.lookups()), saved.data(), saved.size())),
      followed(followed_by(*chain.spec())), unasked(given) {
    const auto & only        = unasked.only;
    const bool   is_followed = !only || std::find(followed.begin(), followed.end(), *only) != followed.end();
    if (followed.size() != grammars.size() || !is_followed) {
        fail(code::invalid_argument, "the chain follows %zu grammars, found %zu", followed.size(), grammars.size());
    }
    for (size_t i = 0; i < grammars.size(); ++i) {
        const size_t size = grammars[i]->vocabulary().size();
        if (size != static_cast<size_t>(chain.lookups()->place.vocab_size)) {
            fail(code::invalid_argument, "grammar %zu is of a vocabulary of %zu tokens", i, size);
        }
        sequence.follow(followed[i], std::make_shared<const Followed>(grammars[i], Patience::quick));
    }
    sequence.given.bias = std::move(bias);
}

Text::Text(const Chain & chain)
    : sequence(chain.spec(), chain.lookups()), followed(followed_by(*chain.spec())),
      unasked({ deciding(*chain.spec()), true }) {}

bool Text::is_ready() const {
    return std::all_of(followed.begin(), followed.end(), [&](size_t feature) {
        const Followed * const grammar = followed_in(sequence, feature);
        return grammar != nullptr && grammar->is_ready();
    });
}

std::optional<Feeder::Forced> Text::forced() const {
    const auto             in_place = sequence.written();
    const Followed * const grammar  = unasked.only ? followed_in(sequence, *unasked.only) : nullptr;
    std::optional<int32_t> token;
    if (in_place) {
        token = unasked.is_written ? in_place : std::nullopt;
    } else if (grammar != nullptr) {
        token = grammar->only_token();
    }
    auto scalars = token ? sequence.known_scalars() : std::nullopt;
    return scalars ? std::optional(Forced{ *token, in_place.has_value(), std::move(*scalars) }) : std::nullopt;
}

std::optional<int32_t> Text::written() const {
    return sequence.written();
}

Feeder::Move Text::accept(int32_t token, std::span<const float> scalars) {
    const auto   size   = sequence.lookups().place.vocab_size;
    const size_t count  = sequence.spec().scalars().size();
    const auto   before = sequence.disallowed_tokens();
    if (token < 0 || token >= size || scalars.size() != count) {
        fail(code::invalid_argument, "token %d of %d, with %zu of %zu numbers of states, measures and stops", token,
             size, scalars.size(), count);
    }
    try {
        sequence.accept(token, scalars);
    } catch (const TooLong &) {
        return Move::stops;
    }
    return sequence.disallowed_tokens() > before ? Move::refused : Move::goes_on;
}

void Text::show(std::shared_ptr<const Stops> stops, std::string_view rest) {
    output = Output(std::move(stops));
    output.restart(rest);
}

Said Text::read(std::string_view bytes) {
    Said said;
    output.push(bytes, said.pieces);
    said.stop = output.stop();
    return said;
}

std::vector<TextPiece> Text::flush() {
    std::vector<TextPiece> left;
    output.flush(left);
    return left;
}

void Text::feed(Sampler & sampler) const {
    sampler.set_uniforms(sequence.uniforms());
    std::vector<c::Fed> inputs = sequence.inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
        std::visit(
            [&](auto & values) {
                if (!values.empty()) { // of a constant input
                    sampler.set_input(i + 1, std::move(values));
                }
            },
            inputs[i]);
    }
}

} // namespace ggsl::loop
