// JSON values of a spec: reading, and showing them in messages.
#pragma once

#include "spec/show.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ggsl::c {

using Json = nlohmann::json;

// Throws Failure with this code, `what` and the place of the fault.
Json parse_json(const char * text, size_t length, const char * code, const char * what);

// An untrusted value in a message: short and without its contents.
std::string show(const Json & value);

// The length of a text as JavaScript counts it, in UTF-16.
size_t utf16_length(std::string_view text);

inline bool is_text(const Json & value, int64_t most) {
    return value.is_string() && (value.get_ref<const std::string &>().size() <= static_cast<size_t>(most) ||
                                 utf16_length(value.get_ref<const std::string &>()) <= static_cast<size_t>(most));
}
bool is_name(const Json & value);
bool is_long_text(const Json & value);

inline double number_of(const Json & value) {
    return value.get<double>();
}
inline bool is_integer(const Json & value) {
    return value.is_number() && std::floor(number_of(value)) == number_of(value);
}
inline bool is_index(const Json & value) {
    return is_integer(value) && number_of(value) >= 0;
}
// The integer from 0 to `count` - 1, or nothing.
std::optional<int32_t> index_below(const Json & value, size_t count);
inline bool            is_finite_f32(const Json & value) {
    return value.is_number() && std::isfinite(static_cast<float>(number_of(value)));
}
bool is_dim(const Json & value);
bool is_token(const Json & value);
bool is_seed(const Json & value);
// An object with this one member.
bool is_only(const Json & value, const char * member);

} // namespace ggsl::c
