// A chain in a model's graph, for one sampler. llama.cpp builds the graph of every sampler, whether its sequence has a row or not: those
// without one read row 0. So what the graph reads is memory of this object, valid at any time.
#pragma once

#include "chain.h"
#include "sequence/sequence.h"

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

    // Writes what the next run of the graph reads. Throws Failure (INVALID_ARGUMENT).
    void upload(const std::vector<float> & uniforms, const std::vector<Fed> & inputs);

    // The next values of the states and the measures, after a run.
    std::vector<float> scalars();

private:
    void   place(ggml_tensor * tensor, size_t at) const;
    size_t reserve(size_t numbers);

    std::shared_ptr<const Prepared>   prepared;
    std::shared_ptr<const Columns>    columns;
    std::unique_ptr<bundles::Bundles> bundles; // on the CPU
    BoundGraph                        probe;   // at llama.cpp's probe size
    Family                            family;
    ggml_backend_buffer_type_t        type;
    BufferPtr                         buffer;
    size_t                            size        = 0;
    size_t                            uniforms_at = 0; // in the buffer
    std::vector<size_t>               inputs_at;
    Built                             built; // its tensors live as long as llama.cpp's graph
    Readout                           readout;
};

} // namespace ggsl::c
