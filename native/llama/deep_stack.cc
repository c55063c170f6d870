#include "deep_stack.h"

#include "graph/failure.h"

#include <exception>

#if defined(_WIN32)
#include <process.h>
#include <windows.h>
#elif !defined(__EMSCRIPTEN__)
#include <pthread.h>
#include <sys/mman.h>
#endif

namespace ggsl {

namespace {

struct Call {
    const std::function<void()> & work;
    std::exception_ptr            error;

    void run() noexcept {
        try {
            work();
        } catch (...) {
            error = std::current_exception();
        }
    }
};

[[maybe_unused]] [[noreturn]] void no_thread(size_t bytes) {
    fail(code::out_of_memory, "cannot start a thread with a stack of %zu MiB for a text", bytes >> 20);
}

#if defined(_WIN32)

unsigned __stdcall enter(void * call) {
    static_cast<Call *>(call)->run();
    return 0;
}

void run_apart(size_t bytes, Call & call) {
    // the size is what is reserved: pages are committed as they are touched
    const uintptr_t thread =
        _beginthreadex(nullptr, static_cast<unsigned>(bytes), enter, &call, STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
    if (thread == 0) {
        no_thread(bytes);
    }
    WaitForSingleObject(reinterpret_cast<HANDLE>(thread), INFINITE);
    CloseHandle(reinterpret_cast<HANDLE>(thread));
}

#elif defined(__EMSCRIPTEN__)

void run_apart(size_t, Call & call) {
    call.run();
}

#else

void * enter(void * call) {
    static_cast<Call *>(call)->run();
    return nullptr;
}

// Memory of its own, because glibc keeps the stacks of threads that have ended.
class Stack {
public:
    explicit Stack(size_t size) : size(size) {
#ifdef MAP_NORESERVE
        constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#else
        constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#endif
        memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (memory == MAP_FAILED) {
            no_thread(size);
        }
        // a text that needs more than was counted ends the process here, and changes no other memory
        mprotect(memory, guard, PROT_NONE);
    }
    ~Stack() { munmap(memory, size); }
    Stack(const Stack &)             = delete;
    Stack & operator=(const Stack &) = delete;

    void *       memory;
    const size_t size;

private:
    static constexpr size_t guard = size_t{ 1 } << 16;
};

void run_apart(size_t bytes, Call & call) {
    const Stack    stack(bytes);
    pthread_attr_t attributes;
    pthread_t      thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack.memory, stack.size);
    const int error = pthread_create(&thread, &attributes, enter, &call);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
        no_thread(bytes);
    }
    pthread_join(thread, nullptr);
}

#endif

} // namespace

void with_stack(size_t bytes, const std::function<void()> & work) {
    Call call{ work, nullptr };
    run_apart(bytes, call);
    if (call.error) {
        std::rethrow_exception(call.error);
    }
}

} // namespace ggsl
