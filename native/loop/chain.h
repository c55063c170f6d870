// A chain in the vocabulary of a model.
#pragma once

#include "graph/graph.h"
#include "llama/model.h"
#include "sequence/sequence.h"

namespace ggsl::loop {

// Shared by its texts.
class Chain {
public:
    // Throws Failure (INVALID_SPEC, INVALID_ARGUMENT).
    Chain(const c::Place & place, std::string_view spec);
    // Throws Failure (INVALID_ARGUMENT).
    Chain(c::Place place, std::shared_ptr<const c::Spec> spec);

    const std::shared_ptr<const c::Spec> &    spec() const { return read; }
    const std::shared_ptr<const c::Lookups> & lookups() const { return looked_up; }

    // For a context, with the columns of its constant inputs.
    std::shared_ptr<const Graph> graph() const;

private:
    std::shared_ptr<const c::Spec>    read;
    std::shared_ptr<const c::Lookups> looked_up;
};

// Where texts of a model look up tokens; their grammars are given as positions.
c::Place place_of(const std::shared_ptr<Model> & model);
// The same for texts that open their grammars, and wait for what these allow.
c::Place patient_place_of(const std::shared_ptr<Model> & model);

} // namespace ggsl::loop
