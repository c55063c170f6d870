#include "support.h"

#include "failure.h"

#include <ggml-alloc.h>

namespace ggsl {

namespace {

// With several rows a graph has a few more reshapes and copies.
constexpr int64_t several_rows = 2;

// The bytes that ggml's allocator would take for `rows` rows.
size_t bytes_of_rows(const BoundGraph & bound, ggml_backend_dev_t device, int64_t rows) {
    ContextPtr       context;
    const Built      built = dry_build(context, bound, rows, family_of(device), true);
    const ContextPtr graph_context(
        ggml_init({ ggml_graph_overhead_custom(built.tensors.size() + 1, false), nullptr, true }));
    ggml_cgraph * graph = ggml_new_graph_custom(graph_context.get(), built.tensors.size() + 1, false);
    ggml_set_input(built.inputs[0]);
    ggml_build_forward_expand(graph, built.inputs[0]);
    for (ggml_tensor * tensor : built.tensors) {
        ggml_build_forward_expand(graph, tensor);
    }
    const std::unique_ptr<ggml_gallocr, void (*)(ggml_gallocr_t)> allocator(
        ggml_gallocr_new(ggml_backend_dev_buffer_type(device)), ggml_gallocr_free);
    size_t bytes = 0;
    ggml_gallocr_reserve_n_size(allocator.get(), graph, nullptr, nullptr, &bytes);
    return bytes;
}

} // namespace

Built dry_build(ContextPtr & context, const BoundGraph & bound, int64_t rows, Family family, bool in_model) {
    context.reset(ggml_init({ (max_tensors(bound) + 1) * ggml_tensor_overhead(), nullptr, true }));
    if (!context) {
        fail(code::out_of_memory, "no memory to build a graph of %zu nodes", bound.graph.nodes.size());
    }
    ggml_tensor * logits = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, bound.vocab_size, rows);
    return build_graph(context.get(), bound, rows, logits, family, in_model ? logits : nullptr);
}

std::vector<Unsupported> find_unsupported(const Built & built, const Target & target) {
    std::vector<Unsupported> found;
    for (size_t i = 0; i < built.tensors.size(); ++i) {
        const ggml_tensor * tensor = built.tensors[i];
        if (tensor->op != GGML_OP_NONE && !target.can_run(tensor)) {
            found.push_back({ built.origins[i], ggml_op_desc(tensor) });
        }
    }
    return found;
}

std::vector<Unsupported> find_unsupported(const Graph & graph, int32_t vocab_size, bool in_model,
                                          const Target & target) {
    std::vector<int32_t> sizes = { vocab_size };
    if (in_model) {
        sizes.push_back(probe_vocab_size);
    }
    std::vector<Unsupported> found;
    for (const int32_t size : sizes) {
        const BoundGraph bound = bind_graph(graph, size);
        for (const int64_t rows : { int64_t{ 1 }, several_rows }) {
            ContextPtr  context;
            const Built built = dry_build(context, bound, rows, target.family, in_model);
            const auto  more  = find_unsupported(built, target);
            found.insert(found.end(), more.begin(), more.end());
        }
    }
    return found;
}

size_t bytes_per_row(const BoundGraph & bound, ggml_backend_dev_t device) {
    // Over many rows, so that the padding of tensors does not count.
    constexpr int64_t many = 65;
    return (bytes_of_rows(bound, device, many) - bytes_of_rows(bound, device, 1)) / (many - 1);
}

void check_support(const Built & built, ggml_backend_dev_t device, const Target & target) {
    const std::vector<Unsupported> found = find_unsupported(built, target);
    if (!found.empty()) {
        fail(code::unsupported_op, "device %s cannot run %s (node %%%d)", ggml_backend_dev_name(device),
             found[0].op.c_str(), found[0].node);
    }
}

} // namespace ggsl
