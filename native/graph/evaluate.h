// A graph on plain logits, without a model: built once for a vocabulary size and a number of rows, run many times.
#pragma once

#include "bundles/bundles.h"
#include "columns.h"
#include "graph.h"
#include "owned.h"

#include <ggml-alloc.h>
#include <ggml-backend.h>

#include <memory>
#include <span>
#include <string>
#include <variant>

namespace ggsl {

// Numbers for one run, row after row: `logits` has R x V, `uniforms` R x U, `inputs[i]` R x its dim (entry 0 is unused).
using Values = std::variant<std::monostate, std::span<const float>, std::span<const int32_t>>;

struct Feeds {
    std::span<const float> logits;
    std::span<const float> uniforms;
    std::vector<Values>    inputs;
};

// The values of a tapped node, by its dtype.
using TapValues = std::variant<std::vector<float>, std::vector<int32_t>>;

// Row after row; empty if the graph lacks that output.
struct Results {
    std::vector<int32_t>   sampled;    // R
    std::vector<int32_t>   candidates; // R x k
    std::vector<float>     logits;     // R x k
    std::vector<float>     probs;      // R x k
    std::vector<float>     states;     // R x S
    std::vector<TapValues> taps;       // R x dim each
};

// Checks uniforms and inputs of one graph: sizes, dtypes, finite uniforms, token ids inside the vocabulary.
// Throws Failure (INVALID_ARGUMENT).
void check_uniforms(const BoundGraph & bound, std::span<const float> uniforms, int64_t rows);
void check_input(const BoundGraph & bound, size_t index, const Values & values, int64_t rows);

// Throws Failure (INVALID_LOGITS) that names the first token whose logit is NaN or +inf.
void check_logits(std::span<const float> logits, size_t vocab_size);

class Evaluator {
public:
    // Built for devices of `family`, which differs from the device's own only to test its rewrites; unless it `fuses`, the CPU computes
    // wide ops one by one, unless it `bundles`, small ones.
    Evaluator(const Graph & graph, int32_t vocab_size, int64_t rows, ggml_backend_dev_t device, int threads);
    Evaluator(const Graph & graph, int32_t vocab_size, int64_t rows, ggml_backend_dev_t device, int threads,
              Family family, bool fuses = true, bool bundles = true);
    ~Evaluator();

    Results run(const Feeds & feeds);

    // Where the device reads the logits, for a caller that writes them there before a run instead of having them copied; empty if
    // the host cannot write there.
    std::span<float> logits_memory() const;

    const BoundGraph &             bound_graph() const { return bound; }
    size_t                         nodes() const { return built.nodes; }
    size_t                         nodes_without_views() const { return built.nodes_without_views; }
    const std::vector<Rewritten> & rewritten() const { return built.rewritten; }

private:
    template <typename T> std::vector<T> read(const ggml_tensor * tensor) const;
    void                                 write(ggml_tensor * tensor, const void * data) const;
    void                                 write_uniforms(std::span<const float> values);
    std::vector<float>                   read_states() const;
    std::vector<TapValues>               read_taps() const;

    BoundGraph                             bound;
    std::unique_ptr<bundles::Bundles>      bundled; // null unless it bundles
    int64_t                                rows;
    Owned<ggml_backend, ggml_backend_free> backend;
    Owned<ggml_context, ggml_free>         context;
    Owned<ggml_gallocr, ggml_gallocr_free> allocator;
    ggml_cgraph *                          cgraph = nullptr;
    std::unique_ptr<Columns>               columns; // those of a graph that has none yet are missing
    Built                                  built;
    std::vector<float>                     transposed;
};

} // namespace ggsl
