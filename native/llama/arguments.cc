#include "arguments.h"

#include "graph/failure.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <random>

namespace ggsl {

namespace {

std::string to_text(double number) {
    char text[32];
    snprintf(text, sizeof(text), "%.9g", number);
    return text;
}

std::string describe(const Value & value) {
    struct Describe {
        std::string operator()(double number) const { return to_text(number); }
        std::string operator()(const std::string & text) const {
            return text.size() > 40 ? "\"" + text.substr(0, 40) + "...\"" : "\"" + text + "\"";
        }
        std::string operator()(const List & list) const { return "a list of " + std::to_string(list.size()); }
        std::string operator()(const Other & other) const { return other.what; }
    };
    return std::visit(Describe(), value.data);
}

std::string join(const std::vector<std::string> & names) {
    std::string line;
    for (const std::string & name : names) {
        line += (line.empty() ? "" : ", ") + name;
    }
    return line;
}

const double * as_integer(const Value & value, double min, double max) {
    const double * number = std::get_if<double>(&value.data);
    return number != nullptr && std::trunc(*number) == *number && *number >= min && *number <= max ? number : nullptr;
}

bool is_in_range(double number, const facts::Parameter & parameter) {
    const bool is_between = number >= parameter.min && number <= parameter.max;
    return is_between && !(parameter.is_above && static_cast<double>(static_cast<float>(number)) <= parameter.min);
}

std::string expected_number(const facts::Parameter & parameter) {
    if (parameter.is_above) {
        return "a number above " + to_text(parameter.min);
    }
    if (parameter.min == -FLT_MAX) {
        return parameter.max == FLT_MAX ? "a finite number" : "a number up to " + to_text(parameter.max);
    }
    return "a number from " + to_text(parameter.min) + " to " + to_text(parameter.max);
}

} // namespace

const Value * Arguments::find(const char * name) {
    known.emplace_back(name);
    const auto found = spec.parameters.find(name);
    return found == spec.parameters.end() ? nullptr : &found->second;
}

void Arguments::refuse(const std::string & name, const std::string & expected, const Value & found) const {
    fail(code::invalid_argument, "%s: %s: expected %s, found %s", spec.name.c_str(), name.c_str(), expected.c_str(),
         describe(found).c_str());
}

const facts::Parameter & Arguments::parameter(const char * name) const {
    for (const facts::Parameter & parameter : parameters) {
        if (std::strcmp(parameter.name, name) == 0) {
            return parameter;
        }
    }
    fail(code::invalid_argument, "%s: its table has no parameter %s", spec.name.c_str(), name);
}

float Arguments::f32(const char * name) {
    const facts::Parameter & parameter = this->parameter(name);
    const Value *            value     = find(name);
    if (value == nullptr) {
        return static_cast<float>(parameter.number);
    }
    const double * number = std::get_if<double>(&value->data);
    if (number == nullptr || !is_in_range(*number, parameter)) {
        refuse(name, expected_number(parameter), *value);
    }
    return static_cast<float>(*number);
}

int32_t Arguments::i32(const char * name) {
    const facts::Parameter & parameter = this->parameter(name);
    const Value *            value     = find(name);
    return value == nullptr ? static_cast<int32_t>(parameter.number)
                            : integer(name, *value, parameter.min, parameter.max);
}

int32_t Arguments::integer(const char * name, const Value & value, double min, double max) const {
    const auto     least  = static_cast<int32_t>(std::max<double>(min, INT32_MIN));
    const auto     most   = static_cast<int32_t>(std::min<double>(max, INT32_MAX));
    const double * number = as_integer(value, least, most);
    if (number == nullptr) {
        refuse(name, "an integer from " + std::to_string(least) + " to " + std::to_string(most), value);
    }
    return static_cast<int32_t>(*number);
}

uint32_t Arguments::seed() {
    const Value * value = find("seed");
    const auto *  text  = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
    if (value != nullptr && (text == nullptr || *text != "random")) {
        const double * number = as_integer(*value, 0, UINT32_MAX);
        if (number == nullptr) {
            refuse("seed", "\"random\" or an integer from 0 to 4294967295", *value);
        }
        if (*number < LLAMA_DEFAULT_SEED) {
            return static_cast<uint32_t>(*number);
        }
    }
    // LLAMA_DEFAULT_SEED itself means random to llama.cpp.
    return std::random_device()() % LLAMA_DEFAULT_SEED;
}

std::string Arguments::text(const char * name) {
    const auto    otherwise = parameter(name).texts;
    const Value * value     = find(name);
    if (value == nullptr && otherwise.empty()) {
        refuse(name, "a text", { Other{ "nothing" } });
    }
    if (value == nullptr) {
        return otherwise.front();
    }
    const auto * text = std::get_if<std::string>(&value->data);
    if (text == nullptr || text->empty() || text->find('\0') != std::string::npos) {
        refuse(name, "a text of at least one character, without zero bytes", *value);
    }
    return *text;
}

llama_token Arguments::token(const char * name, const Value & value) const {
    const int32_t  limit  = has_vocab() ? llama_vocab_n_tokens(vocab_or_null) : INT32_MAX;
    const double * number = as_integer(value, 0, limit - 1);
    if (number == nullptr) {
        refuse(name, "tokens from 0 to " + std::to_string(limit - 1), value);
    }
    return static_cast<llama_token>(*number);
}

std::vector<llama_logit_bias> Arguments::biases(const char * name) {
    std::vector<llama_logit_bias> biases;
    const Value *                 value = find(name);
    if (value == nullptr) {
        return biases;
    }
    const List * list = std::get_if<List>(&value->data);
    if (list == nullptr) {
        refuse(name, "a list of [token, value] pairs", *value);
    }
    for (const Value & entry : *list) {
        const List *   pair = std::get_if<List>(&entry.data);
        const double * bias = pair == nullptr || pair->size() != 2 ? nullptr : std::get_if<double>(&(*pair)[1].data);
        if (bias == nullptr) {
            refuse(name, "a list of [token, value] pairs", entry);
        }
        if (!(std::fabs(*bias) <= static_cast<double>(FLT_MAX)) && *bias != -INFINITY) {
            refuse(name, "values that are finite or -inf", { *bias });
        }
        biases.push_back({ token(name, (*pair)[0]), static_cast<float>(*bias) });
    }
    return biases;
}

Arguments::Breakers Arguments::breakers(const char * name) {
    const auto    otherwise = parameter(name).texts;
    const Value * value     = find(name);
    if (value == nullptr) {
        return { { otherwise.begin(), otherwise.end() }, {} };
    }
    const char * const expected = "a list of texts, or a list of tokens or lists of tokens";
    const List *       list     = std::get_if<List>(&value->data);
    if (list == nullptr) {
        refuse(name, expected, *value);
    }
    Breakers breakers;
    for (const Value & entry : *list) {
        const auto * text   = std::get_if<std::string>(&entry.data);
        const List * tokens = std::get_if<List>(&entry.data);
        if (text != nullptr && !text->empty() && text->find('\0') == std::string::npos) {
            breakers.texts.push_back(*text);
        } else if (std::holds_alternative<double>(entry.data)) {
            breakers.tokens.push_back({ token(name, entry) });
        } else if (tokens != nullptr && !tokens->empty()) {
            std::vector<llama_token> & sequence = breakers.tokens.emplace_back();
            for (const Value & element : *tokens) {
                sequence.push_back(token(name, element));
            }
        } else {
            refuse(name, std::string(expected) + ", none empty", entry);
        }
    }
    if (!breakers.texts.empty() && !breakers.tokens.empty()) {
        refuse(name, expected, { Other{ "both" } });
    }
    return breakers;
}

const llama_vocab * Arguments::vocab(const char * what_for) const {
    if (vocab_or_null == nullptr) {
        fail(code::invalid_argument, "%s: %s needs a model's vocabulary, and no model was given", spec.name.c_str(),
             what_for);
    }
    return vocab_or_null;
}

int32_t Arguments::n_vocab() {
    const Value * value = find("n_vocab");
    if (value != nullptr) {
        return integer("n_vocab", *value, 1, INT32_MAX);
    }
    return has_vocab() ? llama_vocab_n_tokens(vocab_or_null) : 0;
}

void Arguments::finish() const {
    for (const auto & [name, value] : spec.parameters) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            fail(code::invalid_argument, "%s has no parameter %s; it has: %s", spec.name.c_str(), name.c_str(),
                 known.empty() ? "none" : join(known).c_str());
        }
    }
}

} // namespace ggsl
