// A chain in a model's graph, for one sampler. llama.cpp builds the graph of every sampler, once for each row that its sequence has, and
// for row 0 if it has none. So what the graph reads is memory of this object, valid at any time.
#pragma once

#include "sampler/ahead.h"

#include "graph/bundles/bundles.h"
#include "graph/readout.h"

#include <llama.h>

namespace ggsl::c {

class GraphPart {
public:
    // Throws Failure (UNSUPPORTED, UNSUPPORTED_OP, INVALID_GRAPH, OUT_OF_MEMORY) if the chain cannot be part of the graph.
    GraphPart(std::shared_ptr<const Prepared> prepared, ggml_backend_buffer_type_t type, uint32_t outputs_per_sequence);

    // One build: the real one, or llama.cpp's trial, whose logits are a tensor of their own.
    void build(ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data & data);
    void reset();

    // The most rows of a graph, and those of the latest one.
    size_t most_rows() const { return most; }
    size_t row_count() const { return rows.size(); }

    // Writes what the rows of the next run of the graph read. Throws Failure (INVALID_ARGUMENT).
    void upload(const std::vector<FedRow> & fed);

    // The next values of the states and the measures of a row, after a run.
    std::vector<float> scalars(size_t row);

private:
    struct Row {
        Built   built; // its tensors live as long as llama.cpp's graph
        Readout readout;
    };

    void   place(ggml_tensor * tensor, size_t row, size_t at) const;
    void   upload(Row & row, const FedRow & fed);
    size_t reserve(size_t numbers);

    std::shared_ptr<const Prepared>   prepared;
    std::shared_ptr<const Columns>    columns;
    std::unique_ptr<bundles::Bundles> bundles; // on the CPU
    BoundGraph                        probe;   // at llama.cpp's probe size
    Family                            family;
    ggml_backend_buffer_type_t        type;
    BufferPtr                         buffer;
    size_t                            most;
    size_t                            size        = 0; // of what one row reads
    size_t                            uniforms_at = 0; // in the buffer, from the row's beginning on
    std::vector<size_t>               inputs_at;
    std::vector<Row>                  rows;
};

} // namespace ggsl::c
