#include "sequence/saved.h"

#include "error.h"
#include "spec/json.h"
#include "spec/tables.generated.h"

#include "llama/facts.generated.h"

#include <algorithm>

namespace ggsl::c {

namespace {

constexpr double most_saved_draws = 1e7;

[[noreturn]] void refuse_saved(const Spec & spec) {
    refuse(code::invalid_argument, "this is not a saved sequence of the chain `" + spec.name + "`");
}

[[noreturn]] void refuse_part(const std::string & part, const std::string & expected) {
    refuse(code::invalid_argument, "the saved sequence: `" + part + "` must be " + expected);
}

const Json & member(const Json & json, const char * name) {
    const auto found = json.find(name);
    if (found == json.end()) {
        refuse(code::invalid_argument, std::string("the saved sequence has no `") + name + "`");
    }
    return *found;
}

double integer(const Json & value, const char * name, double most) {
    if (!is_index(value) || number_of(value) > most) {
        refuse_part(name, "an integer from 0 to " + show(most));
    }
    return number_of(value);
}

std::vector<int32_t> tokens_in(const Json & value, const char * name, int32_t vocab_size) {
    if (!value.is_array()) {
        refuse_part(name, "a list of token ids");
    }
    std::vector<int32_t> tokens;
    for (const Json & token : value) {
        const std::optional<int32_t> found = index_below(token, static_cast<size_t>(vocab_size));
        if (!found) {
            refuse(code::invalid_argument, "the saved sequence contains token " + show(token) +
                                               "; the vocabulary has " + std::to_string(vocab_size) + " tokens");
        }
        tokens.push_back(*found);
    }
    return tokens;
}

Json json_of(const Ending & ending) {
    return ending.is_text() ? Json(ending.text) : Json(ending.tokens);
}

} // namespace

std::string Saved::write(const Sequence & sequence) {
    const Spec & spec   = sequence.spec();
    Json         json   = { { "ggsl", 1 }, { "chain", spec.name }, { "step", sequence.steps } };
    Json &       params = json["params"] = Json::object();
    for (size_t i = 0; i < spec.params.size(); ++i) {
        params[spec.params[i].name] = sequence.params[i];
    }
    for (size_t i = 0; i < spec.sets.size(); ++i) {
        if (spec.sets[i].name) {
            json["sets"][*spec.sets[i].name] = sequence.sets[i];
        }
    }
    for (size_t i = 0; i < spec.grammars.size(); ++i) {
        if (sequence.grammars[i]) {
            json["grammars"][spec.grammars[i].name] = { { "gbnf", *sequence.grammars[i] } };
        }
    }
    for (size_t i = 0; i < spec.features.size(); ++i) {
        if (spec.features[i].from == Feature::From::allowed) {
            json["followed"].push_back(sequence.followed[i].tokens);
        }
    }
    Json & streams = json["streams"] = Json::array();
    for (const Stream & stream : sequence.streams) {
        streams.push_back({ { "seed", stream.seed() }, { "count", stream.count() } });
    }
    Json & states = json["states"] = Json::array();
    for (const float state : sequence.state_values) {
        states.push_back(static_cast<double>(state));
    }
    for (const std::deque<float> & window : sequence.windows) {
        Json values = Json::array();
        for (const float value : window) {
            values.push_back(static_cast<double>(value));
        }
        json["windows"].push_back(std::move(values));
    }
    if (sequence.writing) {
        json["writing"] = { { "write", sequence.writing->write }, { "at", sequence.writing->at } };
    }
    const auto history = sequence.recent(), prompt = sequence.recent_prompt();
    json["history"]      = std::vector<int32_t>(history.begin(), history.end());
    json["prompt"]       = std::vector<int32_t>(prompt.begin(), prompt.end());
    json["promptLength"] = sequence.prompt_length;
    Json & watches = json["watches"] = Json::array();
    for (size_t i = 0; i < spec.endings.size(); ++i) {
        watches.push_back({ { "ending", json_of(spec.endings[i]) },
                            { "matched", sequence.watches[i].matched },
                            { "since", sequence.watches[i].since } });
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Sequence Saved::read(const Sequence & like, const char * text, size_t length) {
    const Json json = parse_json(text, length, code::invalid_argument, "the saved sequence");
    Saved      saved(like, &json);
    try {
        saved.restore();
    } catch (const Json::exception &) { // a value of another type
        refuse_saved(like.spec());
    }
    return std::move(saved.sequence);
}

void Saved::restore() {
    const Json & from = *static_cast<const Json *>(json);
    const Spec & spec = sequence.spec();
    const bool   fits = from.is_object() && member(from, "ggsl") == 1 && member(from, "chain") == spec.name &&
                      member(from, "streams").is_array() && from["streams"].size() == spec.draws.size() &&
                      member(from, "states").is_array() && from["states"].size() == spec.states.size();
    if (!fits) {
        refuse_saved(spec);
    }
    restore_params();
    sequence.restart(); // with these parameters
    restore_text();
    restore_followed();
    restore_watches();
    restore_streams();
    std::vector<float> states;
    for (const Json & state : from["states"]) {
        if (!is_finite_f32(state)) {
            refuse_part("states", "a list of numbers");
        }
        states.push_back(static_cast<float>(number_of(state)));
    }
    sequence.keep_states(states);
    restore_windows();
    restore_writing();
}

void Saved::restore_writing() {
    const Json & from  = *static_cast<const Json *>(json);
    const auto   found = from.find("writing");
    if (found == from.end()) {
        return;
    }
    const auto & texts = sequence.lookups().written;
    const auto   write = found->is_object() ? index_below(member(*found, "write"), texts.size()) : std::nullopt;
    const auto at = write ? index_below(member(*found, "at"), texts[static_cast<size_t>(*write)].size()) : std::nullopt;
    if (!at) {
        refuse_saved(sequence.spec());
    }
    sequence.writing = Sequence::Writing{ static_cast<size_t>(*write), static_cast<size_t>(*at) };
}

void Saved::restore_windows() {
    const Json & from  = *static_cast<const Json *>(json);
    const auto & specs = sequence.spec().windows;
    const Json   none  = Json::array();
    const auto   found = from.find("windows");
    const Json & given = found == from.end() ? none : *found;
    if (!given.is_array() || given.size() != specs.size()) {
        refuse_saved(sequence.spec());
    }
    for (size_t i = 0; i < specs.size(); ++i) {
        const auto length = static_cast<size_t>(std::min<int64_t>(sequence.steps, specs[i].size));
        if (!given[i].is_array() || given[i].size() != length) {
            refuse_saved(sequence.spec());
        }
        for (const Json & value : given[i]) {
            if (!is_finite_f32(value)) {
                refuse_part("windows", "a list of lists of numbers");
            }
            sequence.windows[i].push_back(static_cast<float>(number_of(value)));
        }
    }
}

void Saved::restore_params() {
    const Json & from   = *static_cast<const Json *>(json);
    const Spec & spec   = sequence.spec();
    const Json & params = member(from, "params");
    for (size_t i = 0; i < spec.params.size(); ++i) {
        const Json &      value    = member(params, spec.params[i].name.c_str());
        const std::string expected = value.is_number() ? spec.params[i].expected(number_of(value)) : "a number";
        if (!expected.empty()) {
            refuse_part("params." + spec.params[i].name, expected);
        }
        sequence.set_param(i, number_of(value));
    }
    for (size_t i = 0; i < spec.sets.size(); ++i) {
        if (spec.sets[i].name) {
            auto tokens = tokens_in(member(member(from, "sets"), spec.sets[i].name->c_str()), "sets",
                                    sequence.lookups().place.vocab_size);
            std::sort(tokens.begin(), tokens.end());
            tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
            sequence.set_tokens(i, std::move(tokens));
        }
    }
    if (const auto grammars = from.find("grammars"); grammars != from.end()) {
        for (size_t i = 0; i < spec.grammars.size(); ++i) {
            const auto found = grammars->find(spec.grammars[i].name);
            if (found == grammars->end()) {
                continue;
            }
            if (!is_only(*found, "gbnf") || !(*found)["gbnf"].is_string()) {
                refuse_part("grammars." + spec.grammars[i].name,
                            "a grammar in GBNF: only the JavaScript runtime reads other forms");
            }
            sequence.set_grammar(i, (*found)["gbnf"]);
        }
    }
}

void Saved::restore_text() {
    const Json & from       = *static_cast<const Json *>(json);
    const auto   vocab_size = sequence.lookups().place.vocab_size;
    sequence.steps          = static_cast<int64_t>(integer(member(from, "step"), "step", facts::max_context));
    sequence.prompt_length =
        static_cast<int64_t>(integer(member(from, "promptLength"), "promptLength", facts::max_context));
    sequence.history = tokens_in(member(from, "history"), "history", vocab_size);
    sequence.prompt  = tokens_in(member(from, "prompt"), "prompt", vocab_size);
}

void Saved::restore_followed() {
    const Json & from = *static_cast<const Json *>(json);
    size_t       next = 0;
    for (size_t i = 0; i < sequence.followed.size(); ++i) {
        if (sequence.spec().features[i].from != Feature::From::allowed) {
            continue;
        }
        const Json & lists = member(from, "followed");
        if (!lists.is_array() || next >= lists.size()) {
            refuse_saved(sequence.spec());
        }
        Sequence::Followed & each = sequence.followed[i];
        each.tokens               = tokens_in(lists[next++], "followed", sequence.lookups().place.vocab_size);
        for (const int32_t token : each.tokens) {
            each.position = each.position ? each.position->accept(token) : nullptr;
            if (!each.position) {
                refuse_saved(sequence.spec());
            }
        }
    }
}

void Saved::restore_watches() {
    const Json & from    = *static_cast<const Json *>(json);
    const Json & watches = member(from, "watches");
    for (size_t i = 0; i < sequence.watches.size(); ++i) {
        const Json ending  = json_of(sequence.spec().endings[i]);
        const auto found   = std::find_if(watches.begin(), watches.end(), [&](const Json & watch) {
            return watch.is_object() && watch.value("ending", Json()) == ending;
        });
        const auto longest = static_cast<double>(sequence.lookups().patterns[i].symbols.size());
        if (found == watches.end()) {
            refuse_saved(sequence.spec());
        }
        sequence.watches[i] = { static_cast<size_t>(integer(member(*found, "matched"), "matched", longest)),
                                integer(member(*found, "since"), "since", never) };
    }
}

void Saved::restore_streams() {
    const Json & from = *static_cast<const Json *>(json);
    for (size_t i = 0; i < sequence.streams.size(); ++i) {
        const Json & stream = from["streams"][i];
        const auto   seed   = static_cast<uint32_t>(integer(member(stream, "seed"), "seed", 4294967295.0));
        sequence.streams[i] = Stream(sequence.spec().draws[i], seed);
        sequence.streams[i].advance(static_cast<int64_t>(integer(member(stream, "count"), "count", most_saved_draws)));
    }
}

} // namespace ggsl::c
