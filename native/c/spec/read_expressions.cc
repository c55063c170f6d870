#include "spec/reading.h"
#include "spec/tables.generated.h"

#include <algorithm>
#include <iterator>

namespace ggsl::c {

namespace {

// A fault of an expression ends its reading.
struct Fault {
    std::string text;
};

class ExpressionReader {
public:
    ExpressionReader(Reading & reading, size_t draws) : reading(reading), draws(draws) {}

    Expression read(const Json & value, int64_t depth) {
        count(1);
        if (depth > limits::uniform_depth) {
            throw Fault{ "the expression is nested more than " + std::to_string(limits::uniform_depth) + " deep" };
        }
        if (value.is_object() && value.size() == 2 && value.contains("member") && value.contains("of")) {
            Expression found{ Expression::Kind::member };
            found.index = index(value["of"], count_of("sets"), "set");
            found.operands.push_back(read(value["member"], depth + 1));
            return found;
        }
        if (value.is_object() && value.size() == 2 && value.contains("window") && value.contains("of")) {
            return window(value);
        }
        return value.is_array() ? operation(value, depth) : leaf(value);
    }

private:
    void count(size_t parts) {
        reading.parts += static_cast<int64_t>(parts);
        if (reading.parts > limits::uniform_parts) {
            throw Fault{ "all expressions together have more than " + std::to_string(limits::uniform_parts) +
                         " parts" };
        }
    }

    size_t count_of(const char * part) const {
        const auto found = reading.json.find(part);
        return found == reading.json.end() ? 0 : found->size();
    }

    Expression window(const Json & value) {
        constexpr const char * folds[] = { "sum", "min", "max" };
        const auto *           found   = std::find(std::begin(folds), std::end(folds), value["of"]);
        if (found == std::end(folds)) {
            throw Fault{ show(value) + " is not an expression" };
        }
        Expression result{ Expression::Kind::window };
        result.index = index(value["window"], count_of("windows"), "window");
        result.of    = static_cast<WindowFold>(found - folds);
        return result;
    }

    int32_t index(const Json & value, size_t below, const char * what) {
        const std::optional<int32_t> found = index_below(value, below);
        if (!found) {
            throw Fault{ std::string("there is no ") + what + " " + show(value) };
        }
        return *found;
    }

    Expression operation(const Json & value, int64_t depth) {
        const Json   none;
        const Json & name = value.empty() ? none : value[0];
        const auto   found =
            std::find_if(std::begin(uniform_op_names), std::end(uniform_op_names), [&](const UniformOpName & op) {
                return name.is_string() && name.get_ref<const std::string &>() == op.name;
            });
        if (found == std::end(uniform_op_names)) {
            throw Fault{ "unknown operation " + (value.empty() ? "undefined" : show(name)) };
        }
        if (value.size() - 1 != static_cast<size_t>(found->arity)) {
            throw Fault{ "`" + std::string(found->name) + "` takes " + std::to_string(found->arity) +
                         " operands, found " + std::to_string(value.size() - 1) };
        }
        Expression result{ Expression::Kind::operation };
        result.op = found->op;
        for (size_t i = 1; i < value.size(); ++i) {
            result.operands.push_back(read(value[i], depth + 1));
        }
        return result;
    }

    Expression leaf(const Json & value) {
        if (value.is_number()) {
            return { Expression::Kind::number, number_of(value) };
        }
        if (value == "step" || value == "vocab" || value == "prompt_length") {
            return { value == "step"    ? Expression::Kind::step
                     : value == "vocab" ? Expression::Kind::vocab
                                        : Expression::Kind::prompt_length };
        }
        if (!value.is_object() || value.size() != 1) {
            throw Fault{ show(value) + " is not an expression" };
        }
        const std::string kind  = value.begin().key();
        const Json &      which = *value.begin();
        if (kind == "param") {
            const auto found = which.is_string() ? reading.params.find(which) : reading.params.end();
            if (found == reading.params.end()) {
                throw Fault{ "unknown parameter " + show(which) };
            }
            return { Expression::Kind::param, 0, found->second };
        }
        if (kind == "draw") {
            return { Expression::Kind::draw, 0, index(which, draws, "draw") };
        }
        if (kind == "state") {
            return { Expression::Kind::state, 0, index(which, reading.json["states"].size(), "state") };
        }
        if (kind == "last") {
            const std::optional<int32_t> k = index_below(which, static_cast<size_t>(limits::dim) + 1);
            if (!k || *k == 0) {
                throw Fault{ "`last` must be an integer from 1 to " + std::to_string(limits::dim) + ", found " +
                             show(which) };
            }
            return { Expression::Kind::last, 0, *k };
        }
        if (kind == "in_rule") {
            const auto rule = index_below(which, reading.can_ask_rules ? count_of("rules") : 0);
            if (!rule) {
                throw Fault{ "there is no rule " + show(which) + " to ask about here" };
            }
            return { Expression::Kind::in_rule, 0, *rule };
        }
        if (kind == "ends_with" || kind == "since") {
            return { kind == "since" ? Expression::Kind::since : Expression::Kind::ends_with, 0, ending(which, kind) };
        }
        throw Fault{ show(value) + " is not an expression" };
    }

    int32_t ending(const Json & value, const std::string & kind) {
        const auto most     = static_cast<size_t>(limits::ending);
        const bool is_valid = value.is_string()
                                  ? !value.get_ref<const std::string &>().empty() && is_text(value, limits::ending)
                                  : value.is_array() && !value.empty() && value.size() <= most &&
                                        std::all_of(value.begin(), value.end(), is_token);
        if (!is_valid) {
            throw Fault{ "`" + kind + "` must be a text or a list of token ids, of 1 to " + std::to_string(most) +
                         " characters or ids, found " + show(value) };
        }
        reading.parts +=
            static_cast<int64_t>(value.is_string() ? utf16_length(value.get_ref<const std::string &>()) : value.size());
        return ending_index(reading.spec, token_sequence(value));
    }

    Reading &    reading;
    const size_t draws;
};

} // namespace

Expression read_expression(Reading & reading, const Json & value, size_t draws, const std::string & where) {
    try {
        return ExpressionReader(reading, draws).read(value, 0);
    } catch (const Fault & fault) {
        reading.fault(where + ": " + fault.text);
        return {};
    }
}

int32_t ending_index(Spec & spec, Ending ending) {
    const auto found = std::find(spec.endings.begin(), spec.endings.end(), ending);
    const auto index = static_cast<int32_t>(found - spec.endings.begin());
    if (found == spec.endings.end()) {
        spec.endings.push_back(std::move(ending));
    }
    return index;
}

TokenSequence token_sequence(const Json & value) {
    if (value.is_string()) {
        return { value.get<std::string>() };
    }
    if (value.is_number()) {
        return { "", { static_cast<int32_t>(number_of(value)) } };
    }
    TokenSequence found;
    for (const Json & token : value) {
        found.tokens.push_back(static_cast<int32_t>(number_of(token)));
    }
    return found;
}

void read_uniforms(Reading & reading) {
    Spec &       spec  = reading.spec;
    const size_t draws = reading.json["draws"].size();
    size_t       i     = 0;
    for (const Json & uniform : reading.json["uniforms"]) {
        spec.uniforms.push_back(read_expression(reading, uniform["expr"], draws, "uniform " + std::to_string(i++)));
    }
    i                     = 0;
    reading.can_ask_rules = false;
    for (const Json & state : reading.json["states"]) {
        const std::string where = "state " + std::to_string(i) + " " + show(state["name"]);
        spec.states[i++].init   = read_expression(reading, state["init"], draws, where);
    }
    i                     = 0;
    reading.can_ask_rules = true;
    spec.features.resize(reading.json["features"].size());
    for (const Json & feature : reading.json["features"]) {
        if (const auto last = feature["from"].find("last"); last != feature["from"].end()) {
            spec.features[i].last = read_expression(reading, *last, draws, "feature " + std::to_string(i));
        }
        if (const auto when = feature["from"].find("when"); when != feature["from"].end()) {
            spec.features[i].when = read_expression(reading, *when, draws, "feature " + std::to_string(i));
        }
        ++i;
    }
    if (const auto writes = reading.json.find("writes"); writes != reading.json.end()) {
        i = 0;
        for (const Json & write : *writes) {
            Expression when = read_expression(reading, write["when"], draws, "write " + std::to_string(i++));
            spec.writes.push_back({ write["text"], std::move(when) });
        }
    }
    i                     = 0;
    reading.can_ask_rules = false;
    spec.draws.resize(draws);
    for (const Json & draw : reading.json["draws"]) {
        if (draw.contains("at")) { // which cannot depend on a draw
            spec.draws[i].at = read_expression(reading, draw["at"], 0, "draw " + std::to_string(i));
        }
        ++i;
    }
}

} // namespace ggsl::c
