// Context::decode of sequences whose text is that of another one: their chains read its logits.
#include "graph/failure.h"
#include "context.h"

#include <llama-ext.h> // a private header of the release that this is linked to

#include <algorithm>

namespace ggsl {

int32_t Batch::source_of(int32_t sequence) const {
    const auto found = std::find_if(followers.begin(), followers.end(),
                                    [&](const Follower & follower) { return follower.sequence == sequence; });
    return found == followers.end() ? sequence : found->source;
}

size_t Batch::outputs_at(size_t i) const {
    const auto follow = std::count_if(followers.begin(), followers.end(),
                                      [&](const Follower & follower) { return follower.source == sequences[i]; });
    return outputs[i] == 0 ? 0 : 1 + static_cast<size_t>(follow);
}

// `rows`: how many outputs each sequence with a chain has.
void Context::check_followers(const Batch & batch, const std::map<int32_t, size_t> & rows) const {
    std::set<int32_t> known(batch.sequences.begin(), batch.sequences.end());
    for (const auto & [sequence, source] : batch.followers) {
        check_sequence(sequence);
        if (!known.insert(sequence).second) {
            fail(code::invalid_argument, "sequence %d follows another one, and has tokens or follows twice", sequence);
        }
        const auto count = rows.find(source);
        const auto last  = std::find(batch.sequences.rbegin(), batch.sequences.rend(), source);
        if (count == rows.end() || count->second != 1 ||
            *(batch.outputs.rbegin() + (last - batch.sequences.rbegin())) == 0) {
            fail(code::invalid_argument,
                 "sequence %d follows sequence %d, which needs a chain and one output, after its last token", sequence,
                 source);
        }
        const auto chain = chains.find(sequence);
        for (const auto & reader : { chain, chains.find(source) }) {
            if (reader == chains.end() || reader->second.sampler->is_guide() || reader->second.sampler->has_guides()) {
                fail(code::invalid_argument, "sequence %d cannot follow sequence %d: both need a chain without guides",
                     sequence, source);
            }
        }
        chain->second.sampler->check_ready(1);
    }
}

// Those of a sequence with an output in the next part; false if there are none.
bool Context::begin_followers(const Batch & batch, int32_t source) {
    bool are_there = false;
    for (const Follower & follower : batch.followers) {
        if (follower.source == source) {
            Sampler & sampler   = *chains.at(follower.sequence).sampler;
            sampler.active_rows = 1;
            sampler.source      = chains.at(source).sampler;
            chains.at(source).sampler->followers.push_back(&sampler);
            are_there = true;
        }
    }
    return are_there;
}

// llama.cpp computes its latest graph again for a batch with equal tokens, and does not know who follows. The offset is read by graphs that
// draft, and by the comparison with the latest graph.
void Context::build_for_followers(bool are_there) {
    if (are_there || had_followers) {
        builds_offset = 1 - builds_offset;
        llama_set_nextn_layer_offset(context.get(), builds_offset);
    }
    had_followers = are_there;
}

void Context::copy_to_followers(const Batch & batch) {
    try {
        for (const auto & [sequence, source] : batch.followers) {
            if (extent(sequence).held != extent(source).held) {
                copy(source, sequence);
            }
        }
    } catch (const Failure &) {
        clear_sequences(batch);
        throw;
    }
}

} // namespace ggsl
