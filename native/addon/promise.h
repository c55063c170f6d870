// Work on another thread, with a promise for its result.
#pragma once

#include "convert.h"

#include <functional>

namespace ggsl::addon {

template <typename T> class Job : public Napi::AsyncWorker {
public:
    using Work   = std::function<T()>;                          // on the worker thread
    using Finish = std::function<Napi::Value(Napi::Env, T &&)>; // on the JavaScript thread

    // `always` runs on the JavaScript thread before the promise settles.
    static Napi::Promise start(Napi::Env env, Work work, Finish finish, std::function<void()> always = [] {}) {
        auto *              job     = new Job(env, std::move(work), std::move(finish), std::move(always));
        const Napi::Promise promise = job->deferred.Promise();
        job->Queue();
        return promise;
    }

protected:
    void Execute() override {
        try {
            result = std::make_unique<T>(work());
        } catch (const Failure & failure) {
            error_code = failure.code;
            SetError(failure.what());
        } catch (const std::bad_alloc &) {
            error_code = code::out_of_memory;
            SetError("out of memory");
        } catch (const std::exception & e) {
            error_code = code::compute_failed;
            SetError(e.what());
        }
    }

    void OnOK() override {
        always();
        settle([&] {
            try {
                deferred.Resolve(finish(Env(), std::move(*result)));
            } catch (const Napi::Error & error) {
                deferred.Reject(error.Value());
            }
        });
    }

    void OnError(const Napi::Error & error) override {
        always();
        settle([&] {
            error.Value().As<Napi::Object>().Set("code", error_code);
            deferred.Reject(error.Value());
        });
    }

private:
    // A promise cannot be settled only while its environment ends, as after `worker.terminate()`: node waits for the work, but no
    // JavaScript runs any more. There is nobody to tell.
    template <typename Action> static void settle(Action action) {
        try {
            action();
        } catch (const Napi::Error &) {}
    }

    Job(Napi::Env env, Work work, Finish finish, std::function<void()> always)
        : Napi::AsyncWorker(env), work(std::move(work)), finish(std::move(finish)), always(std::move(always)),
          deferred(env) {}

    Work                    work;
    Finish                  finish;
    std::function<void()>   always;
    Napi::Promise::Deferred deferred;
    std::unique_ptr<T>      result;
    const char *            error_code = code::compute_failed;
};

} // namespace ggsl::addon
