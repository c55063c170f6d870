// What a context reads, and what comes of it, for JavaScript.
#pragma once

#include "llama/context.h"
#include "promise.h"

namespace ggsl::addon {

// Throws Failure (INVALID_ARGUMENT).
Batch to_batch(const Napi::Value & value);

Napi::Value from_outputs(Napi::Env env, const std::vector<Output> & outputs);

// A promise of `start`, which rejects where it throws.
template <typename Start> Napi::Value promised(Napi::Env env, Start start) {
    try {
        return start();
    } catch (const Failure & failure) {
        const auto deferred = Napi::Promise::Deferred::New(env);
        deferred.Reject(to_error(env, failure.code, failure.what()).Value());
        return deferred.Promise();
    }
}

} // namespace ggsl::addon
