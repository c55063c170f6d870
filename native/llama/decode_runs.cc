// Context::decode of sequences with a cache each: neighbours with equally many tokens at a time.
#include "graph/failure.h"
#include "context.h"

#include <algorithm>
#include <string_view>

namespace ggsl {

namespace {

// A row more takes 0.15 to 0.3 of a decode.
constexpr int32_t most_idle = 4;
// A sequence with a longer text than the others would hold them up.
constexpr int32_t longer = 256;
// A chain of as many is cheap; a sequence with another one takes part only beside one that has it, too.
constexpr size_t few_nodes = 40;

} // namespace

// Whether a sequence without a token in the batch can have one that nobody reads: one with a short text, and a chain that adds little.
bool Context::may_take_part(int32_t sequence, const Batch & batch) const {
    const auto chain = chains.find(sequence);
    const auto held  = extent(sequence).held;
    const auto last  = *std::max_element(batch.positions.begin(), batch.positions.end());
    if (held > last + longer || held >= sequence_size() || chain == chains.end() ||
        !chain->second.sampler->is_ready() || batch.source_of(sequence) != sequence) {
        return false;
    }
    const std::shared_ptr<SamplerGroup> & group = chain->second.sampler->shared_group();
    return group->bound_graph().graph.nodes.size() <= few_nodes ||
           std::any_of(batch.sequences.begin(), batch.sequences.end(),
                       [&](int32_t other) { return group->find(other) != nullptr; });
}

// Of each sequence with a cache of its own: neighbours with equally many tokens at a time.
std::vector<Output> Context::decode_runs(const Batch & batch) {
    std::vector<Output> found;
    std::vector<size_t> places; // in the batch, of those found
    try {
        const Stages stages = split_beginnings(batch.sequences, batch.outputs);
        decode_stage(batch, stages.beginnings, false, found, places);
        decode_stage(batch, stages.rest, true, found, places);
    } catch (const Failure & failure) {
        if (std::string_view(failure.code) == code::aborted || std::string_view(failure.code) == code::compute_failed) {
            clear_sequences(batch);
        }
        throw;
    }
    return in_order(std::move(found), places);
}

// `fills`: whether sequences between others take part.
void Context::decode_stage(const Batch & batch, const std::vector<size_t> & tokens, bool fills,
                           std::vector<Output> & found, std::vector<size_t> & places) {
    std::vector<int32_t> sequences;
    for (const size_t i : tokens) {
        sequences.push_back(batch.sequences[i]);
    }
    auto runs = split_into_runs(sequences, llama_n_batch(context.get()), most_idle,
                                [&](int32_t sequence) { return fills && may_take_part(sequence, batch); });
    for (Run & run : runs) {
        for (size_t & token : run.tokens) {
            token = tokens[token];
        }
        decode_run(batch, run, found);
        for (const size_t i : run.tokens) {
            places.insert(places.end(), batch.outputs_at(i), i);
        }
    }
}

void Context::decode_run(const Batch & batch, const Run & run, std::vector<Output> & outputs) {
    struct Idle {
        Context &            context;
        const Run &          run;
        std::vector<int32_t> held;
        ~Idle() {
            for (size_t i = 0; i < held.size(); ++i) {
                llama_memory_seq_rm(llama_get_memory(context.context.get()), run.idle[i], held[i], -1);
            }
        }
    } idle{ *this, run, {} };
    Batch      part;
    auto       next     = run.idle.begin();
    const auto add_idle = [&](int32_t before) {
        for (; next != run.idle.end() && *next < before; ++next) {
            idle.held.push_back(extent(*next).held);
            part.add(0, idle.held.back(), *next, unread_output);
        }
    };
    for (const size_t i : run.tokens) {
        add_idle(batch.sequences[i]);
        part.add(batch, i);
    }
    part.followers = batch.followers;
    decode_parts(part, 0, outputs);
}

} // namespace ggsl
