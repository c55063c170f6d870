#include "return_memory.h"

#include <cstdlib> // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>

#include <chrono>
#include <mutex>
#endif

namespace ggsl {

#ifdef __GLIBC__

void return_memory() {
    using Clock = std::chrono::steady_clock;
    // A trim takes time in proportion to the free memory of the whole process: milliseconds for a few hundred megabytes.
    constexpr int rest_per_trim = 20;

    static std::mutex        mutex;
    static Clock::time_point next;
    const std::unique_lock   lock(mutex, std::try_to_lock);
    const Clock::time_point  start = Clock::now();
    if (!lock || start < next) {
        return;
    }
    malloc_trim(0);
    const Clock::time_point end = Clock::now();
    next                        = end + rest_per_trim * (end - start);
}

#else

void return_memory() {}

#endif

} // namespace ggsl
