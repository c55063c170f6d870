#include "failure_text.h"

#include <emscripten.h>

#include <cstdio>

namespace ggsl::wasm {

namespace {

// Not on the heap: the failure may be out of memory.
char last_code[32];
char last_message[2048];

} // namespace

void keep_failure(const char * code, const char * message) {
    snprintf(last_code, sizeof(last_code), "%s", code);
    snprintf(last_message, sizeof(last_message), "%s", message);
}

extern "C" {

// Zero-terminated.
EMSCRIPTEN_KEEPALIVE const char * ggsl_failure_code() {
    return last_code;
}
EMSCRIPTEN_KEEPALIVE const char * ggsl_failure_message() {
    return last_message;
}

} // extern "C"

} // namespace ggsl::wasm
