// The one exception of this library. `code` is stable and for programs, the message for people.
#pragma once

#include <cstdarg>
#include <stdexcept>
#include <string>

namespace ggsl {

namespace code {
inline constexpr const char * invalid_graph    = "INVALID_GRAPH";
inline constexpr const char * invalid_argument = "INVALID_ARGUMENT";
inline constexpr const char * invalid_logits   = "INVALID_LOGITS";
inline constexpr const char * invalid_model    = "INVALID_MODEL";
inline constexpr const char * unsupported_op   = "UNSUPPORTED_OP";
inline constexpr const char * no_device        = "NO_DEVICE";
inline constexpr const char * out_of_memory    = "OUT_OF_MEMORY";
inline constexpr const char * limit_exceeded   = "LIMIT_EXCEEDED";
inline constexpr const char * no_candidate     = "NO_CANDIDATE";
inline constexpr const char * context_full     = "CONTEXT_FULL";
inline constexpr const char * compute_failed   = "COMPUTE_FAILED";
inline constexpr const char * aborted          = "ABORTED";
inline constexpr const char * busy             = "BUSY";
inline constexpr const char * disposed         = "DISPOSED";
} // namespace code

class Failure : public std::runtime_error {
public:
    Failure(const char * code, const std::string & message) : std::runtime_error(message), code(code) {}

    const char * code;
};

// Throws a Failure with a printf-style message.
[[noreturn]] void fail(const char * code, const char * format, ...) __attribute__((format(printf, 2, 3)));

} // namespace ggsl
