// Devices of other machines, by ggml's RPC backend, which is a library of its own.
#pragma once

#include "graph/backend.h"

namespace ggsl::addon {

// Connects to a worker and adds its devices, all of one kind. Returns their names. Adding one again does nothing.
// A worker that does not answer as the protocol says, now or later, ends this process: call it in a process for that, after a
// handshake. Throws Failure (NO_DEVICE).
std::vector<std::string> add_worker(const std::string & library, const std::string & endpoint, Family kind);

struct WorkerOptions {
    std::string              library;
    std::string              endpoint; // "127.0.0.1:50052"
    std::string              cache;    // the folder of large weights; empty: none
    int                      threads = 1;
    std::vector<std::string> devices; // their names
};

// Lends the devices to one client after the other, until the process ends. Returns if it cannot listen.
// Throws Failure (NO_DEVICE, INVALID_ARGUMENT).
void run_worker(const WorkerOptions & options);

// Removes the weights that a worker wrote last if they are not what their name, a hash of them, says, as after it was killed while it
// wrote them: it would give them to a model.
void check_cache(const std::string & folder);

} // namespace ggsl::addon
