// A bundle for some rows: a graph of its own, which ggml computes on one thread, with the same kernels as the whole graph.
#pragma once

#include "../bits.h"
#include "../graph.h"
#include "plan.h"

#include <ggml-backend.h>
#include <ggml-cpu.h>

#include <memory>

namespace ggsl::bundles {

// ggml's CPU backend, as it computes a piece. Found once for all pieces of a bound graph.
class Machine {
public:
    // Null if the CPU backend lacks what is needed.
    static std::shared_ptr<const Machine> find();
    ~Machine();
    Machine(const Machine &)             = delete;
    Machine & operator=(const Machine &) = delete;

    ggml_backend_t                             backend   = nullptr;
    decltype(&ggml_threadpool_new)             new_pool  = nullptr;
    decltype(&ggml_threadpool_free)            free_pool = nullptr;
    decltype(&ggml_backend_cpu_set_threadpool) set_pool  = nullptr;

private:
    Machine() = default;
};

class Piece {
public:
    Piece(std::shared_ptr<const Machine> machine, const BoundGraph & bound, const Bundle & bundle, int64_t rows);
    ~Piece();
    Piece(const Piece &)             = delete;
    Piece & operator=(const Piece &) = delete;

    // Computes rows from `first` on of `dst`, the node of the bundle.
    void run(ggml_tensor * dst, int64_t first);

private:
    // A tensor whose numbers are elsewhere, and its views.
    struct Given {
        ggml_tensor *              tensor;
        std::vector<ggml_tensor *> views;
    };

    void        place(const std::vector<ggml_tensor *> & tensors);
    static void point(Given & to, char * data);

    std::shared_ptr<const Machine> machine;
    const Bundle &                 bundle;
    const std::vector<int32_t>     uniform_indices;
    const int64_t                  rows;
    ContextPtr                     context;
    BufferPtr                      memory;
    ggml_threadpool *              pool  = nullptr;
    ggml_cgraph *                  graph = nullptr;
    ggml_backend_graph_plan_t      plan  = nullptr;
    std::vector<Given>             given; // inputs, then uniforms
    std::vector<ggml_tensor *>     outputs;
};

} // namespace ggsl::bundles
