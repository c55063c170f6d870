#include "graph/failure.h"
#include "graph/support.h"
#include "runner.h"

#include <cstring>

namespace ggsl::tools {

GgslRunner::GgslRunner(const Device & target, const Logits & given, const Case & c, bool bundles)
    : GgslRunner(target, given, c, family_of(target.device), bundles) {}

GgslRunner::GgslRunner(const Device & target, const Logits & given, const Case & c, Family family, bool bundles)
    : GraphRunner(target, given), source(c) {
    check_uniforms(c.bound, c.uniforms, c.rows);
    const Feeds feeds = c.feeds();
    for (size_t i = 1; i < feeds.inputs.size(); ++i) {
        // a case has the column of a constant input in each row; the graph takes one
        if (!c.bound.graph.inputs[i].is_constant) {
            check_input(c.bound, i, feeds.inputs[i], c.rows);
        }
    }

    const size_t tensors = max_tensors(c.bound);
    start_graph(tensors);
    contexts.emplace_back(ggml_init({ tensors * ggml_tensor_overhead(), nullptr, true }));
    if (!contexts.back()) {
        fail(code::out_of_memory, "no memory for a graph of %zu tensors", tensors);
    }
    if (bundles && family == Family::cpu) {
        bundled = std::make_unique<bundles::Bundles>(c.bound, target.threads);
    }
    built = build_graph(contexts.back().get(), c.bound, c.rows, logits, family, nullptr, nullptr, bundled.get());
    check_support(built, device.device, target_of(device.device));
    // In order of creation, because ggml visits operands recursively: a long chain would overflow the stack.
    for (ggml_tensor * tensor : built.tensors) {
        ggml_build_forward_expand(graph(), tensor);
    }
    allocate();

    // llama.cpp copies each row's token separately.
    for (int64_t row = 0; built.sampled != nullptr && row < c.rows; ++row) {
        sampled.push_back(read_back(built.sampled, static_cast<size_t>(row) * sizeof(int32_t), sizeof(int32_t)));
    }
    for (const ggml_tensor * tensor : { built.candidates, built.logits, built.probs }) {
        if (tensor != nullptr) {
            read_back(tensor, 0, ggml_nbytes(tensor));
        }
    }
    for (const ggml_tensor * state : built.states) {
        read_back(state, 0, ggml_nbytes(state));
    }
    for (const ggml_tensor * tensor : built.tensors) {
        bytes_in += (tensor->flags & GGML_TENSOR_FLAG_INPUT) != 0 ? ggml_nbytes(tensor) : 0;
    }
}

void GgslRunner::upload() {
    const auto rows  = static_cast<size_t>(source.rows);
    const auto count = static_cast<size_t>(source.bound.graph.uniform_count);
    if (built.uniforms != nullptr) {
        transposed.resize(source.uniforms.size());
        for (size_t row = 0; row < rows; ++row) {
            for (size_t i = 0; i < count; ++i) {
                transposed[i * rows + row] = source.uniforms[row * count + i];
            }
        }
        ggml_backend_tensor_set(built.uniforms, transposed.data(), 0, ggml_nbytes(built.uniforms));
    }
    for (size_t i = 1; i < built.inputs.size(); ++i) {
        if (built.inputs[i] != nullptr) {
            ggml_backend_tensor_set(built.inputs[i], source.inputs[i].data(), 0, ggml_nbytes(built.inputs[i]));
        }
    }
}

std::vector<int32_t> GgslRunner::tokens() const {
    std::vector<int32_t> values(static_cast<size_t>(source.rows), -1);
    for (size_t row = 0; row < sampled.size(); ++row) {
        std::memcpy(&values[row], sampled[row], sizeof(int32_t));
    }
    return values;
}

} // namespace ggsl::tools
