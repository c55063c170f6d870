// Work on another thread, with a promise for its result.
#pragma once

#include "convert.h"

#include <functional>

namespace ggsl::addon {

// `work` runs once on another thread, then `settle` on the JavaScript thread.
class Task {
public:
    virtual ~Task()                             = default;
    virtual void work() noexcept                = 0;
    virtual void settle(Napi::Env env) noexcept = 0;
    // Whether its work is over; else more is to come of it.
    virtual bool is_last() const { return true; }
};

template <typename T> class PromiseTask : public Task {
public:
    using Work   = std::function<T()>;
    using Finish = std::function<Napi::Value(Napi::Env, T &&)>;

    // `always` runs on the JavaScript thread before the promise settles.
    PromiseTask(
        Napi::Env env, Work work, Finish finish, std::function<void()> always = [] {})
        : action(std::move(work)), finish(std::move(finish)), always(std::move(always)), deferred(env) {}

    Napi::Promise promise() const { return deferred.Promise(); }

    void work() noexcept override {
        try {
            result = std::make_unique<T>(action());
        } catch (const Failure & failure) {
            error_code = failure.code;
            error      = failure.what();
        } catch (const std::bad_alloc &) {
            error_code = code::out_of_memory;
            error      = "out of memory";
        } catch (const std::exception & e) {
            error_code = code::compute_failed;
            error      = e.what();
        }
    }

    // A promise cannot be settled only while its environment ends, as after `worker.terminate()`: node waits for the work, but no
    // JavaScript runs any more. There is nobody to tell.
    void settle(Napi::Env env) noexcept override {
        always();
        try {
            if (!result) {
                return deferred.Reject(to_error(env, error_code, error).Value());
            }
            try {
                deferred.Resolve(finish(env, std::move(*result)));
            } catch (const Napi::Error & thrown) {
                deferred.Reject(thrown.Value());
            }
        } catch (const Napi::Error &) {}
    }

private:
    Work                    action;
    Finish                  finish;
    std::function<void()>   always;
    Napi::Promise::Deferred deferred;
    std::unique_ptr<T>      result;
    const char *            error_code = code::compute_failed;
    std::string             error;
};

// On one of the threads that all work of the process shares.
class Job : public Napi::AsyncWorker {
public:
    // Of the arguments of PromiseTask<T>.
    template <typename T, typename... Rest> static Napi::Promise start(Napi::Env env, Rest &&... rest) {
        auto                task    = std::make_unique<PromiseTask<T>>(env, std::forward<Rest>(rest)...);
        const Napi::Promise promise = task->promise();
        (new Job(env, std::move(task)))->Queue();
        return promise;
    }

protected:
    void Execute() override { task->work(); }
    void OnOK() override { task->settle(Env()); }

private:
    Job(Napi::Env env, std::unique_ptr<Task> task) : Napi::AsyncWorker(env), task(std::move(task)) {}

    std::unique_ptr<Task> task;
};

} // namespace ggsl::addon
