#include "spec/reading.h"
#include "spec/tables.generated.h"

#include "llama/facts.generated.h"

#include <algorithm>
#include <iterator>

namespace ggsl::c {

namespace {

const facts::Sampler * sampler_of(const std::string & name) {
    const auto found = std::find_if(std::begin(facts::samplers), std::end(facts::samplers),
                                    [&](const facts::Sampler & sampler) { return name == sampler.name; });
    return found == std::end(facts::samplers) ? nullptr : found;
}

std::string describe(const facts::Parameter & parameter) {
    Range range;
    if (parameter.min != -FLT_MAX) {
        range.min = parameter.min;
    }
    if (parameter.max != FLT_MAX) {
        range.max = parameter.max;
    }
    range.is_min_excluded = parameter.is_above;
    return range.describe();
}

// What an argument must be, if `value` is invalid; else empty.
std::string expected(const Reading & reading, const facts::Parameter & parameter, const Json & value) {
    const std::string list = "a list of at most " + std::to_string(limits::list) + " texts and token ids";
    switch (parameter.type) {
        case facts::Type::seed:
            return value == "random" || is_seed(value) || reading.seed_param(value)
                       ? ""
                       : "an integer from 0 to 4294967295, \"random\" or a seed parameter";
        case facts::Type::text:
            return is_long_text(value) ? "" : "a text of at most " + std::to_string(limits::text) + " characters";
        case facts::Type::list: {
            const bool is_list =
                value.is_array() && value.size() <= static_cast<size_t>(limits::list) &&
                std::all_of(value.begin(), value.end(), [](const Json & b) { return is_long_text(b) || is_token(b); });
            return is_list ? "" : list;
        }
        case facts::Type::i32:
        case facts::Type::f32: break;
    }
    if (!is_finite_f32(value)) {
        return "a finite number";
    }
    const double number = number_of(value);
    if (parameter.type == facts::Type::i32 &&
        (std::floor(number) != number || number < INT32_MIN || number > INT32_MAX)) {
        return "a 32-bit integer";
    }
    const bool is_inside =
        (parameter.is_above ? number > parameter.min : number >= parameter.min) && number <= parameter.max;
    return is_inside ? "" : describe(parameter);
}

TailArg argument(const Reading & reading, const Json & value) {
    if (value.is_number()) {
        return number_of(value);
    }
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_array()) {
        return breaker_list(value);
    }
    return ParamRef{ *reading.seed_param(value) };
}

void read_stage(Reading & reading, const Json & json, size_t i) {
    const std::string      name    = json["name"];
    const Json &           args    = json["args"];
    const facts::Sampler * sampler = sampler_of(name);
    const auto             fault   = [&](const std::string & text) {
        reading.fault("tail[" + std::to_string(i) + "] " + show(json["name"]) + ": " + text);
    };
    if (sampler == nullptr) {
        return fault("unknown tail stage");
    }
    const auto & parameters = sampler->parameters;
    for (const auto & [arg, _] : args.items()) {
        if (std::none_of(parameters.begin(), parameters.end(),
                         [&](const facts::Parameter & p) { return arg == p.name; })) {
            return fault("unknown argument " + show(std::string_view(arg)));
        }
    }
    TailStage stage{ name, {} };
    for (const facts::Parameter & parameter : parameters) {
        const auto found = args.find(parameter.name);
        if (found == args.end()) {
            if (parameter.type == facts::Type::text && parameter.texts.empty()) {
                fault("the argument `" + std::string(parameter.name) + "` is missing");
            }
            continue;
        }
        const std::string wanted = expected(reading, parameter, *found);
        if (!wanted.empty()) {
            fault("`" + std::string(parameter.name) + "` must be " + wanted + ", found " + show(*found));
            continue;
        }
        stage.args.emplace_back(parameter.name, argument(reading, *found));
    }
    reading.spec.tail.push_back(std::move(stage));
}

} // namespace

void read_tail(Reading & reading) {
    const size_t before = reading.faults.size();
    size_t       i      = 0;
    for (const Json & stage : reading.json["tail"]) {
        read_stage(reading, stage, i++);
    }
    if (reading.faults.size() > before) {
        return;
    }
    for (i = 0; i + 1 < reading.spec.tail.size(); ++i) {
        if (sampler_of(reading.spec.tail[i].name)->picks) {
            return reading.fault("tail[" + std::to_string(i + 1) + "]: the stage before it picks the token");
        }
    }
}

bool Spec::picks() const {
    return outputs.sampled >= 0 ||
           std::any_of(tail.begin(), tail.end(), [](const TailStage & stage) { return sampler_of(stage.name)->picks; });
}

} // namespace ggsl::c
