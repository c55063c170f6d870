#include "piece.h"

#include "../backend.h"
#include "../failure.h"

#include <algorithm>
#include <cstring>

namespace ggsl::bundles {

namespace {

// Of the tensors of a piece.
constexpr size_t alignment = 64;

size_t aligned(size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

std::vector<int32_t> indices_of(const BoundGraph & bound, const std::vector<int32_t> & uniforms) {
    std::vector<int32_t> indices;
    for (const int32_t id : uniforms) {
        indices.push_back(bound.graph.nodes[static_cast<size_t>(id)].attrs[0]);
    }
    return indices;
}

} // namespace

std::shared_ptr<const Machine> Machine::find() {
    ggml_backend_dev_t const device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    ggml_backend_reg_t const reg    = device == nullptr ? nullptr : ggml_backend_dev_backend_reg(device);
    if (reg == nullptr) {
        return nullptr;
    }
    const std::shared_ptr<Machine> machine(new Machine());
    const auto                     find = [&](auto & function, const char * name) {
        function = reinterpret_cast<std::decay_t<decltype(function)>>(ggml_backend_reg_get_proc_address(reg, name));
        return function != nullptr;
    };
    if (!find(machine->new_pool, "ggml_threadpool_new") || !find(machine->free_pool, "ggml_threadpool_free") ||
        !find(machine->set_pool, "ggml_backend_cpu_set_threadpool")) {
        return nullptr;
    }
    machine->backend = ggml_backend_dev_init(device, nullptr);
    if (machine->backend == nullptr) {
        return nullptr;
    }
    set_threads(machine->backend, 1);
    return machine;
}

Machine::~Machine() {
    ggml_backend_free(backend);
}

Piece::Piece(std::shared_ptr<const Machine> computes, const BoundGraph & bound, const Bundle & bundle, int64_t rows)
    : machine(std::move(computes)), bundle(bundle), uniform_indices(indices_of(bound, bundle.uniforms)), rows(rows) {
    size_t most = bundle.inputs.size() + bundle.uniforms.size() + bundle.outputs.size();
    for (const int32_t id : bundle.nodes) {
        most += max_tensors(bound.graph.nodes[static_cast<size_t>(id)]);
    }
    context.reset(
        ggml_init({ most * ggml_tensor_overhead() + ggml_graph_overhead_custom(most, false), nullptr, true }));
    if (!context) {
        fail(code::out_of_memory, "no memory for a graph of %zu tensors", most);
    }
    Builder                    builder(context.get(), bound, rows, nullptr, Family::cpu, nullptr, nullptr, nullptr);
    std::vector<ggml_tensor *> made;
    for (const auto * read : { &bundle.inputs, &bundle.uniforms }) {
        for (const int32_t id : *read) {
            const Node &  node   = bound.graph.nodes[static_cast<size_t>(id)];
            ggml_tensor * tensor = ggml_new_tensor_2d(
                context.get(), node.dtype == Dtype::i32 ? GGML_TYPE_I32 : GGML_TYPE_F32, node.dim, rows);
            given.push_back({ tensor, {} });
            builder.give(id, tensor);
        }
    }
    for (const int32_t id : bundle.nodes) {
        builder.build(id);
    }
    for (const Output & output : bundle.outputs) {
        outputs.push_back(builder.whole(output.node));
    }
    place(builder.tensors());
    graph = ggml_new_graph_custom(context.get(), most, false);
    for (ggml_tensor * tensor : builder.tensors()) {
        ggml_build_forward_expand(graph, tensor);
    }
    ggml_threadpool_params one = ggml_threadpool_params_default(1);
    pool                       = machine->new_pool(&one);
    machine->set_pool(machine->backend, pool);
    plan = ggml_backend_graph_plan_create(machine->backend, graph);
    machine->set_pool(machine->backend, nullptr);
}

Piece::~Piece() {
    ggml_backend_graph_plan_free(machine->backend, plan);
    machine->free_pool(pool);
}

// Every tensor has memory of its own; views, including those of what is given, have that of their source.
void Piece::place(const std::vector<ggml_tensor *> & tensors) {
    size_t bytes = 0;
    for (const ggml_tensor * tensor : tensors) {
        bytes += tensor->view_src == nullptr ? aligned(ggml_nbytes(tensor)) : 0;
    }
    memory.reset(
        ggml_backend_buft_alloc_buffer(ggml_backend_get_default_buffer_type(machine->backend), bytes + alignment));
    if (!memory) {
        fail(code::out_of_memory, "no memory for %zu bytes of small ops", bytes);
    }
    auto * next = static_cast<char *>(ggml_backend_buffer_get_base(memory.get()));
    for (ggml_tensor * tensor : tensors) {
        if (tensor->view_src == nullptr) {
            tensor->data = next;
            next += aligned(ggml_nbytes(tensor));
            continue;
        }
        const auto source =
            std::find_if(given.begin(), given.end(), [&](const Given & g) { return g.tensor == tensor->view_src; });
        if (source == given.end()) {
            tensor->data = static_cast<char *>(tensor->view_src->data) + tensor->view_offs;
        } else {
            source->views.push_back(tensor);
        }
    }
}

void Piece::point(Given & to, char * data) {
    if (to.tensor->data == data) {
        return;
    }
    to.tensor->data = data;
    for (ggml_tensor * view : to.views) {
        view->data = data + view->view_offs;
    }
}

void Piece::run(ggml_tensor * dst, int64_t first) {
    const size_t inputs = bundle.inputs.size();
    for (size_t i = 0; i < inputs; ++i) {
        point(given[i], static_cast<char *>(dst->src[i]->data) + static_cast<size_t>(first) * given[i].tensor->nb[1]);
    }
    for (size_t i = 0; i < uniform_indices.size(); ++i) {
        const ggml_tensor * all = dst->src[inputs];
        point(given[inputs + i], static_cast<char *>(all->data) + static_cast<size_t>(uniform_indices[i]) * all->nb[1] +
                                     static_cast<size_t>(first) * all->nb[0]);
    }
    ggml_backend_graph_plan_compute(machine->backend, plan);
    for (size_t i = 0; i < outputs.size(); ++i) {
        const Output & output = bundle.outputs[i];
        std::memcpy(static_cast<float *>(dst->data) + output.offset * dst->ne[1] + first * output.dim, outputs[i]->data,
                    static_cast<size_t>(output.dim * rows) * sizeof(float));
    }
}

} // namespace ggsl::bundles
