// What a chain is fed with for several outputs of a text in one batch: after the text, and after each token of a draft.
#pragma once

#include "chain.h"
#include "sequence/sequence.h"

#include "graph/evaluate.h"

namespace ggsl::c {

// What one row of the graph reads.
struct FedRow {
    std::vector<float> uniforms;
    std::vector<Fed>   inputs;

    bool operator==(const FedRow &) const = default;
};

FedRow row_of(const Sequence & sequence);

class Ahead {
public:
    // Throws Failure (UNSUPPORTED) for a chain whose next states depend on logits or columns: they are not known before the model runs.
    explicit Ahead(std::shared_ptr<const Prepared> prepared);

    // `count` rows. Where a draft has no more tokens, those that the chain may read are any. Throws Failure as Sequence::uniforms.
    std::vector<FedRow> rows(const Sequence & sequence, std::span<const int32_t> draft, size_t count);

private:
    // The scalars of the graph after a row, as far as a text keeps them.
    std::vector<float> scalars(const FedRow & row);

    std::shared_ptr<const Prepared> prepared;
    std::vector<float>              logits;    // that nothing depends on
    std::unique_ptr<Evaluator>      evaluator; // of the next states alone; null: the chain has none
};

} // namespace ggsl::c
