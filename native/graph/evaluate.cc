#include "evaluate.h"

#include "backend.h"
#include "failure.h"
#include "ops.h"
#include "support.h"

#include <algorithm>
#include <cmath>

namespace ggsl {

namespace {

// Of all tensors of a graph together; the allocator reuses memory, so this is a generous bound of 4 GiB. With 32-bit addresses
// it is 256 MiB: ggml's sums of sizes must not overflow, and a node may become up to ten tensors.
constexpr int64_t max_elements = int64_t{ 1 } << (sizeof(size_t) > 4 ? 30 : 26);

void check_size(size_t found, size_t expected, const char * what) {
    if (found != expected) {
        fail(code::invalid_argument, "expected %zu %s, found %zu", expected, what, found);
    }
}

void check_elements(const BoundGraph & bound, int64_t rows) {
    if (rows < 1 || rows > 65536) {
        fail(code::invalid_argument, "rows: expected 1 to 65536, found %lld", static_cast<long long>(rows));
    }
    int64_t elements = bound.vocab_size;
    for (size_t id = 0; id < bound.graph.nodes.size(); ++id) {
        elements += bound.live[id] ? bound.graph.nodes[id].dim : 0;
    }
    if (elements > max_elements / rows) {
        fail(code::invalid_graph, "the graph needs %lld numbers for %lld rows; at most %lld are allowed",
             static_cast<long long>(elements * rows), static_cast<long long>(rows),
             static_cast<long long>(max_elements));
    }
}

} // namespace

void check_uniforms(const BoundGraph & bound, std::span<const float> uniforms, int64_t rows) {
    const size_t count = static_cast<size_t>(bound.graph.uniform_count);
    check_size(uniforms.size(), count * static_cast<size_t>(rows), "uniforms");
    for (size_t i = 0; i < uniforms.size(); ++i) {
        if (!std::isfinite(uniforms[i])) {
            fail(code::invalid_argument, "uniform %zu of row %zu is %f; uniforms are finite", i % count, i / count,
                 static_cast<double>(uniforms[i]));
        }
    }
}

void check_input(const BoundGraph & bound, size_t index, const Values & values, int64_t rows) {
    if (index < 1 || index >= bound.graph.inputs.size()) {
        fail(code::invalid_argument, "there is no input %zu; the graph has %zu besides the logits", index,
             bound.graph.inputs.size() - 1);
    }
    const Input & input = bound.graph.inputs[index];
    if (input.is_constant) {
        fail(code::invalid_argument, "input %zu is constant: its column is given with the graph", index);
    }
    const size_t size = static_cast<size_t>(input.fed_size()) * static_cast<size_t>(rows);
    if (const auto * floats = std::get_if<std::span<const float>>(&values);
        floats != nullptr && input.fed_dtype() == Dtype::f32) {
        check_size(floats->size(), size, "numbers for an input");
        for (const float value : *floats) {
            if (std::isnan(value)) {
                fail(code::invalid_argument, "input %zu holds a NaN", index);
            }
        }
    } else if (const auto * ids = std::get_if<std::span<const int32_t>>(&values);
               ids != nullptr && input.fed_dtype() == Dtype::i32) {
        check_size(ids->size(), size, input.is_packed ? "words for an input" : "token ids for an input");
        const int32_t limit = bound.input_limit[index];
        for (const int32_t id : *ids) {
            if (id < 0 || id >= limit) {
                fail(code::invalid_argument, "input %zu holds %d; expected 0 to %d%s", index, id, limit - 1,
                     limit == bound.vocab_size && !input.is_packed ? ", the tokens of the vocabulary" : "");
            }
        }
    } else {
        fail(code::invalid_argument, "input %zu: expected %s", index,
             input.fed_dtype() == Dtype::f32 ? "a Float32Array" : "an Int32Array");
    }
}

void check_logits(std::span<const float> logits, size_t vocab_size) {
    const auto is_fault = [](float x) { return !(x < INFINITY); };
    // without an early exit the compiler vectorizes the loop
    if (std::count_if(logits.begin(), logits.end(), is_fault) == 0) {
        return;
    }
    const auto found = std::find_if(logits.begin(), logits.end(), is_fault);
    const auto i     = static_cast<size_t>(found - logits.begin());
    fail(code::invalid_logits, "the logit of token %zu in row %zu is %s", i % vocab_size, i / vocab_size,
         std::isnan(*found) ? "NaN" : "+inf");
}

Evaluator::Evaluator(const Graph & graph, int32_t vocab_size, int64_t rows, ggml_backend_dev_t device, int threads)
    : Evaluator(graph, vocab_size, rows, device, threads, family_of(device)) {}

Evaluator::Evaluator(const Graph & graph, int32_t vocab_size, int64_t rows, ggml_backend_dev_t device, int threads,
                     Family family, bool fuses, bool bundles)
    : bound(bind_graph(graph, vocab_size)), rows(rows) {
    if (!fuses) {
        bound.fusion.reset();
    }
    if (bundles && family == Family::cpu) {
        bundled = std::make_unique<bundles::Bundles>(bound, threads);
    }
    check_elements(bound, rows);
    backend.reset(ggml_backend_dev_init(device, nullptr));
    if (!backend) {
        fail(code::no_device, "device %s did not start", ggml_backend_dev_name(device));
    }
    set_threads(backend.get(), threads);

    const size_t tensors = max_tensors(bound);
    context.reset(
        ggml_init({ tensors * ggml_tensor_overhead() + ggml_graph_overhead_custom(tensors, false), nullptr, true }));
    if (!context) {
        fail(code::out_of_memory, "no memory for a graph of %zu tensors", tensors);
    }
    cgraph = ggml_new_graph_custom(context.get(), tensors, false);

    ggml_tensor * logits = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, bound.vocab_size, rows);
    ggml_set_name(logits, "logits");
    ggml_set_input(logits);
    // without its columns, a graph can only be looked at
    if (!bound.graph.columns.empty()) {
        check_columns(bound);
    }
    columns = std::make_unique<Columns>(bound, ggml_backend_get_default_buffer_type(backend.get()), family);
    built   = build_graph(context.get(), bound, rows, logits, family, nullptr, columns.get(), bundled.get());
    check_support(built, device, local_target(device, family));

    ggml_build_forward_expand(cgraph, logits);
    // In order of creation, because ggml visits operands recursively: a long chain would overflow the stack.
    for (ggml_tensor * tensor : built.tensors) {
        ggml_build_forward_expand(cgraph, tensor);
    }
    allocator.reset(ggml_gallocr_new(ggml_backend_get_default_buffer_type(backend.get())));
    if (!allocator || !ggml_gallocr_alloc_graph(allocator.get(), cgraph)) {
        fail(code::out_of_memory, "no memory for the graph's tensors on device %s", ggml_backend_dev_name(device));
    }
}

Evaluator::~Evaluator() = default;

Results Evaluator::run(const Feeds & feeds) {
    check_size(feeds.logits.size(), static_cast<size_t>(bound.vocab_size) * static_cast<size_t>(rows), "logits");
    check_logits(feeds.logits, static_cast<size_t>(bound.vocab_size));
    check_uniforms(bound, feeds.uniforms, rows);
    if (bound.graph.inputs.size() > 1) {
        check_size(feeds.inputs.size(), bound.graph.inputs.size(), "inputs, with entry 0 left empty for the logits");
    }

    write(built.inputs[0], feeds.logits.data());
    write_uniforms(feeds.uniforms);
    if (bound.graph.columns.empty()) {
        check_columns(bound);
    }
    for (size_t i = 1; i < built.inputs.size(); ++i) {
        if (bound.graph.inputs[i].is_constant) {
            continue;
        }
        check_input(bound, i, feeds.inputs[i], rows);
        std::visit(
            [&](const auto & values) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
                    write(built.inputs[i], values.data());
                }
            },
            feeds.inputs[i]);
    }

    if (const ggml_status status = ggml_backend_graph_compute(backend.get(), cgraph); status != GGML_STATUS_SUCCESS) {
        fail(code::compute_failed, "computing the graph failed: %s", ggml_status_to_string(status));
    }
    return { read<int32_t>(built.sampled),
             read<int32_t>(built.candidates),
             read<float>(built.logits),
             read<float>(built.probs),
             read_states(),
             read_taps() };
}

std::span<float> Evaluator::logits_memory() const {
    const ggml_tensor * logits   = built.inputs[0];
    const bool          is_there = logits->buffer != nullptr && ggml_backend_buffer_is_host(logits->buffer);
    return is_there ? std::span(static_cast<float *>(logits->data), static_cast<size_t>(ggml_nelements(logits)))
                    : std::span<float>();
}

// Inputs that no node reads are not part of the graph and have no memory. What is there already is not copied.
void Evaluator::write(ggml_tensor * tensor, const void * data) const {
    if (tensor != nullptr && tensor->buffer != nullptr && tensor->data != data) {
        ggml_backend_tensor_set(tensor, data, 0, ggml_nbytes(tensor));
    }
}

void Evaluator::write_uniforms(std::span<const float> values) {
    const size_t count = static_cast<size_t>(bound.graph.uniform_count);
    const size_t n     = static_cast<size_t>(rows);
    transposed.resize(values.size());
    for (size_t row = 0; row < n; ++row) {
        for (size_t i = 0; i < count; ++i) {
            transposed[i * n + row] = values[row * count + i];
        }
    }
    write(built.uniforms, transposed.data());
}

template <typename T> std::vector<T> Evaluator::read(const ggml_tensor * tensor) const {
    if (tensor == nullptr) {
        return {};
    }
    std::vector<T> values(static_cast<size_t>(ggml_nelements(tensor)));
    ggml_backend_tensor_get(tensor, values.data(), 0, ggml_nbytes(tensor));
    return values;
}

std::vector<TapValues> Evaluator::read_taps() const {
    std::vector<TapValues> values;
    for (const ggml_tensor * tap : built.taps) {
        if (tap->type == GGML_TYPE_F32) {
            values.emplace_back(read<float>(tap));
        } else {
            values.emplace_back(read<int32_t>(tap));
        }
    }
    return values;
}

std::vector<float> Evaluator::read_states() const {
    const size_t       count = built.states.size();
    std::vector<float> states(count * static_cast<size_t>(rows));
    for (size_t i = 0; i < count; ++i) {
        const std::vector<float> column = read<float>(built.states[i]);
        for (size_t row = 0; row < column.size(); ++row) {
            states[row * count + i] = column[row];
        }
    }
    return states;
}

} // namespace ggsl
