#include "failure.h"

#include <cstdio>

namespace ggsl {

void fail(const char * code, const char * format, ...) {
    char    message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    throw Failure(code, message);
}

} // namespace ggsl
