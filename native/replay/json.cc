#include "json.h"

#include <cmath>
#include <cstdio>

namespace ggsl::tools {

namespace {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        if (static_cast<unsigned char>(c) < ' ') {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
            result += escape;
        } else {
            result += c;
        }
    }
    return result.append("\"");
}

template <typename T, typename Text> std::string list_of(const std::vector<T> & values, Text text_of) {
    std::string result;
    for (const T & value : values) {
        result.append(result.empty() ? "[" : ",").append(text_of(value));
    }
    return result.empty() ? "[]" : result.append("]");
}

} // namespace

Json & Json::raw(std::string_view key, const std::string & value) {
    members.append(members.empty() ? "" : ",").append(quoted(key)).append(":").append(value);
    return *this;
}

Json & Json::add(std::string_view key, std::string_view value) {
    return raw(key, quoted(value));
}

// JSON has no infinite numbers.
Json & Json::add(std::string_view key, double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", value);
    return raw(key, std::isfinite(value) ? text : "null");
}

Json & Json::add(std::string_view key, int64_t value) {
    return raw(key, std::to_string(value));
}

Json & Json::add(std::string_view key, const Json & value) {
    return raw(key, value.text());
}

Json & Json::add(std::string_view key, const std::vector<Json> & values) {
    return raw(key, list_of(values, [](const Json & value) { return value.text(); }));
}

Json & Json::add(std::string_view key, const std::vector<std::string> & values) {
    return raw(key, list_of(values, quoted));
}

} // namespace ggsl::tools
