#include "graph.h"

#include "bits.h"
#include "bundles/bundles.h"
#include "columns.h"
#include "fused/plan.h"
#include "fused/run.h"
#include "fused/steps.h"
#include "hash.h"
#include "legalize.h"
#include "ops.h"

#include <algorithm>
#include <cfloat>

namespace ggsl {

namespace {

// The most tensors of a node, but for hashes, is set_rows: a contiguous copy and a reshape of each of three operands, a copy of x,
// itself, a reshape.
constexpr size_t max_tensors_per_node = 10;

const ggml_tensor * memory_of(const ggml_tensor * tensor) {
    return tensor->view_src == nullptr ? tensor : tensor->view_src;
}

} // namespace

bool is_view(const ggml_tensor * tensor) {
    return tensor->op == GGML_OP_VIEW || tensor->op == GGML_OP_RESHAPE;
}

Builder::Builder(ggml_context * context, const BoundGraph & bound, int64_t rows, ggml_tensor * logits, Family family,
                 ggml_tensor * guides, const Columns * columns, bundles::Bundles * bundles)
    : context(context), bound(bound), rows(rows), family(family), columns(columns), guides(guides), bundles(bundles),
      made_values(bound.graph.inputs.size()), values(bound.graph.nodes.size()), uses(bound.graph.nodes.size()) {
    built.inputs.resize(bound.graph.inputs.size());
    built.inputs[0] = logits;

    const Graph & graph = bound.graph;
    for (size_t node = 0; node < graph.nodes.size(); ++node) {
        for (int32_t i = 0; bound.live[node] && i < graph.nodes[node].operand_count; ++i) {
            ++uses[graph.nodes[node].operands[i]];
        }
    }
    for (const int32_t node : results_of(graph)) {
        ++uses[node];
    }
}

ggml_tensor * Builder::made(ggml_tensor * tensor) {
    ggml_format_name(tensor, "%s-%d", op_of(bound.graph.nodes[id]).name, id);
    built.tensors.push_back(tensor);
    built.origins.push_back(id);
    if (tensor->op != GGML_OP_NONE) {
        ++built.nodes;
        built.nodes_without_views += is_view(tensor) ? 0 : 1;
    }
    return tensor;
}

ggml_tensor * Builder::contiguous(ggml_tensor * tensor) {
    return ggml_is_contiguous(tensor) ? tensor : made(ggml_cont(context, tensor));
}

ggml_tensor * Builder::clamped(ggml_tensor * tensor, float min, float max) {
    return made(ggml_clamp(context, tensor, min, max));
}

ggml_tensor * Builder::column(ggml_tensor * tensor, int64_t n) {
    const bool same = tensor->ne[0] == n && tensor->ne[1] == rows && tensor->ne[2] == 1;
    return same ? tensor : made(ggml_reshape_2d(context, tensor, n, rows));
}

ggml_tensor * Builder::elements(ggml_tensor * tensor) {
    const int64_t n = tensor->ne[0];
    return n == 1 && rows == 1 ? tensor : made(ggml_reshape_3d(context, tensor, 1, n, rows));
}

ggml_tensor * Builder::uniforms() {
    if (built.uniforms == nullptr) {
        built.uniforms = made(ggml_new_tensor_2d(context, GGML_TYPE_F32, rows, bound.graph.uniform_count));
        ggml_set_name(built.uniforms, "uniforms");
        ggml_set_input(built.uniforms);
    }
    return built.uniforms;
}

ggml_tensor * Builder::uniform(int32_t index) {
    const size_t bytes = static_cast<size_t>(rows) * sizeof(float);
    return made(ggml_view_2d(context, uniforms(), 1, rows, sizeof(float), static_cast<size_t>(index) * bytes));
}

ggml_tensor * Builder::host_written(int32_t index, ggml_tensor * tensor) {
    built.inputs[index] = made(tensor);
    ggml_format_name(tensor, "input-%d", index);
    ggml_set_input(tensor);
    return tensor;
}

ggml_tensor * Builder::input(int32_t index) {
    const Input & input = bound.graph.inputs[index];
    if (input.is_guide && guides != nullptr) {
        ggml_tensor *& value = made_values[index];
        if (value == nullptr) {
            ggml_tensor * at = host_written(index, ggml_new_tensor_1d(context, GGML_TYPE_I32, rows));
            value            = made(ggml_get_rows(context, guides, at));
        }
        return value;
    }
    if (input.is_packed) {
        return packed_input(index, [&](ggml_tensor * words) { return bits_by_table(*this, words, input.dim); });
    }
    if (built.inputs[index] != nullptr) {
        return built.inputs[index];
    }
    if (input.is_constant) {
        built.inputs[index] = constant_input(index);
        return built.inputs[index];
    }
    const ggml_type type = input.dtype == Dtype::f32 ? GGML_TYPE_F32 : GGML_TYPE_I32;
    return host_written(index, ggml_new_tensor_2d(context, type, input.dim, rows));
}

ggml_tensor * Builder::words(int32_t index) {
    ggml_tensor * given = built.inputs[index];
    return given != nullptr ? given
                            : host_written(index, ggml_new_tensor_2d(context, GGML_TYPE_I32,
                                                                     bound.graph.inputs[index].fed_size(), rows));
}

// All rows have the same column, which is on the device already.
ggml_tensor * Builder::constant_input(int32_t index) {
    const int64_t size   = bound.graph.inputs[index].dim;
    ggml_tensor * column = columns == nullptr ? nullptr : columns->of(static_cast<size_t>(index));
    if (column == nullptr) {
        column = made(ggml_new_tensor_2d(context, GGML_TYPE_F32, size, 1));
        ggml_set_input(column);
    }
    return rows == 1 ? column : made(ggml_repeat_4d(context, column, size, rows, 1, 1));
}

bool Builder::is_fresh(int32_t node) const {
    const ggml_tensor * tensor = values[node];
    // several nodes can read one input
    const bool is_input = id_of(bound.graph.nodes[node]) == OpId::input;
    return !is_input && tensor->op != GGML_OP_NONE && (tensor->view_src == nullptr || tensor->op == GGML_OP_FILL) &&
           uses[node] == 1 + readings_before(node);
}

int32_t Builder::readings_before(int32_t node) const {
    if (uses[node] == 1) {
        return 0;
    }
    // The operands of operands come first on every device, whatever order it chooses; operands have lower numbers.
    std::vector<bool> is_before(static_cast<size_t>(id) + 1);
    is_before[static_cast<size_t>(id)] = true;
    int32_t readings                   = 0;
    for (int32_t at = id; at > node; --at) {
        const Node & reader = bound.graph.nodes[at];
        for (int32_t i = 0; is_before[static_cast<size_t>(at)] && i < reader.operand_count; ++i) {
            const int32_t operand                   = reader.operands[i];
            is_before[static_cast<size_t>(operand)] = true;
            // a view is read after it is made, and what a fused step reads may be read again by a later program; a bundle is computed
            // as a whole before what reads it
            const auto is_done = [&] {
                return at != id && !is_fused(at) &&
                       (is_bundled(at) || memory_of(values[at]) != memory_of(values[node]));
            };
            readings += operand == node && is_done() ? 1 : 0;
        }
    }
    return readings;
}

ggml_tensor * Builder::build_node(const Node & node) {
    ggml_tensor * operands[max_operands] = {};
    for (int32_t i = 0; i < node.operand_count; ++i) {
        ggml_tensor *& value = values[node.operands[i]];
        // On several devices most ops reject strided rows or are wrong for them; the copy is kept for the next user.
        if (!takes_strided(id_of(node))) {
            value = contiguous(value);
        }
        operands[i] = value;
    }
    if (const Rewrite * rewrite = rewrite_of(*this, node, operands)) {
        built.rewritten.push_back({ id, rewrite });
        return rewrite->build(*this, node, operands);
    }
    return op_of(node).build(*this, node, operands);
}

ggml_tensor * Builder::whole(int32_t node) {
    id = node;
    return contiguous(values[static_cast<size_t>(node)]);
}

ggml_tensor * Builder::output(int32_t node) {
    if (node < 0) {
        return nullptr;
    }
    ggml_tensor * tensor = whole(node);
    ggml_set_output(tensor);
    if (tensor->view_src != nullptr) {
        // A view's memory lives only as long as its source's.
        ggml_set_output(tensor->view_src);
    }
    return tensor;
}

void Builder::build(int32_t node) {
    id                                = node;
    values[static_cast<size_t>(node)] = build_node(bound.graph.nodes[node]);
}

// The outputs lie one after the other in the program's tensor, [dim, R] each.
void Builder::build(const fused::Program & program) {
    id = program.nodes.back();
    std::vector<ggml_tensor *> operands;
    for (const int32_t node : program.inputs) {
        if (fused::is_packed(bound, node)) {
            operands.push_back(words(bound.graph.nodes[node].attrs[0]));
            continue;
        }
        ggml_tensor *& value = values[node];
        value                = value->nb[0] == ggml_type_size(value->type) ? value : contiguous(value);
        operands.push_back(value);
    }
    if (program.reads_uniforms) {
        operands.push_back(uniforms());
    }
    place(program.outputs, program.numbers_per_row, operands, fused::run, GGML_N_TASKS_MAX,
          const_cast<fused::Program *>(&program));
    for (const int32_t node : program.nodes) {
        built.rewritten.push_back({ node, &fused_rewrite() });
    }
}

// One node with several outputs.
template <typename Outputs> void Builder::place(const Outputs & outputs, int64_t numbers_per_row,
                                                std::span<ggml_tensor * const> operands, ggml_custom_op_t kernel,
                                                int threads, void * data) {
    const bool      is_one = outputs.size() == 1;
    const ggml_type type   = is_one && outputs[0].is_i32 ? GGML_TYPE_I32 : GGML_TYPE_F32;
    ggml_tensor *   result = custom(*this, type, numbers_per_row, operands, kernel, threads, data);
    for (const auto & output : outputs) {
        ggml_tensor * value = result;
        id                  = output.node;
        if (!is_one) {
            const size_t bytes = static_cast<size_t>(output.dim) * sizeof(float);
            value              = ggml_view_2d(context, result, output.dim, rows, bytes,
                                              static_cast<size_t>(output.offset * rows) * sizeof(float));
            // of the same size
            value->type = output.is_i32 ? GGML_TYPE_I32 : GGML_TYPE_F32;
            made(value);
        }
        values[output.node] = value;
    }
}

void Builder::build_bundle(int32_t index) {
    const bundles::Bundle & bundle = bundles->plan().bundles[static_cast<size_t>(index)];
    id                             = bundle.nodes.back();
    std::vector<ggml_tensor *> operands;
    for (const int32_t node : bundle.inputs) {
        values[node] = contiguous(values[node]);
        operands.push_back(values[node]);
    }
    if (!bundle.uniforms.empty()) {
        operands.push_back(uniforms());
    }
    place(bundle.outputs, bundle.numbers_per_row, operands, bundles::run, GGML_N_TASKS_MAX,
          &bundles->prepare(index, rows));
    for (const int32_t node : bundle.nodes) {
        built.rewritten.push_back({ node, &bundled_rewrite() });
    }
}

const fused::Plan * Builder::plan() const {
    return family == Family::cpu ? bound.fusion.get() : nullptr;
}

bool Builder::is_bundled(int32_t node) const {
    return bundles != nullptr && bundles->plan().is_bundled[static_cast<size_t>(node)];
}

bool Builder::is_fused(int32_t node) const {
    return plan() != nullptr && plan()->is_fused[static_cast<size_t>(node)];
}

Built Builder::run() {
    const Graph & graph = bound.graph;
    for (const Unit & unit : bundles == nullptr ? units_of(bound, plan()) : bundles->plan().units) {
        switch (unit.kind) {
            case Unit::Kind::node:   build(unit.index); break;
            case Unit::Kind::pass:   build(plan()->programs[static_cast<size_t>(unit.index)]); break;
            case Unit::Kind::bundle: build_bundle(unit.index); break;
        }
    }
    built.sampled    = output(graph.outputs.sampled);
    built.candidates = output(graph.outputs.candidates);
    built.logits     = output(graph.outputs.logits);
    built.probs      = output(graph.outputs.probs);
    for (const int32_t state : graph.states) {
        built.states.push_back(output(state));
    }
    for (const int32_t node : graph.taps) {
        built.taps.push_back(output(node));
    }
    return std::move(built);
}

Built build_graph(ggml_context * context, const BoundGraph & bound, int64_t rows, ggml_tensor * logits, Family family,
                  ggml_tensor * guides, const Columns * columns, bundles::Bundles * bundles) {
    return Builder(context, bound, rows, logits, family, guides, columns, family == Family::cpu ? bundles : nullptr)
        .run();
}

size_t max_tensors(const Node & node) {
    return id_of(node) == OpId::hash ? max_tensors_of_hash : max_tensors_per_node;
}

size_t max_tensors(const BoundGraph & bound) {
    size_t tensors = 0;
    for (size_t node = 0; node < bound.live.size(); ++node) {
        tensors += bound.live[node] ? max_tensors(bound.graph.nodes[node]) : 0;
    }
    return tensors + bound.graph.inputs.size() + bound.graph.states.size() + bound.graph.taps.size() + 8;
}

} // namespace ggsl
