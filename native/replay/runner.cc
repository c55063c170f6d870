#include "runner.h"

#include "graph/failure.h"

#include <chrono>

namespace ggsl::tools {

namespace {

bool is_view(const ggml_tensor * tensor) {
    return tensor->op == GGML_OP_VIEW || tensor->op == GGML_OP_RESHAPE || tensor->op == GGML_OP_PERMUTE ||
           tensor->op == GGML_OP_TRANSPOSE;
}

} // namespace

double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(time).count();
}

Logits::Logits(const Device & device, const Case & c) : source(c) {
    context.reset(ggml_init({ ggml_tensor_overhead(), nullptr, true }));
    values = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, c.bound.vocab_size, c.rows);
    ggml_set_name(values, "logits");
    buffer.reset(ggml_backend_alloc_ctx_tensors_from_buft(context.get(), device.buffer_type()));
    if (!buffer) {
        fail(code::out_of_memory, "no memory for %lld rows of %d logits", static_cast<long long>(c.rows),
             c.bound.vocab_size);
    }
    check_logits(c.logits, static_cast<size_t>(c.bound.vocab_size));
    restore();
}

void Logits::restore() const {
    ggml_backend_tensor_set(values, source.logits.data(), 0, ggml_nbytes(values));
}

size_t GraphRunner::nodes_without_views() const {
    size_t count = 0;
    for (int i = 0; i < ggml_graph_n_nodes(cgraph); ++i) {
        count += is_view(ggml_graph_node(cgraph, i)) ? 0 : 1;
    }
    return count;
}

bool GraphRunner::writes_logits() const {
    for (int i = 0; i < ggml_graph_n_nodes(cgraph); ++i) {
        const ggml_tensor * node = ggml_graph_node(cgraph, i);
        if (!is_view(node) && node->view_src == logits) {
            return true;
        }
    }
    return false;
}

void GraphRunner::start_graph(size_t max_nodes) {
    contexts.emplace_back(ggml_init({ ggml_graph_overhead_custom(max_nodes, false), nullptr, true }));
    cgraph = ggml_new_graph_custom(contexts.back().get(), max_nodes, false);
}

// The allocator reuses memory for later nodes, as that of a model's graph does.
void GraphRunner::allocate() {
    allocator.reset(ggml_gallocr_new(device.buffer_type()));
    if (!allocator || !ggml_gallocr_alloc_graph(allocator.get(), cgraph)) {
        fail(code::out_of_memory, "no memory for a graph of %d nodes", ggml_graph_n_nodes(cgraph));
    }
}

void * GraphRunner::read_back(const ggml_tensor * tensor, size_t offset, size_t bytes) {
    copies.push_back({ tensor, offset, std::vector<uint8_t>(bytes) });
    bytes_back += bytes;
    return copies.back().bytes.data();
}

Phases GraphRunner::run() {
    const double start = now();
    upload();
    const double uploaded = now();
    device.compute(cgraph);
    const double computed = now();
    for (Copy & copy : copies) {
        ggml_backend_tensor_get_async(device.backend(), copy.tensor, copy.bytes.data(), copy.offset, copy.bytes.size());
    }
    ggml_backend_synchronize(device.backend());
    return { uploaded - start, computed - uploaded, now() - computed };
}

} // namespace ggsl::tools
