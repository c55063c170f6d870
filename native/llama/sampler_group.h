// All sequences of a context with the same chain: they share one subgraph over the rows of the model's logits, so the number
// of nodes does not grow with the number of sequences.
#pragma once

#include "graph/bundles/bundles.h"
#include "graph/columns.h"
#include "graph/evaluate.h"
#include "graph/graph.h"
#include "graph/readout.h"

#include <ggml-backend.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ggsl {

class Sampler;

// The work for one token of a sequence, or of a group.
struct SamplerStats {
    size_t                nodes               = 0;
    size_t                nodes_without_views = 0;
    size_t                readback_bytes      = 0;  // copied to the host per output
    size_t                reads               = 0;  // of the device, for a batch
    size_t                sequence_bytes      = 0;  // of device memory per sequence
    size_t                column_bytes        = 0;  // of columns that stay on the device, for all sequences together
    std::set<std::string> devices             = {}; // where the nodes ran
};

class SamplerGroup {
public:
    // On a CPU small ops are bundled for that many threads; 0: they are not. Throws Failure (INVALID_GRAPH) if the graph does not fit the
    // vocabulary.
    SamplerGroup(std::shared_ptr<const Graph> graph, int32_t vocab_size, int bundle_threads);

    void join(Sampler * member) { members.push_back(member); }
    void leave(Sampler * member) { std::erase(members, member); }

    // Throws Failure (INVALID_GRAPH, UNSUPPORTED_OP) if the graph cannot be part of a model's. The first call puts the columns of
    // constant inputs on the device; returns how many bytes it uploaded.
    size_t check(ggml_backend_buffer_type_t type);

    // A build of the model's graph: all members name their rows of the model's logits, then the subgraph over these rows is built.
    // `padded` are the logits with one more row.
    void reset();
    void add_row(int64_t row) { rows.push_back(row); }
    void build(ggml_context * context, ggml_cgraph * model_graph, ggml_tensor * padded, bool is_active);
    // The same at llama.cpp's probe size.
    void build_probe(ggml_context * context, ggml_cgraph * probe_graph, ggml_tensor * logits) const;

    // A new batch: the uniforms and inputs of its members are not on the device yet.
    void begin_batch();
    // How many of llama.cpp's graphs had outputs of its members since the last call.
    int64_t take_uploads() { return std::exchange(uploads, 0); }
    // Uploads those of all active members at once and returns their bytes; nothing if this batch's are already uploaded.
    std::optional<size_t> upload();

    // What the chain gave a member for one of its rows, after the batch was computed.
    Results results(const Sampler & member, size_t row) { return readout.row(place_of(member, row)); }

    // Whether small ops are bundled on a CPU.
    bool bundles_ops() const { return bundle_threads > 0; }

    // The member of a sequence; null if it is in another group.
    const Sampler * find(int32_t sequence) const;

    const BoundGraph &                   bound_graph() const { return bound; }
    const std::shared_ptr<const Graph> & source() const { return graph; }
    // Of the latest build.
    const SamplerStats & stats() const { return latest; }
    // The model's graph that the latest build is part of; null before it, and while llama.cpp builds another one.
    const ggml_cgraph * model_graph() const { return cgraph; }

private:
    // Return the bytes that they upload.
    template <typename T, typename Row> size_t upload_rows(ggml_tensor * tensor, Row row_of) const;
    size_t                                     upload_uniforms() const;
    size_t                                     upload_guide(size_t input) const;
    size_t                                     upload_rows_of_logits() const;
    ggml_tensor *                              rows_of(ggml_context * context, ggml_tensor * logits);
    void                                       add_followers();
    int64_t                                    place_of(const Sampler & member, size_t row) const;
    void                                       find_devices();

    std::shared_ptr<const Graph> graph;
    BoundGraph                   bound; // to the model's vocabulary
    BoundGraph                   probe; // to llama.cpp's probe size
    std::vector<Sampler *>       members;
    Family                       family = Family::cpu; // of the device that the subgraph is built for

    const int                         bundle_threads;
    std::unique_ptr<bundles::Bundles> bundles; // null if small ops are not bundled
    std::unique_ptr<Columns>          columns; // of the constant inputs, for all rows; before the builds that read them

    // Of the model's logits, in their order once the subgraph is built, then those that followers read.
    std::vector<int64_t>         rows;
    std::vector<const Sampler *> followers;
    Built                        built;                 // its tensors live as long as llama.cpp's graph
    Readout                      readout;               // of it
    ggml_tensor *                gathered    = nullptr; // the rows as i32, where they do not lie together
    const ggml_cgraph *          cgraph      = nullptr;
    bool                         is_uploaded = false;
    int64_t                      uploads     = 0;
    SamplerStats                 latest;
    bool                         devices_known = false; // buffers exist only after a build is computed
};

} // namespace ggsl
