#include "columns.h"

#include "failure.h"

#include <algorithm>
#include <cmath>

namespace ggsl {

Columns::Columns(const BoundGraph & bound, ggml_backend_buffer_type_t type, Family family)
    : tensors(bound.graph.inputs.size()) {
    const auto & inputs = bound.graph.inputs;
    if (family != Family::cpu &&
        std::any_of(inputs.begin(), inputs.end(), [](const Input & i) { return i.is_packed; })) {
        table = bit_table(type, uploaded);
    }
    const std::vector<Column> & columns = bound.graph.columns;
    if (columns.empty()) {
        return;
    }
    context.reset(ggml_init({ columns.size() * ggml_tensor_overhead(), nullptr, true }));
    if (!context) {
        fail(code::out_of_memory, "no memory for %zu columns", columns.size());
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
        if (bound.graph.inputs[i].is_constant) {
            tensors[i] = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, bound.vocab_size, 1);
            ggml_format_name(tensors[i], "column-%zu", i);
        }
    }
    // all have the same size
    const size_t alignment = ggml_backend_buft_get_alignment(type);
    const auto   first =
        std::find_if(tensors.begin(), tensors.end(), [](const auto * tensor) { return tensor != nullptr; });
    const size_t size = (ggml_backend_buft_get_alloc_size(type, *first) + alignment - 1) / alignment * alignment;
    buffer.reset(ggml_backend_buft_alloc_buffer(type, size * columns.size()));
    if (!buffer) {
        fail(code::out_of_memory, "no memory for %zu columns on %s", columns.size(), ggml_backend_buft_name(type));
    }
    auto * const base   = static_cast<uint8_t *>(ggml_backend_buffer_get_base(buffer.get()));
    auto         column = columns.begin();
    for (ggml_tensor * tensor : tensors) {
        if (tensor != nullptr) {
            ggml_backend_tensor_alloc(buffer.get(), tensor,
                                      base + static_cast<size_t>(column - columns.begin()) * size);
            ggml_backend_tensor_set(tensor, column->values->data(), 0, ggml_nbytes(tensor));
            uploaded += ggml_nbytes(tensor);
            ++column;
        }
    }
}

std::vector<Column> columns_of(const float * values, size_t count, size_t size) {
    std::vector<Column> columns;
    for (size_t i = 0; i < count; ++i) {
        const float * first = values + i * size;
        columns.push_back({ std::make_shared<const std::vector<float>>(first, first + size) });
    }
    return columns;
}

void check_columns(const BoundGraph & bound) {
    const Graph & graph      = bound.graph;
    const int32_t vocab_size = bound.vocab_size;
    const auto    constants =
        std::count_if(graph.inputs.begin(), graph.inputs.end(), [](const Input & input) { return input.is_constant; });
    if (graph.columns.size() != static_cast<size_t>(constants)) {
        fail(code::invalid_argument, "the graph has %td constant inputs, found %zu columns", constants,
             graph.columns.size());
    }
    for (const Column & column : graph.columns) {
        if (column.values->size() != static_cast<size_t>(vocab_size)) {
            fail(code::invalid_argument, "a column has a number for each of %d tokens, found %zu numbers", vocab_size,
                 column.values->size());
        }
        if (std::any_of(column.values->begin(), column.values->end(),
                        [](float value) { return !std::isfinite(value); })) {
            fail(code::invalid_argument, "a column holds a number that is not finite");
        }
    }
}

} // namespace ggsl
