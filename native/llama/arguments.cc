#include "arguments.h"

#include "graph/failure.h"

#include <algorithm>
#include <cmath>
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

float Arguments::f32(const char * name, float otherwise, float min, float max) {
    const Value * value = find(name);
    if (value == nullptr) {
        return otherwise;
    }
    const double * number = std::get_if<double>(&value->data);
    if (number == nullptr || !(*number >= static_cast<double>(min) && *number <= static_cast<double>(max))) {
        refuse(name, min == -FLT_MAX && max == FLT_MAX ? "a finite number" : "a number from " + to_text(static_cast<double>(min)) +
               " to " + to_text(static_cast<double>(max)), *value);
    }
    return static_cast<float>(*number);
}

float Arguments::positive(const char * name, float otherwise) {
    const float number = f32(name, otherwise);
    if (!(number > 0.0f)) {
        refuse(name, "a number above 0", { static_cast<double>(number) });
    }
    return number;
}

int32_t Arguments::i32(const char * name, int32_t otherwise, int32_t min, int32_t max) {
    const Value * value = find(name);
    if (value == nullptr) {
        return otherwise;
    }
    const double * number = as_integer(*value, min, max);
    if (number == nullptr) {
        refuse(name, "an integer from " + std::to_string(min) + " to " + std::to_string(max), *value);
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

std::string Arguments::text(const char * name, const char * otherwise) {
    const Value * value = find(name);
    if (value == nullptr && otherwise != nullptr) {
        return otherwise;
    }
    if (value == nullptr) {
        refuse(name, "a text", { Other{ "nothing" } });
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
    const Value * value = find(name);
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

Arguments::Breakers Arguments::breakers(const char * name, const std::vector<std::string> & otherwise) {
    const Value * value = find(name);
    if (value == nullptr) {
        return { otherwise, {} };
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
        fail(code::invalid_argument, "%s: %s needs a model's vocabulary, and no model was given", spec.name.c_str(), what_for);
    }
    return vocab_or_null;
}

int32_t Arguments::n_vocab() {
    return i32("n_vocab", has_vocab() ? llama_vocab_n_tokens(vocab_or_null) : 0, 1);
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
