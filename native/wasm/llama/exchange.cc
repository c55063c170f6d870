#include "exchange.h"

namespace ggsl::wasm {

namespace {

// Aligned for 64-bit numbers.
std::vector<double> given;
size_t              given_bytes = 0;

} // namespace

bool give_bytes(const void * bytes, size_t count) {
    given.resize(count / sizeof(double) + 1);
    given_bytes = count;
    if (count > 0) {
        std::memcpy(given.data(), bytes, count);
    }
    return true;
}

bool give_texts(const std::vector<std::string> & texts) {
    std::string all;
    for (const std::string & text : texts) {
        all.append(text.c_str(), text.size() + 1);
    }
    return give_bytes(all.data(), all.size());
}

extern "C" {

EMSCRIPTEN_KEEPALIVE int32_t * ggsl_allocate(size_t words) {
    return guarded([&] { return new int32_t[words]; });
}
EMSCRIPTEN_KEEPALIVE void ggsl_release(const int32_t * words) {
    delete[] words;
}

EMSCRIPTEN_KEEPALIVE const void * ggsl_given() {
    return given.data();
}
EMSCRIPTEN_KEEPALIVE size_t ggsl_given_bytes() {
    return given_bytes;
}

} // extern "C"

} // namespace ggsl::wasm
