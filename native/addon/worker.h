// A thread of one object's own, for its tasks in their order. Node.js's shared threads take turns: each next decode would find another
// core's cache, and would wait for files, names and grammars that all of them work on.
#pragma once

#include "promise.h"

#include <napi.h>

#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <semaphore>

namespace ggsl::addon {

// Used on the JavaScript thread. Its thread ends after the tasks that it has when the worker goes, and nobody waits for it then; when
// the environment ends, Node.js waits.
class Worker {
public:
    // `abort` ends a running task soon: it is called when the environment ends. Throws Failure (OUT_OF_MEMORY).
    Worker(Napi::Env env, std::function<void()> abort);
    ~Worker();
    Worker(const Worker &)             = delete;
    Worker & operator=(const Worker &) = delete;

    // Keeps the process running until the task is settled.
    void run(Napi::Env env, std::unique_ptr<Task> task);

    // For a running task, on the thread: `settle` of what it is called with runs on the JavaScript thread before that of the task.
    std::function<void(std::unique_ptr<Task>)> reporter() const;

private:
    struct Thread;
    // Shared with the thread, which may live longer.
    struct Tasks {
        std::mutex                        mutex;
        std::queue<std::unique_ptr<Task>> queue; // a null one is the last
        // One for each task in the queue. A std::condition_variable would need a libstdc++ of 2022.
        std::counting_semaphore<> count{ 0 };

        void                  push(std::unique_ptr<Task> task);
        std::unique_ptr<Task> pop();
        void                  clear();
    };

    std::shared_ptr<Tasks>   tasks   = std::make_shared<Tasks>();
    napi_threadsafe_function channel = nullptr; // back to the JavaScript thread; it goes with the thread
};

} // namespace ggsl::addon
