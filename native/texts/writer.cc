#include "writer.h"

#include "graph/failure.h"
#include "llama/grammar.h"
#include "replay/runner.h"
#include "replay/stages.h"

#include <sys/resource.h>

#include <algorithm>

namespace ggsl::tools {

namespace {

constexpr const char * root = "root";

// Microseconds of all threads of this process.
double cpu_time() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto us = [](const timeval & time) {
        return 1e6 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec);
    };
    return us(usage.ru_utime) + us(usage.ru_stime);
}

std::string with_seed(std::string stages, int32_t seed) {
    const std::string place = "{seed}";
    for (size_t at = stages.find(place); at != std::string::npos; at = stages.find(place)) {
        stages.replace(at, place.size(), std::to_string(seed));
    }
    return stages;
}

llama_context_params params_of(const WriterOptions & options, size_t prompt) {
    const auto           outputs = static_cast<uint32_t>(options.sequences);
    llama_context_params params  = llama_context_default_params();
    params.n_ctx                 = static_cast<uint32_t>(options.context_size) * outputs;
    // with more texts than sequences, each sequence may begin one
    params.n_batch         = options.lengths.empty() ? std::max(static_cast<uint32_t>(prompt), outputs)
                                                     : static_cast<uint32_t>(prompt) * outputs;
    params.n_ubatch        = params.n_batch;
    params.n_seq_max       = outputs;
    params.n_threads       = options.threads;
    params.n_threads_batch = options.threads;
    params.kv_unified      = options.is_unified;
    params.no_perf         = true;
    return params;
}

} // namespace

void Writer::BatchDeleter::operator()(llama_batch * pointer) const {
    llama_batch_free(*pointer);
}

Writer::Writer(const Model & loaded, const WriterOptions & given)
    : model(loaded), options(given), prompt(model.tokenize(options.prompt, true, false)) {
    const int32_t longest =
        options.lengths.empty() ? options.tokens : *std::max_element(options.lengths.begin(), options.lengths.end());
    if (static_cast<int32_t>(prompt.size()) + longest > options.context_size) {
        fail(code::invalid_argument, "a prompt of %zu tokens and %d more do not fit in a context of %d", prompt.size(),
             longest, options.context_size);
    }
    context.reset(llama_init_from_model(model.get(), params_of(options, prompt.size())));
    if (!context) {
        fail(code::out_of_memory, "cannot create a context of %d sequences", options.sequences);
    }
    memory = llama_batch_init(static_cast<int32_t>(llama_n_batch(context.get())), 0, options.sequences);
    batch.reset(&memory);
}

Writer::Chain Writer::make_chain(size_t text) const {
    const std::string stages = with_seed(options.stages, static_cast<int32_t>(text) + 1);
    Chain             chain{ tools::make_chain(stages, model.vocab_size(), {}), nullptr };
    if (options.grammar.empty()) {
        return chain;
    }
    SamplerPtr grammar = make_grammar(model.vocab(), options.grammar, root);
    if (options.order == GrammarOrder::last) {
        chain.grammar = std::move(grammar);
        return chain;
    }
    SamplerPtr whole(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(whole.get(), grammar.release());
    llama_sampler_chain_add(whole.get(), chain.stages.release());
    return { std::move(whole), nullptr };
}

llama_token Writer::sample(Chain & chain, int32_t output) {
    if (chain.grammar == nullptr) {
        return llama_sampler_sample(chain.stages.get(), context.get(), output); // accepts the token as well
    }
    const float * logits = llama_get_logits_ith(context.get(), output);
    const auto    pick   = [&](bool is_masked) {
        candidates.resize(static_cast<size_t>(model.vocab_size()));
        for (size_t token = 0; token < candidates.size(); ++token) {
            candidates[token] = { static_cast<llama_token>(token), logits[token], 0.0f };
        }
        llama_token_data_array rows{ candidates.data(), candidates.size(), -1, false };
        if (is_masked) {
            llama_sampler_apply(chain.grammar.get(), &rows);
        }
        llama_sampler_apply(chain.stages.get(), &rows);
        return rows.data[rows.selected].id;
    };
    llama_token            token = pick(false);
    llama_token_data       one{ token, 1.0f, 0.0f };
    llama_token_data_array asked{ &one, 1, -1, false };
    llama_sampler_apply(chain.grammar.get(), &asked);
    if (one.logit != 1.0f) {
        token = pick(true);
    }
    llama_sampler_accept(chain.grammar.get(), token);
    llama_sampler_accept(chain.stages.get(), token);
    return token;
}

void Writer::decode() {
    if (const int32_t status = llama_decode(context.get(), memory); status != 0) {
        fail(code::compute_failed, "llama_decode: status %d", status);
    }
}

// Once, with an output after its last token; the other sequences copy it.
void Writer::read_prompt() {
    const llama_memory_t cache = llama_get_memory(context.get());
    llama_memory_clear(cache, true);
    memory.n_tokens = 0;
    for (const llama_token token : prompt) {
        add(token, memory.n_tokens, 0);
    }
    std::fill_n(memory.logits, memory.n_tokens - 1, int8_t{ 0 });
    decode();
    for (int32_t sequence = 1; sequence < options.sequences; ++sequence) {
        llama_memory_seq_cp(cache, 0, sequence, -1, -1);
    }
}

void Writer::add(llama_token token, int32_t position, int32_t sequence) {
    const int32_t i     = memory.n_tokens++;
    memory.token[i]     = token;
    memory.pos[i]       = position;
    memory.n_seq_id[i]  = 1;
    memory.seq_id[i][0] = sequence;
    memory.logits[i]    = 1;
}

size_t Writer::text_count() const {
    return options.lengths.empty() ? static_cast<size_t>(options.sequences) : options.lengths.size();
}

int32_t Writer::length_of(size_t text) const {
    return options.lengths.empty() ? options.tokens : options.lengths[text];
}

void Writer::begin(Place & place, size_t text) const {
    place.text   = text;
    place.count  = 0;
    place.output = -1;
    place.chain  = make_chain(text);
}

// Samples after the place's output, and adds the token to the batch if the text goes on.
void Writer::go_on(Place & place, int32_t sequence, Written & written) {
    const llama_token token = sample(place.chain, place.output);
    place.output            = -1;
    if (model.is_end(token)) {
        return;
    }
    written.tokens[place.text].push_back(token);
    written.texts[place.text] += model.piece(token, false);
    if (++place.count < length_of(place.text)) {
        place.output = memory.n_tokens;
        add(token, static_cast<int32_t>(prompt.size()) + place.count - 1, sequence);
    }
}

Written Writer::write() {
    const size_t count = text_count();
    Written      written{ std::vector<std::vector<llama_token>>(count), std::vector<std::string>(count) };
    const double start = now(), cpu_start = cpu_time();

    std::vector<Place> places(std::min(static_cast<size_t>(options.sequences), count));
    for (size_t i = 0; i < places.size(); ++i) {
        begin(places[i], i);
    }
    read_prompt();
    for (Place & place : places) {
        place.output = memory.n_tokens - 1;
    }
    for (size_t next = places.size();;) {
        const double begun = now();
        memory.n_tokens    = 0;
        for (size_t i = 0; i < places.size(); ++i) {
            const auto sequence = static_cast<int32_t>(i);
            if (places[i].output >= 0) {
                go_on(places[i], sequence, written);
            }
            if (places[i].output < 0 && next < count) {
                llama_memory_seq_rm(llama_get_memory(context.get()), sequence, -1, -1);
                begin(places[i], next++);
                for (size_t k = 0; k < prompt.size(); ++k) {
                    add(prompt[k], static_cast<int32_t>(k), sequence);
                    memory.logits[memory.n_tokens - 1] = k + 1 == prompt.size();
                }
                places[i].output = memory.n_tokens - 1;
            }
        }
        written.sampling += now() - begun;
        if (memory.n_tokens == 0) {
            break;
        }
        decode();
    }
    written.wall = now() - start;
    written.cpu  = cpu_time() - cpu_start;
    return written;
}

} // namespace ggsl::tools
