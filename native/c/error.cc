#include "error.h"

namespace ggsl::c {

namespace {

thread_local const char * last_code = "";
thread_local std::string  last_message;

} // namespace

void keep_error(const char * code, const char * message) noexcept {
    last_code = code;
    try {
        last_message = message;
    } catch (const std::exception &) {
        last_message.clear(); // the code is enough
    }
}

const char * kept_code() noexcept {
    return last_code;
}

const char * kept_message() noexcept {
    return last_message.c_str();
}

} // namespace ggsl::c
