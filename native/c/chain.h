// A loaded chain, and what is prepared of it for each model.
#pragma once

#include "include/ggsl.h"
#include "sequence/lookups.h"

#include "graph/bind.h"
#include "graph/columns.h"
#include "llama/model.h"

#include <mutex>

namespace ggsl::c {

// A chain for a model: shared by all samplers of both.
struct Prepared {
    std::shared_ptr<const Spec>       spec;
    std::shared_ptr<Model>            model;
    std::shared_ptr<const Lookups>    lookups;
    std::shared_ptr<const Graph>      graph; // with its columns
    std::shared_ptr<const BoundGraph> bound;

    // The columns of constant inputs on a device, uploaded once. Throws Failure (OUT_OF_MEMORY).
    std::shared_ptr<const Columns> columns(ggml_backend_buffer_type_t type) const;

private:
    mutable std::mutex                                                           mutex;
    mutable std::map<ggml_backend_buffer_type_t, std::shared_ptr<const Columns>> on_device;
};

} // namespace ggsl::c

struct ggsl_chain {
    explicit ggsl_chain(ggsl::c::Spec given) : spec(std::make_shared<const ggsl::c::Spec>(std::move(given))) {}

    const std::shared_ptr<const ggsl::c::Spec> spec;

    // Throws Failure (INVALID_GRAPH, INVALID_ARGUMENT).
    std::shared_ptr<const ggsl::c::Prepared> prepared(llama_model * model) const;

private:
    struct Known {
        llama_model *                            model;
        uint64_t                                 fingerprint;
        std::shared_ptr<const ggsl::c::Prepared> prepared;
    };

    mutable std::mutex         mutex;
    mutable std::vector<Known> known; // the latest last
};
