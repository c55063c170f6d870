#include "loop/text.h"

#include "error.h"
#include "sampler/model_place.h"
#include "sequence/saved.h"

#include <algorithm>
#include <bit>

namespace ggsl::loop {

namespace {

// What takes longer than the others of a batch can wait.
struct TooLong {};

class Followed : public c::GrammarPosition {
public:
    // Throws Failure (LIMIT_EXCEEDED).
    explicit Followed(loop::GrammarPosition position)
        : position(std::move(position)), bits(this->position->vocabulary().words()) {
        is_known = this->position->allowed_quickly(bits);
    }

    // Whether the bits of the tokens that can come next are known.
    bool is_ready() const { return is_known; }

    std::optional<int32_t> only_token() const {
        std::optional<int32_t> found;
        for (size_t i = 0; i < bits.size(); ++i) {
            const uint32_t word = bits[i];
            if (word != 0 && (found || (word & (word - 1)) != 0)) {
                return std::nullopt;
            }
            if (word != 0) {
                found = static_cast<int32_t>(32 * i) + std::countr_zero(word);
            }
        }
        return found;
    }

    std::vector<int32_t> words() const override { return c::words_of(bits, position->vocabulary().size()); }

    c::GrammarPtr accept(int32_t token) const override {
        const auto id = static_cast<uint32_t>(token);
        if (((bits[id / 32] >> (id % 32)) & 1) == 0) {
            return nullptr;
        }
        if (position->vocabulary().is_end(id)) { // the text may go on after it, as if that were not there
            return std::make_shared<const Followed>(*this);
        }
        auto read = position->after_quickly(id);
        if (!read || !*read) {
            throw TooLong();
        }
        auto next = std::make_shared<const Followed>(loop::GrammarPosition(std::move(*read)));
        if (!next->is_ready()) {
            throw TooLong();
        }
        return next;
    }

private:
    loop::GrammarPosition position;
    std::vector<uint32_t> bits;
    bool                  is_known;
};

const Followed & followed_in(const c::Sequence & sequence, size_t feature) {
    return static_cast<const Followed &>(*sequence.grammar(feature));
}

} // namespace

Chain::Chain(const c::Place & place, std::string_view spec)
    : read(std::make_shared<const c::Spec>(c::read_spec(spec.data(), spec.size()))),
      looked_up(std::make_shared<const c::Lookups>(*read, place)) {}

c::Place place_of(const std::shared_ptr<Model> & model) {
    c::Place place     = c::place_of(model);
    place.open_grammar = [](const std::string &) { return c::GrammarPtr(); };
    return place;
}

Text::Text(const Chain & chain, std::string_view saved, const std::vector<GrammarPosition> & grammars,
           std::optional<size_t> only, std::optional<c::Pairs> bias)
    : sequence(c::Saved::read(c::Sequence(chain.spec(), chain.lookups()), saved.data(), saved.size())), only(only) {
    const auto & features = chain.spec()->features;
    for (size_t i = 0; i < features.size(); ++i) {
        if (features[i].from == c::Feature::From::allowed) {
            followed.push_back(i);
        }
    }
    const bool is_followed = !only || std::find(followed.begin(), followed.end(), *only) != followed.end();
    if (followed.size() != grammars.size() || !is_followed) {
        fail(code::invalid_argument, "the chain follows %zu grammars, found %zu", followed.size(), grammars.size());
    }
    for (size_t i = 0; i < grammars.size(); ++i) {
        const size_t size = grammars[i]->vocabulary().size();
        if (size != static_cast<size_t>(chain.lookups()->place.vocab_size)) {
            fail(code::invalid_argument, "grammar %zu is of a vocabulary of %zu tokens", i, size);
        }
        sequence.follow(followed[i], std::make_shared<const Followed>(grammars[i]));
    }
    sequence.given.bias = std::move(bias);
}

bool Text::is_ready() const {
    return std::all_of(followed.begin(), followed.end(),
                       [&](size_t feature) { return followed_in(sequence, feature).is_ready(); });
}

std::optional<int32_t> Text::only_token() const {
    return only ? followed_in(sequence, *only).only_token() : std::nullopt;
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
