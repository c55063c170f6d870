// The chains of the texts of a loop.
#pragma once

#include "loop/chain.h"

namespace ggsl::loop {

struct OpenChain {
    std::shared_ptr<const Chain> chain;
    std::shared_ptr<const Graph> graph; // one for all chains with the same
};

class Chains {
public:
    explicit Chains(const std::shared_ptr<Model> & model) : place(patient_place_of(model)) {}

    // Throws Failure (UNSUPPORTED, INVALID_ARGUMENT).
    OpenChain open(const std::shared_ptr<const c::Spec> & spec);

private:
    c::Place               place;
    std::vector<OpenChain> known; // the latest last
};

} // namespace ggsl::loop
