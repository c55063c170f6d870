// How failures leave the module: a function returns 0, and the caller reads the last failure's code and message.
#pragma once

#include "graph/failure.h"

#include <new>

namespace ggsl::wasm {

void keep_failure(const char * code, const char * message);

// The result of `work`, or zero if it fails.
template <typename Work> auto guarded(Work work) -> decltype(work()) {
    try {
        return work();
    } catch (const Failure & failure) {
        keep_failure(failure.code, failure.what());
    } catch (const std::bad_alloc &) {
        keep_failure(code::out_of_memory, "out of memory");
    } catch (const std::exception & e) {
        keep_failure(code::compute_failed, e.what());
    }
    return {};
}

} // namespace ggsl::wasm
