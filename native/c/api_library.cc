// ggsl.h: the library itself.
#include "error.h"
#include "include/ggsl.h"
#include "version.h"

using namespace ggsl::c;

int ggsl_abi_version(void) {
    return GGSL_ABI_VERSION;
}

const char * ggsl_version(void) {
    return version_text;
}

const char * ggsl_error(void) {
    return kept_message();
}

const char * ggsl_error_code(void) {
    return kept_code();
}
