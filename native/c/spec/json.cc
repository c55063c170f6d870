#include "spec/json.h"

#include "error.h"
#include "spec/tables.generated.h"

#include <charconv>

namespace ggsl::c {

namespace {

constexpr size_t max_shown = 60;

std::string shortened(std::string text) {
    if (text.size() > max_shown) {
        size_t end = max_shown - 3;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
            --end; // not inside a character
        }
        text.resize(end);
        text += "...";
    }
    return text;
}

} // namespace

Json parse_json(const char * text, size_t length, const char * code, const char * what) {
    // the library skips one, JavaScript does not
    if (length >= 3 && std::string_view(text, 3) == "\xef\xbb\xbf") {
        refuse(code, std::string(what) + " is not JSON: it begins with a byte order mark");
    }
    try {
        return Json::parse(text, text + length);
    } catch (const Json::exception & error) {
        const std::string message = error.what();
        const size_t      end     = message.find("] ");
        refuse(code, std::string(what) +
                         " is not JSON: " + shortened(end == std::string::npos ? message : message.substr(end + 2)));
    }
}

std::string show(std::string_view text) {
    const std::string begin(text.substr(0, 4 * max_shown));
    return shortened(Json(begin).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string show(double number) {
    if (!std::isfinite(number)) {
        return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
    }
    if (std::floor(number) == number && std::fabs(number) < 1e21) {
        char text[32];
        std::snprintf(text, sizeof(text), "%.0f", number == 0 ? 0 : number);
        return text;
    }
    char       text[40];
    const auto end = std::to_chars(text, text + sizeof(text), number);
    return { text, end.ptr };
}

std::string show(const Json & value) {
    if (value.is_array()) {
        return "a list";
    }
    if (value.is_object()) {
        return "an object";
    }
    if (value.is_string()) {
        return show(std::string_view(value.get_ref<const std::string &>()));
    }
    return value.is_number() ? show(number_of(value)) : value.dump();
}

size_t utf16_length(std::string_view text) {
    size_t length = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        length += (byte & 0xc0) == 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
    }
    return length;
}

bool is_name(const Json & value) {
    return is_text(value, limits::name);
}

bool is_long_text(const Json & value) {
    return is_text(value, limits::text);
}

std::optional<int32_t> index_below(const Json & value, size_t count) {
    return is_index(value) && number_of(value) < static_cast<double>(count)
               ? std::optional(static_cast<int32_t>(number_of(value)))
               : std::nullopt;
}

bool is_dim(const Json & value) {
    return value == "V" || (is_integer(value) && number_of(value) >= 1 && number_of(value) <= limits::dim);
}

bool is_token(const Json & value) {
    return is_index(value) && number_of(value) < 2147483648.0;
}

bool is_seed(const Json & value) {
    return is_index(value) && number_of(value) < 4294967296.0;
}

bool is_only(const Json & value, const char * member) {
    return value.is_object() && value.size() == 1 && value.contains(member);
}

} // namespace ggsl::c
