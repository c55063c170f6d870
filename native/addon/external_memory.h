// Tells V8 of memory outside its heap that an object keeps, so that forgotten objects are collected in time.
#pragma once

#include <napi.h>

#include <algorithm>

namespace ggsl::addon {

class ExternalMemory {
public:
    ExternalMemory() = default;
    ExternalMemory(const ExternalMemory &) = delete;
    ExternalMemory & operator=(const ExternalMemory &) = delete;

    // At most 128 MiB are told. That is enough to have V8 look for objects that were forgotten, and of gigabytes that are in
    // use it would do so at almost every later word of memory.
    void keep(Napi::Env env, size_t bytes) { adjust(env, static_cast<int64_t>(std::min<size_t>(bytes, 128u << 20))); }
    size_t bytes() const { return static_cast<size_t>(kept); }
    void release(Napi::Env env) { adjust(env, 0); }

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
