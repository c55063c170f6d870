// Untrusted values in messages.
#pragma once

#include <string>
#include <string_view>

namespace ggsl::c {

// In quotes and short.
std::string show(std::string_view text);
// As JavaScript writes it.
std::string show(double number);

} // namespace ggsl::c
