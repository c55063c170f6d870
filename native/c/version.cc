#include "version.h"

#include "error.h"

#include <cstring>

#include <ggml.h>
#include <llama.h>

namespace ggsl::c {

void check_llama() {
    const char * const expected = &GGSL_LLAMA_TAG[1]; // without the v
    const char * const found    = llama_version();
    if (std::strncmp(found, expected, std::strlen(expected)) != 0) {
        refuse(code::wrong_version, std::string("this program runs llama.cpp ") + found + " (ggml " + ggml_version() +
                                        ", commit " + ggml_commit() + "), and this libggsl is built for llama.cpp " +
                                        expected + ": take the libggsl for that release, or build it from its headers");
    }
}

} // namespace ggsl::c
