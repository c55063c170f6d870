// Reports memory outside V8's heap that an object owns, so that unreachable objects are collected in time.
#pragma once

#include <napi.h>

#include <algorithm>

namespace ggsl::addon {

class ExternalMemory {
public:
    ExternalMemory()                                   = default;
    ExternalMemory(const ExternalMemory &)             = delete;
    ExternalMemory & operator=(const ExternalMemory &) = delete;

    // Reports at most 128 MiB: enough to make V8 collect unreachable objects. If gigabytes in use were reported, V8 would collect
    // at almost every later report.
    void   keep(Napi::Env env, size_t bytes) { adjust(env, static_cast<int64_t>(std::min<size_t>(bytes, 128u << 20))); }
    size_t bytes() const { return static_cast<size_t>(kept); }
    void   release(Napi::Env env) { adjust(env, 0); }

private:
    void adjust(Napi::Env env, int64_t bytes) {
        if (bytes != kept) {
            Napi::MemoryManagement::AdjustExternalMemory(env, bytes - kept);
            kept = bytes;
        }
    }

    int64_t kept = 0;
};

} // namespace ggsl::addon
