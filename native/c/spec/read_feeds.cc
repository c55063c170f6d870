#include "spec/reading.h"
#include "spec/tables.generated.h"

#include <algorithm>
#include <set>
#include <span>

namespace ggsl::c {

namespace {

using Part = SpecInput::Part;
using Form = Feature::Form;
using From = Feature::From;

constexpr const char * part_names[] = { "logits", "dense", "bits", "ids", "values" };

template <typename Enum, size_t N> Enum find_name(const char * const (&names)[N], const Json & name) {
    size_t i = 0;
    while (i + 1 < N && name != names[i]) {
        ++i;
    }
    return static_cast<Enum>(i);
}

From find_kind(const Json & name) {
    size_t i = 0;
    while (i + 1 < std::size(feature_rules) && name != feature_rules[i].name) {
        ++i;
    }
    return static_cast<From>(i);
}

// The inputs that carry a feature.
struct WantedPart {
    Part  part;
    Dtype dtype;
    Dim   dim;
};

std::vector<WantedPart> parts_of(const Feature & feature) {
    if (feature.form != Form::sparse) {
        return { { feature.form == Form::dense ? Part::dense : Part::bits, Dtype::f32, dim_vocabulary } };
    }
    return { { Part::ids, Dtype::i32, feature.capacity }, { Part::values, Dtype::f32, feature.capacity } };
}

TextSource text_source(const Json & from) {
    const auto in = from.find("in");
    if (in == from.end()) {
        return {};
    }
    if (in->is_string()) {
        return { *in == "prompt" ? TextSource::Kind::prompt : TextSource::Kind::generated };
    }
    return { TextSource::Kind::input, (*in)["input"], dim_of((*in)["capacity"]) };
}

// Everything but the window, which is an expression, and what other parts of the spec say.
void read_feature(const Json & json, Feature & feature) {
    const Json & form = json["form"];
    const Json & from = json["from"];
    feature.form      = find_name<Form>(form_names, form["kind"]);
    feature.from      = find_kind(from["kind"]);
    if (feature.form == Form::sparse) {
        feature.capacity = dim_of(form["capacity"]);
        feature.fill     = number_of(form["fill"]);
    }
    feature.in = text_source(from);
    if (from.contains("breakers")) {
        feature.breakers = breaker_list(from["breakers"]);
    }
    if (from.contains("sequences")) {
        for (const Json & sequence : from["sequences"]) {
            feature.sequences.push_back(token_sequence(sequence));
        }
    }
    feature.is_negated = from.contains("not");
    feature.is_first   = from.contains("first");
    feature.name       = from.value("name", "");
    if (const auto type = from.find("type"); type != from.end()) {
        feature.type = *type == "i32" ? Feature::Type::i32 : Feature::Type::boolean;
    }
}

void check_input(Reading & reading, size_t i, const Json & feature_json) {
    SpecInput &       input = reading.spec.inputs[i];
    const std::string where = "inputs[" + std::to_string(i) + "]: ";
    if (input.part == Part::logits) {
        return reading.fault(where + "only the first input can be the logits");
    }
    const std::optional<int32_t> index = index_below(feature_json, reading.spec.features.size());
    if (!index) {
        return reading.fault(where + "there is no feature " + show(feature_json));
    }
    input.feature           = *index;
    const Feature & feature = reading.spec.features[static_cast<size_t>(*index)];
    const auto      parts   = parts_of(feature);
    const auto      wanted =
        std::find_if(parts.begin(), parts.end(), [&](const WantedPart & part) { return part.part == input.part; });
    const char * const name = part_names[static_cast<size_t>(input.part)];
    if (wanted == parts.end()) {
        return reading.fault(where + "feature " + std::to_string(*index) + " is " +
                             form_names[static_cast<size_t>(feature.form)] + ", so it has no " + name);
    }
    if (wanted->dtype != input.dtype || wanted->dim != input.dim) {
        reading.fault(where + "the " + name + " of feature " + std::to_string(*index) + " must be " +
                      show_dtype(wanted->dtype) + "[" + show_dim(wanted->dim) + "], found " + show_dtype(input.dtype) +
                      "[" + show_dim(input.dim) + "]");
    }
}

void check_feature(Reading & reading, size_t i) {
    const Feature &   feature = reading.spec.features[i];
    const auto &      rule    = rule_of(feature.from);
    const auto        forms   = std::span(rule.forms).first(static_cast<size_t>(rule.form_count));
    const std::string where   = "features[" + std::to_string(i) + "]: ";
    if (std::find(forms.begin(), forms.end(), feature.form) == forms.end()) {
        std::string names;
        for (const Form form : forms) {
            names += (names.empty() ? "" : " or ") + std::string(form_names[static_cast<size_t>(form)]);
        }
        return reading.fault(where + "`" + rule.name + "` must be " + names + ", found " +
                             form_names[static_cast<size_t>(feature.form)]);
    }
    for (const WantedPart & part : parts_of(feature)) {
        // also of inputs with a fault, which have no number of a feature
        size_t count = 0;
        for (const Json & input : reading.json["inputs"]) {
            const Json & source = input["source"];
            count += source["kind"] == part_names[static_cast<size_t>(part.part)] && source.contains("feature") &&
                     number_of(source["feature"]) == static_cast<double>(i);
        }
        // a grammar is followed even if nothing reads its answer
        const bool is_followed =
            feature.from == Feature::From::allowed &&
            !(feature.when && feature.when->kind == Expression::Kind::number && feature.when->number == 0);
        if (count != 1 && !(count == 0 && is_followed)) {
            reading.fault(where + "exactly one input must have its " + part_names[static_cast<size_t>(part.part)] +
                          ", found " + std::to_string(count));
        }
    }
}

} // namespace

std::vector<Breaker> breaker_list(const Json & value) {
    std::vector<Breaker> found;
    for (const Json & entry : value) {
        if (entry.is_string()) {
            found.emplace_back(entry.get<std::string>());
        } else {
            found.emplace_back(static_cast<int32_t>(number_of(entry)));
        }
    }
    return found;
}

void read_feeds(Reading & reading) {
    Spec & spec = reading.spec;
    size_t i    = 0;
    for (const Json & feature : reading.json["features"]) {
        read_feature(feature, spec.features[i++]);
    }
    const Json & inputs = reading.json["inputs"];
    for (const Json & input : inputs) {
        spec.inputs.push_back(
            { dtype_of(input["dtype"]), dim_of(input["dim"]), find_name<Part>(part_names, input["source"]["kind"]) });
    }
    const bool is_right = !spec.inputs.empty() && spec.inputs[0].part == Part::logits &&
                          spec.inputs[0].dim == dim_vocabulary && spec.inputs[0].dtype == Dtype::f32;
    if (!is_right) {
        return reading.fault("inputs: the first one must be the logits, f32[V]");
    }
    for (i = 1; i < inputs.size(); ++i) {
        const Json none;
        check_input(reading, i, inputs[i]["source"].value("feature", none));
    }
    for (i = 0; i < spec.features.size(); ++i) {
        check_feature(reading, i);
    }
}

void read_sets(Reading & reading) {
    Spec &                spec = reading.spec;
    std::set<std::string> names;
    size_t                named = 0;
    for (const Param & param : spec.params) {
        named += 1;
        names.insert(param.name);
    }
    if (const auto sets = reading.json.find("sets"); sets != reading.json.end()) {
        for (const Json & json : *sets) {
            const std::string where    = "sets[" + std::to_string(spec.sets.size()) + "]: ";
            const double      capacity = json.value("capacity", 0.0);
            TokenSet          set{ {}, optional_text(json, "name"), 0, optional_text(json, "doc") };
            for (const Json & item : json["of"]) {
                if (item.is_object() && item.contains("pattern")) {
                    reading.patterns.push_back(item["pattern"]);
                    continue;
                }
                set.of.push_back(item.is_number()   ? TokenItem(static_cast<int32_t>(number_of(item)))
                                 : item.is_string() ? TokenItem(item.get<std::string>())
                                                    : TokenItem(TokenClass{ item["class"] == "end" }));
            }
            if (set.name.has_value() != json.contains("capacity")) {
                reading.fault(where + "a parameter has a name and a capacity");
            }
            if (capacity > max_set_capacity) {
                reading.fault(where + "its capacity must be at most " + std::to_string(max_set_capacity) + ", found " +
                              show(capacity));
            }
            set.capacity = static_cast<int32_t>(std::min(capacity, static_cast<double>(max_set_capacity)));
            if (set.name) {
                named += 1;
                names.insert(*set.name);
            }
            spec.sets.push_back(std::move(set));
        }
    }
    size_t i = 0;
    for (Feature & feature : spec.features) {
        const std::string where = "features[" + std::to_string(i) + "]: ";
        const Json &      from  = reading.json["features"][i++]["from"];
        if (feature.from != From::set) {
            continue;
        }
        const std::optional<int32_t> index = index_below(from["set"], spec.sets.size());
        if (!index) {
            reading.fault(where + "there is no set " + show(from["set"]));
            continue;
        }
        feature.set               = *index;
        const TokenSet & set      = spec.sets[static_cast<size_t>(*index)];
        const bool       is_right = set.capacity == 0 ? feature.form == Form::dense
                                                      : feature.form == Form::sparse && feature.capacity == set.capacity &&
                                                      feature.fill == (feature.is_negated ? 1 : 0);
        if (!is_right) {
            reading.fault(where + "its form is not that of set " + std::to_string(*index));
        }
    }
    if (!spec.sets.empty() && names.size() < named) {
        reading.fault("sets: two parameters have the same name");
    }
}

void read_grammars(Reading & reading) {
    Spec & spec = reading.spec;
    if (const auto grammars = reading.json.find("grammars"); grammars != reading.json.end()) {
        if (grammars->size() > static_cast<size_t>(limits::params)) {
            return reading.fault("grammars: at most " + std::to_string(limits::params) + " are allowed, found " +
                                 std::to_string(grammars->size()));
        }
        for (const Json & json : *grammars) {
            reading.grammars.emplace(json["name"], static_cast<int32_t>(spec.grammars.size()));
            spec.grammars.push_back({ json["name"], optional_text(json, "default"), optional_text(json, "doc") });
        }
    }
    const auto is_taken = [&](const std::string & name) { return reading.grammars.contains(name); };
    const bool is_twice =
        reading.grammars.size() < spec.grammars.size() ||
        std::any_of(
            spec.params.begin(), spec.params.end(), [&](const Param & param) { return is_taken(param.name); }) ||
        std::any_of(
            spec.sets.begin(), spec.sets.end(), [&](const TokenSet & set) { return set.name && is_taken(*set.name); });
    if (is_twice) {
        reading.fault("grammars: two parameters have the same name");
    }
    size_t i = 0;
    for (Feature & feature : spec.features) {
        const Json & from = reading.json["features"][i++]["from"];
        if (feature.from != From::allowed) {
            continue;
        }
        const Json & grammar = from["grammar"];
        if (grammar.is_string()) {
            feature.gbnf = grammar.get<std::string>();
            continue;
        }
        const auto found = reading.grammars.find(grammar["param"]);
        if (found == reading.grammars.end()) {
            reading.fault("features[" + std::to_string(i - 1) + "]: there is no grammar " + show(grammar["param"]));
        } else {
            feature.grammar = found->second;
        }
    }
}

// Rules that the chain asks about: they are checked, and the spec is refused.
void read_rules(Reading & reading) {
    const auto found = reading.json.find("rules");
    if (found == reading.json.end()) {
        return;
    }
    const Json & features = reading.json["features"];
    for (auto rule = found->begin(); rule != found->end(); ++rule) {
        const std::string where = "rules[" + std::to_string(rule - found->begin()) + "]: ";
        if (std::find(found->begin(), rule, *rule) != rule) {
            reading.fault(where + show((*rule)["name"]) + " is there twice");
        }
        const auto follower = std::find_if(features.begin(), features.end(), [&](const Json & feature) {
            const Json & from = feature["from"];
            return from["kind"] == "allowed" && from["grammar"] == (*rule)["grammar"];
        });
        if (follower == features.end()) {
            reading.fault(where + "no feature follows its grammar");
        }
        const auto mark = std::count_if(found->begin(), rule,
                                        [&](const Json & before) { return before["grammar"] == (*rule)["grammar"]; });
        reading.spec.rules.push_back(
            { (*rule)["name"], static_cast<size_t>(follower - features.begin()), static_cast<uint32_t>(mark) });
    }
}

} // namespace ggsl::c
