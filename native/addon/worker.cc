#include "worker.h"

#include <set>
#include <system_error>
#include <thread>

namespace ggsl::addon {

struct Worker::Thread {
    std::shared_ptr<Tasks>   tasks;
    std::function<void()>    abort;
    napi_threadsafe_function channel = nullptr;
    std::thread              thread;

    void loop() {
        while (std::unique_ptr<Task> task = tasks->pop()) {
            task->work();
            if (napi_call_threadsafe_function(channel, task.get(), napi_tsfn_nonblocking) != napi_ok) {
                return; // the environment ends, and the channel with it
            }
            task.release();
        }
        napi_release_threadsafe_function(channel, napi_tsfn_release);
    }

    // On the JavaScript thread, for a task that was worked on. No environment: it ends, and the thread has gone.
    static void settle(napi_env env, napi_value, void * context, void * data) {
        const std::unique_ptr<Task> task(static_cast<Task *>(data));
        if (env != nullptr) {
            if (task->is_last()) {
                napi_unref_threadsafe_function(env, static_cast<Thread *>(context)->channel);
            }
            task->settle(env);
        }
    }

    // On the JavaScript thread, when the thread has released the channel or the environment ends.
    static void finalize(napi_env, void * data, void *) {
        const std::unique_ptr<Thread> self(static_cast<Thread *>(data));
        live().remove(*self);
        self->end();
    }

    // Ends a running task soon, and waits for it.
    void end() {
        tasks->push(nullptr);
        abort();
        if (thread.joinable()) {
            thread.join();
        }
    }

    // All threads of the process.
    class Live {
    public:
        void add(Thread & thread) {
            const std::lock_guard lock(mutex);
            threads.insert(&thread);
        }
        void remove(Thread & thread) {
            const std::lock_guard lock(mutex);
            threads.erase(&thread);
        }
        // `process.exit()` ends the process without its environment: ggml's libraries would go while a thread computes.
        ~Live() {
            for (Thread * thread : threads) {
                thread->tasks->clear();
                thread->end();
            }
        }

    private:
        std::mutex         mutex;
        std::set<Thread *> threads;
    };

    // Made by the first thread, when the backends that it needs are loaded, and so destroyed before they are.
    static Live & live() {
        static Live all;
        return all;
    }
};

void Worker::Tasks::push(std::unique_ptr<Task> task) {
    {
        const std::lock_guard lock(mutex);
        queue.push(std::move(task));
    }
    count.release();
}

void Worker::Tasks::clear() {
    const std::lock_guard lock(mutex);
    while (!queue.empty() && count.try_acquire()) {
        queue.pop();
    }
}

std::unique_ptr<Task> Worker::Tasks::pop() {
    count.acquire();
    const std::lock_guard lock(mutex);
    std::unique_ptr<Task> task = std::move(queue.front());
    queue.pop();
    return task;
}

Worker::Worker(Napi::Env env, std::function<void()> abort) {
    auto made   = std::make_unique<Thread>();
    made->tasks = tasks;
    made->abort = std::move(abort);
    if (napi_create_threadsafe_function(env, nullptr, nullptr, Napi::String::New(env, "ggsl"), 0, 1, made.get(),
                                        Thread::finalize, made.get(), Thread::settle, &channel) != napi_ok) {
        fail(code::out_of_memory, "cannot start a thread");
    }
    Thread * const thread = made.release(); // belongs to the channel
    thread->channel       = channel;
    Thread::live().add(*thread);
    napi_unref_threadsafe_function(env, channel);
    try {
        thread->thread = std::thread([thread] { thread->loop(); });
    } catch (const std::system_error & error) {
        napi_release_threadsafe_function(channel, napi_tsfn_abort);
        fail(code::out_of_memory, "cannot start a thread: %s", error.what());
    }
}

Worker::~Worker() {
    tasks->push(nullptr);
}

std::function<void(std::unique_ptr<Task>)> Worker::reporter() const {
    return [channel = channel](std::unique_ptr<Task> report) {
        if (napi_call_threadsafe_function(channel, report.get(), napi_tsfn_nonblocking) == napi_ok) {
            report.release();
        }
    };
}

void Worker::run(Napi::Env env, std::unique_ptr<Task> task) {
    napi_ref_threadsafe_function(env, channel);
    tasks->push(std::move(task));
}

} // namespace ggsl::addon
