// Three ways to pick a token for each row of the same logits: GGSL's graph, llama.cpp's samplers on the device, and
// llama.cpp's samplers on the CPU. Each does the work per token of a program that generates text.
#pragma once

#include "graph/backend.h"
#include "graph/bundles/bundles.h"
#include "graph/graph.h"
#include "llama/sampler_spec.h"
#include "cases.h"
#include "device.h"

#include <functional>

namespace ggsl::tools {

// Microseconds for one token of every row.
struct Phases {
    double upload   = 0.0; // uniforms, draws, inputs
    double compute  = 0.0;
    double download = 0.0;

    double total() const { return upload + compute + download; }
};

// The model's output: f32 [V, R] on the device, where samplers find it.
class Logits {
public:
    Logits(const Device & device, const Case & c);

    ggml_tensor * tensor() const { return values; }
    // Samplers may write into the logits (llama.cpp's penalties do). A model computes new ones for every token.
    void restore() const;

private:
    const Case &  source;
    ContextPtr    context;
    BufferPtr     buffer;
    ggml_tensor * values = nullptr;
};

class Runner {
public:
    virtual ~Runner() = default;

    virtual Phases run() = 0;
    // The picked tokens of the latest run, one per row; -1 if none was picked.
    virtual std::vector<int32_t> tokens() const = 0;
    virtual size_t               upload_bytes() const { return 0; }
    virtual size_t               readback_bytes() const = 0;
};

// A runner with a graph on the device.
class GraphRunner : public Runner {
public:
    Phases run() override;
    size_t readback_bytes() const override { return bytes_back; }

    ggml_cgraph * graph() const { return cgraph; }
    size_t        nodes() const { return static_cast<size_t>(ggml_graph_n_nodes(cgraph)); }
    size_t        nodes_without_views() const;
    // Whether a node overwrites the logits.
    bool writes_logits() const;

    virtual void upload() = 0;

protected:
    GraphRunner(const Device & device, const Logits & logits) : device(device), logits(logits.tensor()) {}

    void start_graph(size_t max_nodes);
    void allocate();
    // Copies `bytes` of a tensor to the host after every run.
    void * read_back(const ggml_tensor * tensor, size_t offset, size_t bytes);

    const Device &          device;
    ggml_tensor * const     logits;
    std::vector<ContextPtr> contexts;

private:
    struct Copy {
        const ggml_tensor *  tensor;
        size_t               offset;
        std::vector<uint8_t> bytes;
    };
    AllocatorPtr      allocator;
    ggml_cgraph *     cgraph = nullptr;
    std::vector<Copy> copies;
    size_t            bytes_back = 0;
};

// GGSL's graph: one subgraph for all rows.
class GgslRunner : public GraphRunner {
public:
    // Built as for devices of `family`, unless it `bundles` with small ops one by one. Throws Failure (UNSUPPORTED_OP, INVALID_ARGUMENT,
    // OUT_OF_MEMORY).
    GgslRunner(const Device & device, const Logits & logits, const Case & c, bool bundles = true);
    GgslRunner(const Device & device, const Logits & logits, const Case & c, Family family, bool bundles = true);

    void                 upload() override;
    std::vector<int32_t> tokens() const override;
    size_t               upload_bytes() const override { return bytes_in; }
    const Built &        tensors() const { return built; }

private:
    const Case &                      source;
    std::unique_ptr<bundles::Bundles> bundled; // small ops on the CPU
    Built                             built;
    std::vector<float>                transposed; // a uniform is one row of the tensor, over the sequences
    size_t                            bytes_in = 0;
    std::vector<const void *>         sampled;
};

// llama.cpp's samplers on the device: a chain per row, in one graph, called as llama.cpp's graph code does.
// Reads back every non-null output of a chain, as llama_context does.
class LlamaRunner : public GraphRunner {
public:
    LlamaRunner(const Device & device, const Logits & logits, const Case & c);

    // Stages that do not run on this device; if there are any, nothing runs.
    const std::vector<std::string> & missing() const { return without; }

    void                 upload() override;
    std::vector<int32_t> tokens() const override;
    // Without the copies of rows that llama.cpp makes beside the token.
    size_t token_bytes() const { return sampled.size() * sizeof(int32_t); }

private:
    void build_row(llama_sampler * chain, int64_t row, int64_t rows);

    std::vector<SamplerPtr>   chains;
    std::vector<std::string>  without;
    std::vector<const void *> sampled;
};

// llama.cpp's samplers on the CPU: a chain per row. Logits of a device that the host cannot read are copied first.
class HostRunner : public Runner {
public:
    HostRunner(const Device & device, const Logits & logits, const Case & c);

    Phases               run() override;
    std::vector<int32_t> tokens() const override { return picked; }
    size_t               readback_bytes() const override { return downloaded.size() * sizeof(float); }

private:
    const Device &                device;
    ggml_tensor * const           logits;
    const Case &                  source;
    std::vector<SamplerPtr>       chains;
    std::vector<float>            downloaded;
    std::vector<llama_token_data> candidates;
    std::vector<int32_t>          picked;
};

// Microseconds of a monotonic clock.
double now();

} // namespace ggsl::tools
