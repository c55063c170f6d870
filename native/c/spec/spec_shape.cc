// The members of a graph spec, as compiler/graph/json.ts has them.
#include "spec/features.generated.h"
#include "spec/shape.h"
#include "spec/tables.generated.h"

#include <algorithm>
#include <span>

namespace ggsl::c {

namespace {

using Ptr = std::shared_ptr<const Shape>;

Ptr test(std::string what, std::function<bool(const Json &)> is) {
    return std::make_shared<Shape>(Shape{ std::move(what), std::move(is) });
}

Ptr list(Ptr entry) {
    Shape shape;
    shape.entry = std::move(entry);
    return std::make_shared<Shape>(std::move(shape));
}

Ptr object(std::vector<Member> members) {
    Shape shape;
    shape.members = std::move(members);
    return std::make_shared<Shape>(std::move(shape));
}

Ptr choice(std::vector<Kind> kinds) {
    Shape shape;
    shape.kinds = std::move(kinds);
    return std::make_shared<Shape>(std::move(shape));
}

Ptr one_of(std::vector<std::string> names) {
    std::string what = "one of ";
    for (const std::string & name : names) {
        what += (&name == &names.front() ? "" : ", ") + name;
    }
    return test(what, [names](const Json & value) {
        return value.is_string() &&
               std::find(names.begin(), names.end(), value.get_ref<const std::string &>()) != names.end();
    });
}

template <typename Is> bool all(const Json & value, Is is) {
    return value.is_array() && value.size() <= static_cast<size_t>(limits::list) &&
           std::all_of(value.begin(), value.end(), is);
}

// A text or a list of tokens that a text may end with.
bool is_ending(const Json & value) {
    const auto most = static_cast<size_t>(limits::ending);
    if (value.is_string()) {
        return !value.get_ref<const std::string &>().empty() && is_text(value, limits::ending);
    }
    return value.is_array() && !value.empty() && value.size() <= most &&
           std::all_of(value.begin(), value.end(), is_token);
}

bool is_token_item(const Json & value) {
    if (value.is_string()) {
        return is_long_text(value) && !value.get_ref<const std::string &>().empty();
    }
    if (is_only(value, "pattern")) {
        return is_name(value["pattern"]);
    }
    return is_token(value) || (is_only(value, "class") && (value["class"] == "control" || value["class"] == "end"));
}

bool is_text_source(const Json & value) {
    return value == "prompt" || value == "generated" ||
           (value.is_object() && value.size() == 2 && value.contains("input") && value.contains("capacity") &&
            is_name(value["input"]) && value["capacity"] != "V" && is_dim(value["capacity"]));
}

bool is_param(const Json & value) {
    return is_only(value, "param") && is_name(value["param"]);
}

bool is_attrs(const Json & value) {
    constexpr size_t most = 8; // more than any op has
    return value.is_object() && value.size() <= most && std::all_of(value.begin(), value.end(), [](const Json & attr) {
               return attr.is_number() || is_text(attr, 60);
           });
}

std::string versions_text() {
    std::string text = "one of the versions 1";
    for (int32_t version = 2; version <= spec_version; ++version) {
        text += ", " + std::to_string(version);
    }
    return text;
}

Shape make_shape() {
    const std::string most_text = "a text of at most " + std::to_string(limits::text) + " characters";
    const std::string most_list = "a list of at most " + std::to_string(limits::list);
    const std::string seeds     = "an integer from 0 to 4294967295";

    const Ptr name        = test("a text of at most " + std::to_string(limits::name) + " characters", is_name);
    const Ptr window_size = test("an integer from 1 to " + std::to_string(limits::window), [](const Json & v) {
        return is_integer(v) && number_of(v) >= 1 && number_of(v) <= limits::window;
    });
    const Ptr stop_name =
        test("a text of 1 to " + std::to_string(limits::stop_name) + " characters",
             [](const Json & v) { return is_text(v, limits::stop_name) && !v.get_ref<const std::string &>().empty(); });
    const Ptr written = test("a text of 1 to " + std::to_string(limits::written) + " characters", [](const Json & v) {
        return is_text(v, limits::written) && !v.get_ref<const std::string &>().empty();
    });
    const Ptr rule_name =
        test("a text of 1 to " + std::to_string(limits::rule_name) + " characters",
             [](const Json & v) { return is_text(v, limits::rule_name) && !v.get_ref<const std::string &>().empty(); });
    const Ptr text     = test(most_text, is_long_text);
    const Ptr index    = test("an index", is_index);
    const Ptr flag     = test("true or false", [](const Json & v) { return v.is_boolean(); });
    const Ptr dim      = test("V or a number of rows", is_dim);
    const Ptr dtype    = one_of({ "f32", "i32" });
    const Ptr number   = test("a finite number", [](const Json & v) { return v.is_number(); });
    const Ptr f32      = test("a finite f32 number", is_finite_f32);
    const Ptr anything = test("an expression", [](const Json &) { return true; });
    const Ptr args     = test("an object", [](const Json & v) { return v.is_object(); });
    const Ptr attrs    = test("an object of numbers and short texts", is_attrs);
    const Ptr grammar =
        test(most_text + ", or a parameter", [](const Json & v) { return is_long_text(v) || is_param(v); });
    const Ptr breakers  = test(most_list + " texts and token ids", [](const Json & v) {
        return all(v, [](const Json & b) { return is_long_text(b) || is_token(b); });
    });
    const Ptr sequences = test(most_list + " texts, token ids and lists of token ids, none empty", [](const Json & v) {
        return all(v, [](const Json & s) { return is_token(s) || is_ending(s); });
    });
    const Ptr items     = test(most_list + " token ids, texts, patterns and classes",
                               [](const Json & v) { return all(v, is_token_item); });
    const Ptr phrases   = test(most_list + " texts and patterns", [](const Json & v) {
        return all(v, [](const Json & p) { return is_token_item(p) && !p.is_number() && !p.contains("class"); });
    });
    const Ptr count     = test("an integer from 1", [](const Json & v) { return is_integer(v) && number_of(v) >= 1; });
    const Ptr last =
        test("an integer of at most " + std::to_string(limits::dim) + ", or an expression", [](const Json & v) {
            return !v.is_number() || (is_integer(v) && std::fabs(number_of(v)) <= limits::dim);
        });
    const Ptr source = test("\"prompt\", \"generated\" or an input of 1 to " + std::to_string(limits::dim) + " tokens",
                            is_text_source);
    const Ptr seed   = test(seeds + ", \"random\" or a parameter",
                            [](const Json & v) { return v == "random" || is_seed(v) || is_param(v); });
    const Ptr stream =
        test("an integer from 1 to 4294967295", [](const Json & v) { return is_seed(v) && number_of(v) >= 1; });
    const Ptr truth = test("true", [](const Json & v) { return v == true; });
    const Ptr version =
        test(versions_text(), [](const Json & v) { return is_integer(v) && v >= 1 && v <= spec_version; });
    const Ptr standard =
        test("a finite number or \"random\"", [](const Json & v) { return v == "random" || v.is_number(); });

    const Ptr  place   = object({ { "file", name }, { "line", index }, { "column", index } });
    const Ptr  origin  = object({ { "stage", index }, { "file", name }, { "line", index }, { "column", index } });
    const Ptr  range   = object({ { "min", number, true },
                                  { "max", number, true },
                                  { "minExcluded", flag, true },
                                  { "maxExcluded", flag, true } });
    const auto feature = std::vector<Member>{ { "feature", index } };

    const auto type_of = [&](MemberType type) {
        switch (type) {
            case MemberType::window:     return last;
            case MemberType::text:       return source;
            case MemberType::breakers:   return breakers;
            case MemberType::sequences:  return sequences;
            case MemberType::grammar:    return grammar;
            case MemberType::expression: return anything;
            case MemberType::truth:      return truth;
            case MemberType::name:       return name;
            case MemberType::index:      return index;
            case MemberType::input_type: return one_of({ "i32", "bool" });
        }
        return anything;
    };
    std::vector<Kind> sources;
    for (const FeatureRule & rule : feature_rules) {
        std::vector<Member> members;
        for (const FeatureMember & member : std::span(rule.members).first(static_cast<size_t>(rule.member_count))) {
            members.push_back({ member.name, type_of(member.type), member.is_optional });
        }
        sources.push_back({ rule.name, std::move(members) });
    }

    return *object({
        { "ggsl", version },
        { "name", name },
        { "nodes", list(object({ { "op", name },
                                 { "inputs", list(index) },
                                 { "attrs", attrs },
                                 { "dtype", dtype },
                                 { "dim", dim },
                                 { "name", name, true },
                                 { "origin", origin, true } })) },
        { "params", list(object({ { "name", name },
                                  { "type", one_of({ "f32", "i32", "bool", "seed" }) },
                                  { "default", standard },
                                  { "range", range },
                                  { "doc", text, true } })) },
        { "draws", list(object({ { "kind", one_of({ "f64", "f32", "seed" }) },
                                 { "seed", seed },
                                 { "stream", stream, true },
                                 { "at", anything, true } })) },
        { "states",
          list(object(
              { { "name", name }, { "type", one_of({ "i32" }), true }, { "init", anything }, { "next", index } })) },
        { "windows", list(object({ { "name", name }, { "size", window_size }, { "next", index } })), true },
        { "measures", list(object({ { "name", name }, { "node", index } })), true },
        { "stops", list(object({ { "name", stop_name }, { "node", index } })), true },
        { "writes", list(object({ { "text", written }, { "when", anything } })), true },
        { "uniforms", list(object({ { "name", name }, { "expr", anything } })) },
        { "inputs", list(object({ { "name", name },
                                  { "dtype", dtype },
                                  { "dim", dim },
                                  { "source", choice({ { "logits", {} },
                                                       { "dense", feature },
                                                       { "bits", feature },
                                                       { "ids", feature },
                                                       { "values", feature } }) } })) },
        { "features", list(object({ { "form", choice({ { "dense", {} },
                                                       { "bits", {} },
                                                       { "sparse", { { "capacity", dim }, { "fill", f32 } } } }) },
                                    { "from", choice(std::move(sources)) } })) },
        { "grammars", list(object({ { "name", name }, { "default", text, true }, { "doc", text, true } })), true },
        { "sets",
          list(object({ { "of", items }, { "name", name, true }, { "capacity", count, true }, { "doc", text, true } })),
          true },
        { "rules", list(object({ { "grammar", grammar }, { "name", rule_name } })), true },
        // the caller looks for them, and gives the tokens of the set of their name
        { "phrases", list(object({ { "name", name }, { "of", phrases } })), true },
        { "tail", list(object({ { "name", name }, { "args", args } })) },
        { "stages",
          list(object(
              { { "name", text }, { "origin", place }, { "rows", dim, true }, { "drops", list(text), true } })) },
        { "outputs", object({ { "sampled", index, true },
                              { "candidates", index, true },
                              { "logits", index, true },
                              { "probs", index, true } }) },
    });
}

} // namespace

const Shape & spec_shape() {
    static const Shape shape = make_shape();
    return shape;
}

} // namespace ggsl::c
