// Context::decode: runs a batch through the model and collects the results.
#include "graph/backend.h"
#include "graph/failure.h"
#include "context.h"

#include <algorithm>
#include <numeric>

namespace ggsl {

namespace {

// llama_decode returns this if the abort callback has stopped it.
constexpr int32_t aborted_status = 2;

} // namespace

void Context::check_batch(const Batch & batch) const {
    const size_t count = batch.tokens.size();
    if (batch.positions.size() != count || batch.sequences.size() != count || batch.outputs.size() != count) {
        fail(code::invalid_argument, "tokens, positions, sequences and outputs have different lengths");
    }
    if (count == 0) {
        fail(code::invalid_argument, "the batch is empty");
    }
    std::map<int32_t, size_t> rows;
    for (size_t i = 0; i < count; ++i) {
        const int32_t sequence = batch.sequences[i];
        check_sequence(sequence);
        if (batch.tokens[i] < 0 || batch.tokens[i] >= model->vocab_size()) {
            fail(code::invalid_argument, "token %d is outside the vocabulary of %d", batch.tokens[i],
                 model->vocab_size());
        }
        if (batch.positions[i] < 0) {
            fail(code::invalid_argument, "position: expected 0 or more, found %d", batch.positions[i]);
        }
        if (batch.positions[i] >= sequence_size()) {
            fail(code::context_full,
                 "the context size is %d, but a token has position %d: shorten the prompt or set a larger "
                 "context size",
                 sequence_size(), batch.positions[i]);
        }
        if (batch.outputs[i] > raw_output) {
            fail(code::invalid_argument, "outputs: expected 0, 1 or 2, found %d", static_cast<int>(batch.outputs[i]));
        }
        if (batch.outputs[i] != 0 && chains.count(sequence) > 0) {
            ++rows[sequence];
        }
    }
    for (const auto & [sequence, row_count] : rows) {
        chains.at(sequence).sampler->check_ready(row_count);
    }
    check_guides(rows);
    check_followers(batch, rows);
}

void Context::check_guides(const std::map<int32_t, size_t> & rows) const {
    size_t total     = 0;
    bool   are_there = false;
    for (const auto & [sequence, row_count] : rows) {
        total += row_count;
        const Sampler & reader = *chains.at(sequence).sampler;
        const size_t    count  = reader.shared_group()->bound_graph().graph.inputs.size();
        for (size_t input = 1; !reader.is_guide() && input < count; ++input) {
            const int32_t guide = reader.guide(input);
            if (guide < 0) {
                continue;
            }
            const Sampler * found = reader.shared_group()->find(guide);
            if (found == nullptr || !found->is_guide()) {
                fail(code::invalid_argument,
                     "sequence %d cannot guide sequence %d: it needs the same chain, as a guide", guide, sequence);
            }
            are_there             = true;
            const auto guide_rows = rows.find(guide);
            if (guide_rows == rows.end()) {
                fail(code::invalid_argument, "sequence %d has an output, but its guide, sequence %d, has none",
                     sequence, guide);
            }
            if (guide_rows->second != row_count) {
                fail(code::invalid_argument, "sequence %d has %zu outputs, but its guide, sequence %d, has %zu",
                     sequence, row_count, guide, guide_rows->second);
            }
            if (row_count > static_cast<size_t>(options.rows)) {
                fail(code::invalid_argument,
                     "sequence %d and its guide have %zu outputs, but a graph of this context has at most %d of one "
                     "sequence",
                     sequence, row_count, options.rows);
            }
        }
    }
    if (are_there && total > output_limit) {
        fail(code::invalid_argument,
             "the batch has %zu outputs and guides, but a graph of this context has at most %zu outputs", total,
             output_limit);
    }
}

bool Context::has_guides(const Batch & batch) const {
    for (size_t i = 0; i < batch.tokens.size(); ++i) {
        const auto chain = chains.find(batch.sequences[i]);
        if (batch.outputs[i] != 0 && chain != chains.end() && chain->second.sampler->has_guides()) {
            return true;
        }
    }
    return false;
}

namespace {

// Tokens whose outputs can be computed last: no token of their sequence without an output follows.
std::vector<bool> last_outputs(const Batch & batch) {
    std::vector<bool> are_last(batch.tokens.size());
    std::set<int32_t> passed;
    for (size_t i = batch.tokens.size(); i-- > 0;) {
        are_last[i] = batch.outputs[i] != 0 && passed.count(batch.sequences[i]) == 0;
        if (!are_last[i]) {
            passed.insert(batch.sequences[i]);
        }
    }
    return are_last;
}

Batch picked(const Batch & from, const std::vector<size_t> & order) {
    Batch batch;
    for (const size_t i : order) {
        batch.add(from, i);
    }
    batch.followers = from.followers;
    return batch;
}

} // namespace

// Outputs by their places in a batch.
std::vector<Output> in_order(std::vector<Output> outputs, const std::vector<size_t> & places) {
    std::vector<size_t> by_place(places.size());
    std::iota(by_place.begin(), by_place.end(), size_t{ 0 });
    std::stable_sort(by_place.begin(), by_place.end(), [&](size_t a, size_t b) { return places[a] < places[b]; });
    std::vector<Output> ordered;
    for (const size_t at : by_place) {
        ordered.push_back(std::move(outputs[at]));
    }
    return ordered;
}

std::vector<Output> Context::decode(const Batch & batch) {
    struct Finish {
        Context &     context;
        const int64_t builds = context.counters->graph_builds;
        ~Finish() {
            // An abort request applies to one decode, and may arrive before the decode starts.
            context.abort_requested = false;
            if (context.counters->graph_builds != builds || context.options.placement == Placement::host) {
                context.chain_stats.reset();
            }
        }
    } const finish{ *this };
    check_batch(batch);

    for (auto & [sequence, chain] : chains) {
        chain.sampler->first_row   = 0;
        chain.sampler->active_rows = 0;
    }

    std::vector<Output> outputs = has_own_caches() ? decode_runs(batch) : decode_at_once(batch);
    copy_to_followers(batch);
    return outputs;
}

std::vector<Output> Context::decode_at_once(const Batch & batch) {
    // Sequences and their guides must be part of one graph, so the last tokens of a batch that is too large for one are a part of
    // their own: there are at most as many as outputs.
    std::vector<Output> outputs;
    if (batch.tokens.size() <= llama_n_batch(context.get()) || !has_guides(batch)) {
        decode_parts(batch, 0, outputs);
        return outputs;
    }
    const std::vector<bool> are_last = last_outputs(batch);
    std::vector<size_t>     order;
    for (const bool last : { false, true }) {
        for (size_t i = 0; i < are_last.size(); ++i) {
            if (are_last[i] == last) {
                order.push_back(i);
            }
        }
    }
    const Batch sorted = picked(batch, order);
    decode_parts(sorted, are_last.size() - static_cast<size_t>(std::count(are_last.begin(), are_last.end(), true)),
                 outputs);

    std::vector<size_t> places;
    for (const size_t i : order) {
        places.insert(places.end(), batch.outputs_at(i), i);
    }
    return in_order(std::move(outputs), places);
}

// `boundary`: where a part must end; 0 for none.
void Context::decode_parts(const Batch & batch, size_t boundary, std::vector<Output> & outputs) {
    // A part ends when it is full, or has as many outputs as a graph can have. Of a model that computes each sequence alone, each
    // sequence is a part: the states of a chain are read right after its graph has run.
    const bool                recurrent = model->is_recurrent();
    std::map<int32_t, size_t> rows;
    size_t                    total = 0;
    const size_t              limit = llama_n_batch(context.get());
    size_t                    begin = 0;
    for (size_t i = 0; i < batch.tokens.size(); ++i) {
        const bool has_output = batch.outputs[i] != 0;
        const bool full =
            has_output && (total == output_limit || rows[batch.sequences[i]] == static_cast<size_t>(options.rows));
        const bool other = recurrent && batch.sequences[i] != batch.sequences[begin];
        const bool split = boundary > 0 && i == boundary;
        if (i - begin == limit || full || other || split) {
            decode_part(batch, begin, i, outputs);
            begin = i;
            rows.clear();
            total = 0;
        }
        if (has_output) {
            ++rows[batch.sequences[i]];
            ++total;
        }
    }
    decode_part(batch, begin, batch.tokens.size(), outputs);
}

void Context::decode_part(const Batch & batch, size_t begin, size_t end, std::vector<Output> & outputs) {
    for (auto & [sequence, chain] : chains) {
        chain.sampler->first_row += std::exchange(chain.sampler->active_rows, 0);
        chain.sampler->source = nullptr;
        chain.sampler->followers.clear();
        chain.sampler->shared_group()->begin_batch();
        chain.sampler->shared_group()->take_uploads();
    }
    latest_outputs.clear();
    std::vector<size_t> rows(end - begin); // of tokens with an output whose sequence has a chain
    bool                has_followers = false;
    for (size_t i = begin; i < end; ++i) {
        const int32_t sequence = batch.sequences[i];
        const auto    chain    = chains.find(sequence);
        if (batch.outputs[i] != 0 && chain != chains.end()) {
            rows[i - begin]                               = chain->second.sampler->active_rows++;
            latest_outputs[{ sequence, rows[i - begin] }] = static_cast<int32_t>(i - begin);
            has_followers                                 = begin_followers(batch, sequence) || has_followers;
        }
    }
    build_for_followers(has_followers);
    compute(batch, begin, end);
    check_one_graph(batch);
    for (size_t i = begin; i < end; ++i) {
        if (batch.outputs[i] != 0 && batch.outputs[i] != unread_output) {
            const auto index = static_cast<int32_t>(i - begin);
            outputs.push_back(read_output(index, batch.sequences[i], rows[i - begin], batch.outputs[i]));
            for (const Follower & follower : batch.followers) {
                if (follower.source == batch.sequences[i]) {
                    outputs.push_back(read_output(index, follower.sequence, 0, 1));
                }
            }
        }
    }
}

void Context::compute(const Batch & batch, size_t begin, size_t end) {
    llama_batch & memory = llama_batch_memory;
    memory.n_tokens      = static_cast<int32_t>(end - begin);
    for (size_t i = begin; i < end; ++i) {
        const size_t at      = i - begin;
        memory.token[at]     = batch.tokens[i];
        memory.pos[at]       = batch.positions[i];
        memory.n_seq_id[at]  = 1;
        memory.seq_id[at][0] = batch.sequences[i];
        memory.logits[at]    = static_cast<int8_t>(batch.outputs[i] != 0);
    }

    const LogCapture log;
    int32_t          status = aborted_status;
    try {
        if (!abort_requested) {
            counters->is_decoding = true;
            status                = llama_decode(context.get(), memory);
            llama_synchronize(context.get());
            counters->is_decoding = false;
        }
    } catch (const std::exception & e) {
        counters->is_decoding = false;
        clear_sequences(batch);
        fail(code::compute_failed, "llama.cpp failed to compute the batch: %s", e.what());
    }
    switch (status) {
        case 0: return;
        case 1:
            fail(code::context_full, "the context of %d tokens is full: remove a sequence or set a larger context size",
                 context_size());
        case aborted_status:
            clear_sequences(batch);
            fail(code::aborted, "decoding was aborted; the sequences of the batch are empty now");
        case -1: fail(code::invalid_argument, "llama.cpp rejects the batch%s", log.suffix().c_str());
        default:
            clear_sequences(batch);
            fail(code::compute_failed, "llama.cpp failed to compute the batch (status %d)%s", status,
                 log.suffix().c_str());
    }
}

// llama.cpp splits a batch for which its cache has no room at once. The results of all graphs but the last are lost then.
void Context::check_one_graph(const Batch & batch) {
    for (const auto & [sequence, chain] : chains) {
        if (chain.sampler->is_active() && chain.sampler->shared_group()->take_uploads() > 1) {
            clear_sequences(batch);
            fail(code::compute_failed, "llama.cpp split the batch into several graphs: set a larger context size");
        }
    }
}

void Context::clear_sequences(const Batch & batch) {
    for (size_t i = 0; i < batch.sequences.size(); ++i) {
        if (batch.outputs[i] != unread_output) {
            llama_memory_seq_rm(llama_get_memory(context.get()), batch.sequences[i], -1, -1);
        }
    }
    for (const Follower & follower : batch.followers) {
        llama_memory_seq_rm(llama_get_memory(context.get()), follower.sequence, -1, -1);
    }
}

Output Context::read_output(int32_t index, int32_t sequence, size_t row, uint8_t wanted) {
    Output     output{ sequence, {}, {} };
    const auto found   = chains.find(sequence);
    const bool has_raw = wanted == raw_output && found != chains.end();
    if (found == chains.end()) {
        const float * logits  = llama_get_logits_ith(context.get(), index);
        output.results.logits = std::vector<float>(logits, logits + model->vocab_size());
        check_output(output.results.logits, sequence);
    } else if (options.placement == Placement::graph) {
        if (options.check_logits || has_raw) {
            output.raw = found->second.sampler->read_logits(row);
            check_output(output.raw, sequence);
        }
        if (!found->second.sampler->is_guide()) {
            output.results = found->second.sampler->read_results(row);
        }
    } else {
        if (has_raw) {
            const float * logits = llama_get_logits_ith(context.get(), index);
            output.raw.assign(logits, logits + model->vocab_size());
        }
        if (!found->second.sampler->is_guide()) {
            found->second.sampler->host_row = found->second.sampler->first_row + row;
            give_guides(*found->second.sampler, row);
            run_tail(index, found->second, output.results);
        }
    }

    for (const int32_t token : output.results.sampled) {
        if (token < 0 || token >= model->vocab_size()) {
            fail(code::invalid_logits, "sequence %d sampled token %d of %d: the model's logits are not numbers",
                 sequence, token, model->vocab_size());
        }
    }
    if (!has_raw) {
        output.raw.clear();
    }
    return output;
}

void Context::check_output(std::span<const float> logits, int32_t sequence) const {
    if (!options.check_logits) {
        return;
    }
    try {
        ggsl::check_logits(logits, logits.size());
    } catch (const Failure & failure) {
        fail(failure.code, "sequence %d: %s", sequence, failure.what());
    }
}

void Context::give_guides(Sampler & sampler, size_t row) {
    const size_t count = sampler.shared_group()->bound_graph().graph.inputs.size();
    for (size_t input = 1; input < count; ++input) {
        if (const int32_t guide = sampler.guide(input); guide >= 0) {
            const float * logits = llama_get_logits_ith(context.get(), latest_outputs.at({ guide, row }));
            sampler.give_guide(input, { logits, static_cast<size_t>(model->vocab_size()) });
        }
    }
}

void Context::run_tail(int32_t index, const Chain & chain, Results & results) {
    const float * logits = llama_get_logits_ith(context.get(), index);
    candidates.resize(static_cast<size_t>(model->vocab_size()));
    for (size_t token = 0; token < candidates.size(); ++token) {
        candidates[token] = { static_cast<llama_token>(token), logits[token], 0.0f };
    }
    llama_token_data_array array{ candidates.data(), candidates.size(), -1, false };
    llama_sampler_apply(chain.chain.get(), &array);
    if (!chain.sampler->host_error().empty()) {
        throw Failure(code::invalid_logits, chain.sampler->host_error());
    }
    results = chain.sampler->host_results();
}

} // namespace ggsl
