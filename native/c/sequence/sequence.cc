#include "sequence/sequence.h"

#include "error.h"
#include "sequence/leaves.h"
#include "spec/show.h"

#include <algorithm>
#include <cmath>

namespace ggsl::c {

namespace {

// Every integer up to this is an f32; a counter would stop at a larger one.
constexpr float max_integer = 16777216.0f;

// The most draws of a stream per token, so that an untrusted graph cannot keep the CPU busy.
constexpr int64_t max_draws = 1000;

// Parameters are f32 on every device, so uniform expressions use the rounded value too.
double rounded(const Param & param, double value) {
    return param.type == Param::Type::seed ? value : static_cast<double>(static_cast<float>(value));
}

// Tokens that a text keeps: a window that can be the whole text needs all of them.
constexpr size_t everything = SIZE_MAX;

size_t largest_window(const Feature & feature) {
    if (feature.last.kind == Expression::Kind::number) {
        return feature.last.number < 0 ? everything : static_cast<size_t>(feature.last.number);
    }
    // a feature with a window that can be the whole text has a place for each token of the vocabulary
    return feature.form == Feature::Form::sparse && feature.capacity != dim_vocabulary &&
                   feature.in.kind != TextSource::Kind::input
               ? static_cast<size_t>(feature.capacity)
               : everything;
}

// Keeps the last `most` tokens; the others are dropped now and then, so that a text of n tokens costs O(n).
void append_last(std::vector<int32_t> & tokens, std::span<const int32_t> more, size_t most) {
    if (most == 0) {
        return;
    }
    tokens.insert(tokens.end(), more.begin(), more.end());
    if (most < tokens.size() / 2) {
        tokens.erase(tokens.begin(), tokens.end() - static_cast<int64_t>(most));
    }
}

size_t furthest(const Expression & expression) {
    size_t found = 0;
    for_each_leaf(expression, [&](const Expression & leaf) {
        found = leaf.kind == Expression::Kind::last ? std::max(found, static_cast<size_t>(leaf.index)) : found;
    });
    return found;
}

// How many tokens of history a chain needs.
size_t tokens_needed(const Spec & spec, const Lookups & lookups) {
    size_t needed = 0;
    for (size_t i = 0; i < spec.features.size(); ++i) {
        const Feature & feature = spec.features[i];
        const size_t    window  = feature.has_window() ? largest_window(feature) : lookups.completions[i].longest;
        needed = std::max({ needed, window, furthest(feature.last), feature.when ? furthest(*feature.when) : 0 });
    }
    for (const Expression & uniform : spec.uniforms) {
        needed = std::max(needed, furthest(uniform));
    }
    for (const State & state : spec.states) {
        needed = std::max(needed, furthest(state.init));
    }
    for (const Write & write : spec.writes) {
        needed = std::max(needed, furthest(write.when));
    }
    for (const Draw & draw : spec.draws) {
        needed = std::max(needed, draw.at ? furthest(*draw.at) : 0);
    }
    return needed;
}

// How many of the last tokens of the prompt it needs.
size_t prompt_tokens_needed(const Spec & spec) {
    size_t needed = 0;
    for (const Feature & feature : spec.features) {
        if (feature.has_window() && feature.in.kind == TextSource::Kind::prompt) {
            needed = std::max(needed, largest_window(feature));
        }
    }
    return needed;
}

std::span<const int32_t> last_of(std::span<const int32_t> tokens, size_t most) {
    return tokens.last(std::min(tokens.size(), most));
}

void read_symbol(const Pattern & pattern, Watch & watch, int32_t symbol) {
    size_t & matched = watch.matched;
    if (matched == pattern.symbols.size()) {
        matched = pattern.suffixes[matched - 1];
    }
    while (matched > 0 && pattern.symbols[matched] != symbol) {
        matched = pattern.suffixes[matched - 1];
    }
    matched += pattern.symbols[matched] == symbol;
}

} // namespace

template <typename Wanted> void Sequence::init_states(const Wanted & wanted) {
    std::vector<float> values = state_values;
    const Leaves       leaves(*this);
    for (size_t i = 0; i < values.size(); ++i) {
        if (wanted(chain->states[i].init)) {
            values[i] = static_cast<float>(evaluate(chain->states[i].init, leaves));
        }
    }
    keep_states(values);
}

Sequence::Sequence(std::shared_ptr<const Spec> spec, std::shared_ptr<const Lookups> lookups)
    : chain(std::move(spec)), looked_up(std::move(lookups)), sets(looked_up->sets), followed(chain->features.size()),
      history_needed(tokens_needed(*chain, *looked_up)), prompt_needed(prompt_tokens_needed(*chain)) {
    for (const Param & param : chain->params) {
        params.push_back(param.standard ? rounded(param, *param.standard) : 0);
    }
    is_set.resize(params.size());
    for (const GrammarParam & grammar : chain->grammars) {
        grammars.push_back(grammar.standard);
    }
    const size_t features = chain->features.size();
    given.dense.resize(features);
    given.pairs.resize(features);
    given.texts.resize(features);
    restart();
}

void Sequence::restart() {
    for (size_t i = 0; i < params.size(); ++i) {
        if (!chain->params[i].standard && !is_set[i]) {
            params[i] = random_seed();
        }
    }
    history.clear();
    prompt.clear();
    watches.assign(chain->endings.size(), {});
    measure_values.clear();
    writing.reset();
    present.reset();
    steps = prompt_length = disallowed = 0;
    start_streams();
    start_grammars(-1);
    state_values.assign(chain->states.size(), 0);
    windows.assign(chain->windows.size(), {});
    init_states([](const Expression &) { return true; });
}

uint32_t Sequence::seed_of(const Seed & seed) const {
    if (const auto * number = std::get_if<uint32_t>(&seed)) {
        return *number;
    }
    const auto * param = std::get_if<ParamRef>(&seed);
    return param == nullptr ? random_seed() : static_cast<uint32_t>(params[static_cast<size_t>(param->index)]);
}

void Sequence::start_streams() {
    streams.clear();
    for (const Draw & draw : chain->draws) {
        streams.emplace_back(draw, seed_of(draw.seed));
    }
}

void Sequence::start_grammars(int32_t only) {
    for (size_t i = 0; i < followed.size(); ++i) {
        const Feature & feature = chain->features[i];
        if (feature.from != Feature::From::allowed || (only >= 0 && feature.grammar != only)) {
            continue;
        }
        const auto text =
            feature.grammar < 0 ? std::optional(feature.gbnf) : grammars[static_cast<size_t>(feature.grammar)];
        if (text && !looked_up->place.open_grammar) {
            refuse(code::invalid_argument, "a grammar needs a model");
        }
        std::vector<std::string> rules;
        for (const GrammarRule & rule : chain->rules) {
            const Feature & follower = chain->features[rule.feature];
            if (follower.grammar == feature.grammar && follower.gbnf == feature.gbnf) {
                rules.push_back(rule.name);
            }
        }
        followed[i] = { text ? looked_up->place.open_grammar(*text, rules) : nullptr, {} };
    }
}

void Sequence::set_param(size_t index, double value) {
    params[index] = rounded(chain->params[index], value);
    present.reset();
    is_set[index] = true;
    for (size_t i = 0; i < streams.size(); ++i) {
        const auto * param = std::get_if<ParamRef>(&chain->draws[i].seed);
        if (param != nullptr && static_cast<size_t>(param->index) == index) {
            streams[i] = Stream(chain->draws[i], seed_of(*param));
        }
    }
    init_unless_begun();
}

void Sequence::set_tokens(size_t set, std::vector<int32_t> tokens) {
    check_capacity(chain->sets[set], tokens.size());
    sets[set] = std::move(tokens);
    present.reset();
    init_unless_begun();
}

// What is set before the first generated token counts for the initial values of the states.
void Sequence::init_unless_begun() {
    if (steps == 0) {
        init_states([](const Expression &) { return true; });
    }
}

void Sequence::set_grammar(size_t grammar, std::string gbnf) {
    auto before       = std::exchange(grammars[grammar], std::move(gbnf));
    auto before_texts = followed;
    try {
        start_grammars(static_cast<int32_t>(grammar));
        present.reset();
    } catch (...) {
        grammars[grammar] = std::move(before);
        followed          = std::move(before_texts);
        throw;
    }
}

void Sequence::follow(size_t feature, GrammarPtr position) {
    followed[feature] = { std::move(position), {} };
    present.reset();
}

void Sequence::keep_states(std::span<const float> values) {
    for (size_t i = 0; i < state_values.size(); ++i) {
        state_values[i] = chain->states[i].is_integer ? std::clamp(values[i], -max_integer, max_integer) : values[i];
    }
}

// One value for each window.
void Sequence::keep_windows(std::span<const float> values) {
    for (size_t i = 0; i < windows.size(); ++i) {
        windows[i].push_back(values[i]);
        if (windows[i].size() > static_cast<size_t>(chain->windows[i].size)) {
            windows[i].pop_front();
        }
    }
}

void Sequence::append(std::span<const int32_t> tokens) {
    append_last(history, tokens, history_needed);
    for (size_t i = 0; i < watches.size(); ++i) {
        const Pattern & pattern = looked_up->patterns[i];
        for (const int32_t token : tokens) {
            if (!pattern.is_text) {
                read_symbol(pattern, watches[i], token);
            } else {
                const auto & texts = looked_up->place.vocabulary->texts();
                if (static_cast<size_t>(token) < texts.size()) {
                    for (const char byte : texts[static_cast<size_t>(token)]) {
                        read_symbol(pattern, watches[i], static_cast<unsigned char>(byte));
                    }
                }
            }
            watches[i].since = watches[i].matched == pattern.symbols.size() ? 0 : std::min(watches[i].since + 1, never);
        }
    }
}

void Sequence::accept_prompt(std::span<const int32_t> tokens) {
    present.reset();
    append(tokens);
    append_last(prompt, tokens, prompt_needed);
    prompt_length += static_cast<int64_t>(tokens.size());
    if (steps == 0) { // later ones are in the middle of the text
        init_states(reads_text);
    }
}

// Whether the chain asks a grammar about the next token.
bool Sequence::is_asked(const Feature & feature) const {
    return !feature.when || evaluate(*feature.when, Leaves(*this)) != 0;
}

void Sequence::accept(int32_t token, std::span<const float> scalars) {
    // what can throw comes first
    const auto              next_writing = present_writing();
    std::vector<GrammarPtr> after(followed.size()); // of those that go on
    bool                    is_refused = false;
    for (size_t i = 0; i < followed.size(); ++i) {
        if (followed[i].position && is_asked(chain->features[i])) {
            after[i]   = followed[i].position->accept(token);
            is_refused = is_refused || !after[i];
        }
    }
    std::vector<int64_t> counts(streams.size());
    for (size_t i = 0; i < streams.size(); ++i) {
        counts[i] = chain->draws[i].at ? present_count(i) : streams[i].count() + 1;
    }
    for (size_t i = 0; i < followed.size(); ++i) {
        if (after[i]) {
            followed[i].position = std::move(after[i]);
            followed[i].tokens.push_back(token);
        }
    }
    disallowed += is_refused;
    const bool is_written = next_writing && looked_up->written[next_writing->write][next_writing->at] == token;
    const bool has_rest   = is_written && next_writing->at + 1 < looked_up->written[next_writing->write].size();
    writing = has_rest ? std::optional(Writing{ next_writing->write, next_writing->at + 1 }) : std::nullopt;
    present.reset();
    for (size_t i = 0; i < streams.size(); ++i) {
        streams[i].advance(counts[i]);
    }
    append({ &token, 1 });
    keep_states(scalars.first(state_values.size()));
    keep_windows(scalars.subspan(state_values.size(), windows.size()));
    const auto reported = scalars.subspan(state_values.size() + windows.size());
    measure_values.assign(reported.begin(), reported.end());
    if (is_written) { // stops are asked about picks
        std::fill(measure_values.begin() + static_cast<int64_t>(chain->measures.size()), measure_values.end(), 0.0f);
    }
    ++steps;
}

const Stop * Sequence::stop() const {
    for (size_t i = chain->measures.size(); i < measure_values.size(); ++i) {
        if (measure_values[i] != 0) {
            return &chain->stops[i - chain->measures.size()];
        }
    }
    return nullptr;
}

std::span<const int32_t> Sequence::recent() const {
    return last_of(history, history_needed);
}

std::span<const int32_t> Sequence::recent_prompt() const {
    return last_of(prompt, prompt_needed);
}

std::vector<float> Sequence::uniforms() const {
    std::vector<float> values;
    const Leaves       leaves(*this);
    for (const Expression & uniform : chain->uniforms) {
        values.push_back(static_cast<float>(evaluate(uniform, leaves)));
    }
    return values;
}

int64_t Sequence::present_count(size_t index) const {
    const double  count  = std::floor(evaluate(*chain->draws[index].at, Leaves(*this)) + 0.5);
    const int64_t before = streams[index].count();
    const int64_t most   = max_draws * (steps + 1);
    if (!(count >= static_cast<double>(before) && count <= static_cast<double>(most))) {
        refuse(code::invalid_argument, "draw " + std::to_string(index) + " requests number " + show(count) +
                                           " of its stream after number " + std::to_string(before) +
                                           ": expected a later number, at most " + std::to_string(max_draws) +
                                           " per token, so " + std::to_string(most) + " here");
    }
    return static_cast<int64_t>(count);
}

// A stream that was seeded again first catches up with the text.
double Sequence::present_draw(size_t index) const {
    if (!chain->draws[index].at) {
        return streams[index].value();
    }
    Stream stream = streams[index];
    stream.advance(present_count(index));
    return stream.value();
}

} // namespace ggsl::c
