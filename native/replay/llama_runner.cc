#include "graph/failure.h"
#include "runner.h"
#include "stages.h"

#include <cstring>

namespace ggsl::tools {

namespace {

// Of one chain: a stage builds at most 40.
constexpr size_t max_chain_tensors = 1024;

std::span<const int32_t> history_of(const Case & c, int64_t row) {
    return std::span<const int32_t>(c.history).subspan(static_cast<size_t>(row) * c.history_length, c.history_length);
}

} // namespace

LlamaRunner::LlamaRunner(const Device & target, const Logits & given, const Case & c) : GraphRunner(target, given) {
    const int64_t rows = c.rows;
    for (int64_t row = 0; row < rows; ++row) {
        chains.push_back(make_chain(c.stages[static_cast<size_t>(row)], c.bound.vocab_size, history_of(c, row)));
        without = stages_without_backend(chains.back().get());
        if (!without.empty()) {
            return;
        }
        // If the device lacks an op of a sampler, its name has a minus prefix from here on.
        if (!chains.back()->iface->backend_init(chains.back().get(), device.buffer_type(), 1)) {
            for (int32_t i = 0; i < llama_sampler_chain_n(chains.back().get()); ++i) {
                without.emplace_back(llama_sampler_name(llama_sampler_chain_get(chains.back().get(), i)));
            }
            return;
        }
    }
    start_graph(max_chain_tensors * static_cast<size_t>(rows));
    for (int64_t row = 0; row < rows; ++row) {
        build_row(chains[static_cast<size_t>(row)].get(), row, rows);
    }
    allocate();
}

// As llama.cpp's graph code does for each sequence: a view of its row, the chain, and a node for every output.
void LlamaRunner::build_row(llama_sampler * chain, int64_t row, int64_t rows) {
    contexts.emplace_back(ggml_init({ max_chain_tensors * ggml_tensor_overhead(), nullptr, true }));
    ggml_context *     context = contexts.back().get();
    const int64_t      size    = logits->ne[0];
    ggml_tensor *      view    = rows == 1 ? ggml_view_1d(context, logits, size, 0)
                                           : ggml_view_1d(context, logits, size, static_cast<size_t>(row) * logits->nb[1]);
    llama_sampler_data data{ view, nullptr, nullptr, nullptr };
    if (chain->iface->backend_reset != nullptr) {
        chain->iface->backend_reset(chain);
    }
    chain->iface->backend_apply(chain, context, graph(), &data);

    for (ggml_tensor * output : { data.sampled, data.probs, data.logits, data.candidates }) {
        if (output != nullptr) {
            // llama.cpp marks outputs, so that their memory lasts until they are read.
            ggml_set_output(output);
            ggml_build_forward_expand(graph(), output);
        }
    }
    if (data.sampled != nullptr) {
        sampled.push_back(read_back(data.sampled, 0, sizeof(int32_t)));
    }
    for (const ggml_tensor * output : { data.probs, data.logits, data.candidates }) {
        if (output != nullptr) {
            read_back(output, 0, ggml_nbytes(output));
        }
    }
}

void LlamaRunner::upload() {
    for (const SamplerPtr & chain : chains) {
        if (chain->iface->backend_set_input != nullptr) {
            chain->iface->backend_set_input(chain.get());
        }
    }
}

std::vector<int32_t> LlamaRunner::tokens() const {
    std::vector<int32_t> values(chains.size(), -1);
    for (size_t row = 0; row < sampled.size(); ++row) {
        std::memcpy(&values[row], sampled[row], sizeof(int32_t));
    }
    return values;
}

HostRunner::HostRunner(const Device & target, const Logits & given, const Case & c)
    : device(target), logits(given.tensor()), source(c), candidates(static_cast<size_t>(c.bound.vocab_size)),
      picked(static_cast<size_t>(c.rows), -1) {
    if (!device.is_host()) {
        downloaded.resize(c.logits.size());
    }
    for (int64_t row = 0; row < c.rows; ++row) {
        chains.push_back(make_chain(c.stages[static_cast<size_t>(row)], c.bound.vocab_size, history_of(c, row)));
    }
}

Phases HostRunner::run() {
    Phases       phases;
    const double start = now();
    if (!downloaded.empty()) {
        ggml_backend_tensor_get(logits, downloaded.data(), 0, ggml_nbytes(logits));
    }
    const double  copied = now();
    const float * values = downloaded.empty() ? source.logits.data() : downloaded.data();
    const size_t  size   = candidates.size();
    for (size_t row = 0; row < chains.size(); ++row) {
        for (size_t token = 0; token < size; ++token) {
            candidates[token] = { static_cast<llama_token>(token), values[row * size + token], 0.0f };
        }
        llama_token_data_array array{ candidates.data(), size, -1, false };
        llama_sampler_apply(chains[row].get(), &array);
        picked[row] = array.selected < 0 ? -1 : array.data[array.selected].id;
    }
    phases.download = copied - start;
    phases.compute  = now() - copied;
    return phases;
}

} // namespace ggsl::tools
