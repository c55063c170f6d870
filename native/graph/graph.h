// The graph builder: a bound graph and R rows (sequences) become ggml tensors. Every value of dim n is a tensor [n, R].
#pragma once

#include "backend.h"
#include "bind.h"

#include <ggml.h>

#include <span>

namespace ggsl {

class Columns;
struct Rewrite;

namespace fused {
struct Program;
}

namespace bundles {
class Bundles;
}

struct Rewritten {
    int32_t         node;
    const Rewrite * rewrite;
};

// A built graph. Tensors belong to the ggml_context; absent ones are null.
struct Built {
    // Written by the host before every run. `uniforms` is [R, U]: each uniform is one contiguous row over the sequences.
    ggml_tensor * uniforms = nullptr;
    std::vector<ggml_tensor *>
        inputs; // as Graph::inputs; inputs[0] are the logits, a guide's are i32 [R], rows of `guides`

    // Read by the host after every run.
    ggml_tensor *              sampled    = nullptr; // i32 [1, R]
    ggml_tensor *              candidates = nullptr; // i32 [k, R]
    ggml_tensor *              logits     = nullptr; // f32 [k, R]
    ggml_tensor *              probs      = nullptr; // f32 [k, R]
    std::vector<ggml_tensor *> states;               // f32 [1, R] each
    std::vector<ggml_tensor *> taps;                 // [dim, R] each

    // All tensors of the graph in order of creation, operands first.
    std::vector<ggml_tensor *> tensors;
    std::vector<int32_t>       origins; // the node that each of them is built for
    size_t                     nodes               = 0;
    size_t                     nodes_without_views = 0;

    // Nodes that were not built as the op table says, and why (legalize.h).
    std::vector<Rewritten> rewritten;
};

// Builds the tensors of a graph's ops; the helpers of ops.cc are its members.
class Builder {
public:
    Builder(ggml_context * context, const BoundGraph & bound, int64_t rows, ggml_tensor * logits, Family family,
            ggml_tensor * guides, const Columns * columns, bundles::Bundles * bundles);

    Built run();

    // For a part of a graph: the value of a node that is built elsewhere; a node of the part, after its operands; its value as a
    // contiguous tensor; the tensors of all of them.
    void          give(int32_t node, ggml_tensor * value) { values[static_cast<size_t>(node)] = value; }
    void          build(int32_t node);
    ggml_tensor * whole(int32_t node);
    const std::vector<ggml_tensor *> & tensors() const { return built.tensors; }

    ggml_context * const  context;
    const BoundGraph &    bound;
    const int64_t         rows;
    const Family          family;
    const Columns * const columns;

    // Registers and names a new tensor.
    ggml_tensor * made(ggml_tensor * tensor);

    ggml_tensor * contiguous(ggml_tensor * tensor);
    ggml_tensor * clamped(ggml_tensor * tensor, float min, float max);
    // [n, rows], a free reshape.
    ggml_tensor * column(ggml_tensor * tensor, int64_t n);
    // [1, n, rows]: each element is its own row, as get_rows and set_rows need it.
    ggml_tensor * elements(ggml_tensor * tensor);

    ggml_tensor * uniforms();
    ggml_tensor * uniform(int32_t index);
    ggml_tensor * input(int32_t index);
    ggml_tensor * constant_input(int32_t index);
    // Those of a packed input, i32 [ceil(V / 16), rows].
    ggml_tensor * words(int32_t index);
    // A packed input: `make` builds [V, rows] from the words, unless a node has done so before.
    template <typename Make> ggml_tensor * packed_input(int32_t index, Make make) {
        ggml_tensor *& value = made_values[index];
        if (value == nullptr) {
            value = make(words(index));
        }
        return value;
    }

    // True if the tensor of `node` holds its own data and all its other readers run before the node being built, which may
    // overwrite it.
    bool is_fresh(int32_t node) const;
    // The id of the node being built.
    int32_t current() const { return id; }

private:
    ggml_tensor * build_node(const Node & node);
    // How often `node` is read by what the node being built depends on.
    int32_t                          readings_before(int32_t node) const;
    const fused::Plan *              plan() const; // null: every node is built by itself
    bool                             is_fused(int32_t node) const;
    bool                             is_bundled(int32_t node) const;
    void                             build(const fused::Program & program);
    void                             build_bundle(int32_t index);
    template <typename Outputs> void place(const Outputs & outputs, int64_t numbers_per_row,
                                           std::span<ggml_tensor * const> operands, ggml_custom_op_t kernel,
                                           int threads, void * data);
    ggml_tensor *                    output(int32_t node);
    ggml_tensor *                    host_written(int32_t input, ggml_tensor * tensor);

    Built                      built;
    ggml_tensor *              guides;
    bundles::Bundles *         bundles;
    std::vector<ggml_tensor *> made_values; // by input: what is made of what the host writes
    std::vector<ggml_tensor *> values;
    std::vector<int32_t>       uses;
    int32_t                    id = 0;
};

// Builds for devices of a family into `context`, which needs room for max_tensors() tensors. `logits` is f32 [V, R]. The logits of
// guides are rows of `guides`, f32 [V, any]; without it the host writes them, f32 [V, R]. A trial has no `columns`. Without `bundles`
// the CPU computes small ops one by one.
Built build_graph(ggml_context * context, const BoundGraph & bound, int64_t rows, ggml_tensor * logits, Family family,
                  ggml_tensor * guides = nullptr, const Columns * columns = nullptr,
                  bundles::Bundles * bundles = nullptr);

// An upper bound of the number of tensors that a build creates, and that one node is built of.
size_t max_tensors(const BoundGraph & bound);
size_t max_tensors(const Node & node);

// Whether a node of a built graph only names data of another, and computes nothing.
bool is_view(const ggml_tensor * tensor);

} // namespace ggsl
