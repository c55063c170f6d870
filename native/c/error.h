// The last failure of each thread, and the border that no exception crosses.
#pragma once

#include "graph/failure.h"

#include <new>
#include <string>

namespace ggsl::c {

namespace code {
inline constexpr const char * invalid_spec    = "INVALID_SPEC";
inline constexpr const char * wrong_version   = "WRONG_VERSION";
inline constexpr const char * unsupported     = "UNSUPPORTED";
inline constexpr const char * missing_input   = "MISSING_INPUT";
inline constexpr const char * missing_grammar = "MISSING_GRAMMAR";
inline constexpr const char * internal        = "INTERNAL";
using namespace ggsl::code;
} // namespace code

// A Failure with a message of any length; `fail` cuts it at 1023 bytes.
[[noreturn]] inline void refuse(const char * code, const std::string & message) {
    throw Failure(code, message);
}

// Keeps a failure for ggsl_error and ggsl_error_code. Never throws.
void         keep_error(const char * code, const char * message) noexcept;
const char * kept_code() noexcept;
const char * kept_message() noexcept;

// The result of `work`, or `otherwise` with the failure kept.
template <typename Result, typename Work> Result guarded(Result otherwise, const Work & work) noexcept {
    try {
        return work();
    } catch (const Failure & failure) {
        keep_error(failure.code, failure.what());
    } catch (const std::bad_alloc &) {
        keep_error(code::out_of_memory, "there is no memory left");
    } catch (const std::exception & error) {
        keep_error(code::internal, error.what());
    } catch (...) {
        keep_error(code::internal, "an unknown failure");
    }
    return otherwise;
}

} // namespace ggsl::c
