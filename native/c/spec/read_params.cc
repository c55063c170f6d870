#include "spec/reading.h"

#include <cmath>

namespace ggsl::c {

namespace {

constexpr const char * seed_range = "an integer from 0 to 4294967295";

Param::Type type_of(const Json & value) {
    return value == "f32"    ? Param::Type::f32
           : value == "i32"  ? Param::Type::i32
           : value == "bool" ? Param::Type::boolean
                             : Param::Type::seed;
}

std::optional<double> bound(const Json & range, const char * name) {
    const auto found = range.find(name);
    return found == range.end() ? std::nullopt : std::optional(number_of(*found));
}

// What is wrong with a parameter; empty for a valid one.
std::string fault_of(const Param & param) {
    const Range & range = param.range;
    if (range.min.value_or(-INFINITY) > range.max.value_or(INFINITY)) {
        return "no number is " + range.describe();
    }
    if (!param.standard) {
        return param.type == Param::Type::seed ? "" : "only a seed can be random by default";
    }
    const std::string expected = param.expected(*param.standard);
    return expected.empty() ? "" : "its default must be " + expected + ", found " + show(*param.standard);
}

} // namespace

std::string Range::describe() const {
    if (min && max && !is_min_excluded && !is_max_excluded) {
        return "in [" + show(*min) + ", " + show(*max) + "]";
    }
    std::string text = min ? (is_min_excluded ? "> " : ">= ") + show(*min) : "";
    if (max) {
        text += (text.empty() ? "" : " and ") + std::string(is_max_excluded ? "< " : "<= ") + show(*max);
    }
    return text.empty() ? "any number" : text;
}

std::string Param::expected(double value) const {
    const bool is_integer = std::floor(value) == value;
    switch (type) {
        case Type::seed:
            return is_integer && value >= 0 && value <= 4294967295.0 ? "" : std::string("a seed, ") + seed_range;
        case Type::boolean: return value == 0 || value == 1 ? "" : "true or false";
        case Type::i32:
        case Type::f32:     break;
    }
    if (!std::isfinite(static_cast<float>(value))) {
        return "a finite number";
    }
    if (type == Type::i32 && !is_integer) {
        return "an integer";
    }
    return range.has(value) ? "" : range.describe();
}

std::optional<int32_t> Reading::seed_param(const Json & value) const {
    if (!is_only(value, "param") || !value["param"].is_string()) {
        return std::nullopt;
    }
    const auto found = params.find(value["param"]);
    if (found == params.end() || spec.params[static_cast<size_t>(found->second)].type != Param::Type::seed) {
        return std::nullopt;
    }
    return found->second;
}

void read_params(Reading & reading) {
    for (const Json & json : reading.json["params"]) {
        const Json & range = json["range"];
        Param        param{ json["name"], type_of(json["type"]), {}, {}, optional_text(json, "doc") };
        if (json["default"].is_number()) {
            param.standard = number_of(json["default"]);
        }
        param.range = { bound(range, "min"), bound(range, "max"), range.value("minExcluded", false),
                        range.value("maxExcluded", false) };
        if (const std::string fault = fault_of(param); !fault.empty()) {
            reading.fault("params[" + std::to_string(reading.spec.params.size()) + "] " + show(json["name"]) + ": " +
                          fault);
        }
        reading.params.emplace(param.name, static_cast<int32_t>(reading.spec.params.size()));
        reading.spec.params.push_back(std::move(param));
    }
    if (reading.params.size() != reading.spec.params.size()) {
        reading.fault("params: two have the same name");
    }
}

void read_draws(Reading & reading) {
    size_t i = 0;
    for (const Json & json : reading.json["draws"]) {
        Draw &            draw  = reading.spec.draws[i];
        const std::string where = "draw " + std::to_string(i++) + ": ";
        draw.kind               = json["kind"] == "f64"   ? Draw::Kind::f64
                                  : json["kind"] == "f32" ? Draw::Kind::f32
                                                          : Draw::Kind::seed;
        const Json & seed       = json["seed"];
        if (seed.is_number()) {
            draw.seed = static_cast<uint32_t>(number_of(seed));
        } else if (seed == "random") {
            draw.seed = Random{};
        } else if (const std::optional<int32_t> param = reading.seed_param(seed)) {
            draw.seed = ParamRef{ *param };
        } else {
            reading.fault(where + "its seed must be " + seed_range + ", \"random\" or a parameter of type seed");
        }
        if (const auto stream = json.find("stream"); stream != json.end()) {
            draw.stream = static_cast<uint32_t>(number_of(*stream));
        }
        if (draw.kind == Draw::Kind::seed && (draw.stream || draw.at)) {
            reading.fault(where + "a seed has neither a stream nor an index");
        }
    }
}

} // namespace ggsl::c
