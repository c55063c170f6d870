// One JSON object, written key by key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ggsl::tools {

class Json {
public:
    Json & add(std::string_view key, std::string_view value);
    Json & add(std::string_view key, const char * value) { return add(key, std::string_view(value)); }
    Json & add(std::string_view key, double value);
    Json & add(std::string_view key, int64_t value);
    Json & add(std::string_view key, size_t value) { return add(key, static_cast<int64_t>(value)); }
    Json & add(std::string_view key, int value) { return add(key, static_cast<int64_t>(value)); }
    Json & add(std::string_view key, const Json & value);
    Json & add(std::string_view key, const std::vector<Json> & values);
    Json & add(std::string_view key, const std::vector<std::string> & values);

    std::string text() const { return "{" + members + "}"; }

private:
    Json & raw(std::string_view key, const std::string & value);

    std::string members;
};

} // namespace ggsl::tools
