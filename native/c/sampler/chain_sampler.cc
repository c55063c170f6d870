#include "sampler/chain_sampler.h"

#include "error.h"
#include "settings.h"

#include <algorithm>
#include <cmath>

namespace ggsl::c {

namespace {

// Picks a token, of `rows` that were there before the chain dropped some.
void select(llama_token_data_array & candidates, size_t rows, int32_t token) {
    size_t at = 0;
    while (at < candidates.size && candidates.data[at].id != token) {
        ++at;
    }
    if (at == candidates.size) { // it was dropped
        at                  = std::min(at, rows - 1);
        candidates.size     = at + 1;
        candidates.data[at] = { token, -INFINITY, 0 };
        candidates.sorted   = false;
    }
    candidates.selected = static_cast<int64_t>(at);
}

} // namespace

ChainSampler::ChainSampler(std::shared_ptr<const Prepared> prepared)
    : sequence(prepared->spec, prepared->lookups), shared(std::move(prepared)),
      host(std::make_unique<HostPart>(shared, sequence)) {}

template <typename Work> void ChainSampler::noting(const Work & work) noexcept {
    try {
        work();
    } catch (const std::exception & error) {
        try {
            failure = failure.empty() ? error.what() : failure; // the first one explains the others
        } catch (const std::bad_alloc &) {
            failure = "no memory"; // short enough for the string itself
        }
    }
}

void ChainSampler::apply(llama_token_data_array & candidates) noexcept {
    evaluated    = Evaluated::on_host;
    was_in_graph = false;
    bool is_done = false;
    noting([&] {
        const size_t rows    = candidates.size;
        const auto   written = sequence.written();
        host->apply(sequence.uniforms(), sequence.inputs(), candidates);
        if (written) {
            select(candidates, rows, *written);
        }
        is_done = true;
    });
    if (!is_done) {
        evaluated = Evaluated::no;
        mark_end(candidates);
    }
}

// llama.cpp ends the process where no token is picked.
void ChainSampler::mark_end(llama_token_data_array & candidates) const noexcept {
    const llama_vocab * vocab = shared->model->vocab();
    candidates.selected       = candidates.size > 0 ? 0 : -1;
    for (size_t i = 0; i < candidates.size; ++i) {
        if (llama_vocab_is_eog(vocab, candidates.data[i].id)) {
            candidates.selected = static_cast<int64_t>(i);
            return;
        }
    }
}

std::vector<float> ChainSampler::scalars() {
    return evaluated == Evaluated::on_host ? host->scalars() : graph->scalars(row);
}

void ChainSampler::accept(int32_t token) noexcept {
    noting([&] {
        if (evaluated == Evaluated::otherwise) {
            evaluated = Evaluated::no;
            refuse(
                code::invalid_argument,
                "output " + std::to_string(row) +
                    " of the text in its batch was computed for another text than that before it: give the drafted "
                    "tokens to ggsl_sampler_draft before llama_decode, and set nothing between two tokens of a batch");
        }
        if (evaluated == Evaluated::no) {
            return accept_prompt({ &token, 1 });
        }
        check_tokens({ &token, 1 }, shared->model->vocab_size());
        const std::vector<float> values = scalars();
        const bool               is_row = evaluated == Evaluated::in_graph;
        evaluated                       = Evaluated::no;
        sequence.accept(token, values);
        host->accept(token);
        evaluated = is_row ? next_row(token) : Evaluated::no;
    });
}

// Whether the row after the one whose token was accepted gives the next one.
ChainSampler::Evaluated ChainSampler::next_row(int32_t token) {
    const bool is_refused = row < draft.size() && draft[row] != token;
    if (++row >= fed.size() || is_refused) {
        draft.clear();
        return Evaluated::no;
    }
    return fed[row] == row_of(sequence) ? Evaluated::in_graph : Evaluated::otherwise;
}

// The tokens of the draft are those that are likely to be accepted, and nothing is known of them yet.
void ChainSampler::set_draft(std::span<const int32_t> tokens) {
    check_tokens(tokens, shared->model->vocab_size());
    if (graph && tokens.size() >= graph->most_rows()) {
        refuse(code::invalid_argument, "expected at most " + std::to_string(graph->most_rows() - 1) +
                                           " drafted tokens, found " + std::to_string(tokens.size()) +
                                           ": the context has " + std::to_string(graph->most_rows()) +
                                           " outputs of a sequence in a batch "
                                           "(llama_context_params.n_outputs_max_per_seq), one of them for the text");
    }
    draft.assign(tokens.begin(), tokens.end());
}

void ChainSampler::accept_prompt(std::span<const int32_t> tokens) {
    check_tokens(tokens, shared->model->vocab_size());
    draft.clear();
    host->accept_prompt(tokens);
    sequence.accept_prompt(tokens);
}

void ChainSampler::restart() noexcept {
    failure.clear();
    draft.clear();
    evaluated = Evaluated::no;
    noting([&] {
        sequence.restart();
        host->restart(sequence);
    });
}

// Whether the host tail has the parameter's value.
bool ChainSampler::reads(size_t param) const {
    const auto & tail = spec().tail;
    return std::any_of(tail.begin(), tail.end(), [&](const TailStage & stage) {
        return std::any_of(stage.args.begin(), stage.args.end(), [&](const auto & arg) {
            const auto * ref = std::get_if<ParamRef>(&arg.second);
            return ref != nullptr && static_cast<size_t>(ref->index) == param;
        });
    });
}

void ChainSampler::set_param(size_t index, double value) {
    if (!reads(index)) {
        return sequence.set_param(index, value);
    }
    if (sequence.step() > 0 || sequence.has_prompt()) {
        refuse(code::invalid_argument,
               "the host tail reads `" + spec().params[index].name +
                   "` at the beginning of a text: set it before the first token, or after llama_sampler_reset");
    }
    sequence.set_param(index, value);
    host->restart(sequence);
}

void ChainSampler::resume(Sequence restored) {
    sequence  = std::move(restored);
    evaluated = Evaluated::no;
    draft.clear();
}

std::unique_ptr<ChainSampler> ChainSampler::clone() const {
    auto copy = std::make_unique<ChainSampler>(shared);
    copy->copy_state(*this);
    return copy;
}

void ChainSampler::copy_state(const ChainSampler & from) noexcept {
    noting([&] {
        sequence = from.sequence;
        host     = from.host->clone();
        failure  = from.failure;
        // what was computed in a graph stays there
        evaluated = from.evaluated == Evaluated::on_host ? Evaluated::on_host : Evaluated::no;
        draft     = from.draft;
    });
}

bool ChainSampler::backend_init(ggml_backend_buffer_type_t type, uint32_t outputs_per_sequence) noexcept {
    try {
        if (!spec().writes.empty()) {
            refuse(code::unsupported,
                   "the chain `" + spec().name + "` writes texts in place of its picks, which a graph cannot do");
        }
        ahead = outputs_per_sequence > 1 ? std::make_unique<Ahead>(shared) : nullptr;
        graph = std::make_unique<GraphPart>(shared, type, outputs_per_sequence);
        refused.clear();
        return true;
    } catch (const std::exception & error) {
        noting([&] { refused = error.what(); });
        return false;
    }
}

void ChainSampler::backend_apply(ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data & data) noexcept {
    noting([&] { graph->build(context, cgraph, data); });
}

void ChainSampler::backend_set_input() noexcept {
    evaluated    = Evaluated::in_graph;
    was_in_graph = true;
    noting([&] { upload(); });
}

void ChainSampler::upload() {
    const size_t count = graph->row_count();
    row                = 0;
    fed.clear();
    fed = ahead ? ahead->rows(sequence, draft, count) : std::vector{ row_of(sequence) };
    graph->upload(fed);
    if (!draft.empty() && draft.size() + 1 != count) {
        refuse(code::invalid_argument,
               "the draft has " + std::to_string(draft.size()) + " tokens, and the batch " + std::to_string(count) +
                   " outputs of the text: expected one for the text and one for each drafted token, in one "
                   "llama_context_params.n_ubatch");
    }
}

void ChainSampler::backend_reset() noexcept {
    graph->reset();
}

} // namespace ggsl::c
