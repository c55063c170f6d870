// Texts of loops and of samplers, through the C interface of libggsl alone. The caches are f32, and flash attention is off: a text of a
// model in f32 hardly depends on what else is in a batch then.
#pragma once

#include "graph/owned.h"
#include "check.h"
#include "include/ggsl.h"
#include "library.h"

#include <llama.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace ggsl::test {

using LoopPtr = Owned<ggsl_loop, ggsl_loop_free>;
using Tokens  = std::vector<llama_token>;

constexpr int32_t text_size = 256;

inline LoopPtr open_loop(const llama_model * model, int32_t places,
                         const std::function<void(ggsl_loop_options &)> & change = {}) {
    ggsl_loop_options options{};
    options.size = sizeof(options);
    CHECK(ggsl_loop_defaults(&options), "%s", ggsl_error());
    options.places          = places;
    options.context_size    = text_size;
    options.threads         = 1;
    options.cache_type_k    = GGML_TYPE_F32;
    options.cache_type_v    = GGML_TYPE_F32;
    options.flash_attention = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    if (change) {
        change(options);
    }
    return LoopPtr(ggsl_loop_init(model, &options));
}

inline Tokens tokenize(const llama_model * model, const std::string & text) {
    Tokens        tokens(text.size() + 2);
    const int32_t count = llama_tokenize(llama_model_get_vocab(model), text.data(), static_cast<int32_t>(text.size()),
                                         tokens.data(), static_cast<int32_t>(tokens.size()), true, false);
    CHECK(count > 0, "no tokens");
    tokens.resize(static_cast<size_t>(count));
    return tokens;
}

inline std::string piece_of(const llama_model * model, llama_token token) {
    const llama_vocab * vocab = llama_model_get_vocab(model);
    char                piece[256];
    const int           length = llama_token_to_piece(vocab, token, piece, sizeof(piece), 0, false);
    return llama_vocab_is_eog(vocab, token) || length < 0 ? "" : std::string(piece, static_cast<size_t>(length));
}

// What a sampler writes alone, in the model's graph, up to a token that ends the text.
struct Alone {
    Tokens             tokens;
    std::string        text;
    std::vector<float> states;
    int64_t            disallowed = 0;
    std::string        stopped; // by a stop of its chain
};

using Set = std::function<bool(const char * param, double value)>;

inline bool has_part(const ggsl_chain * chain, ggsl_kind kind, const char * name) {
    for (size_t i = 0; i < ggsl_chain_count(chain, kind); ++i) {
        ggsl_part part{};
        part.size = sizeof(part);
        CHECK(ggsl_chain_part(chain, kind, i, &part), "%s", ggsl_error());
        if (std::strcmp(part.name, name) == 0) {
            return true;
        }
    }
    return false;
}

// A seed of its own, where the chain has one to set.
inline void set_seed(const ggsl_chain * chain, double seed, const Set & set) {
    if (has_part(chain, GGSL_PARAM, "seed")) {
        CHECK(set("seed", seed), "%s", ggsl_error());
    }
}

inline Alone write_alone(llama_model * model, const ggsl_chain * chain, const Tokens & prompt, size_t count,
                         double seed) {
    llama_sampler * const own = ggsl_sampler_init(chain, model);
    CHECK(own != nullptr, "%s", ggsl_error());
    set_seed(chain, seed, [&](const char * param, double value) { return ggsl_sampler_set(own, param, value); });
    CHECK(ggsl_sampler_accept_prompt(own, prompt.data(), prompt.size()), "%s", ggsl_error());
    SamplerPtr samplers(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(samplers.get(), own);
    llama_sampler_seq_config config{ 0, samplers.get() };
    llama_context_params     params = llama_context_default_params();
    params.n_ctx                    = text_size;
    params.n_threads = params.n_threads_batch = 1;
    params.type_k = params.type_v = GGML_TYPE_F32;
    params.flash_attn_type        = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    params.samplers               = &config;
    params.n_samplers             = 1;
    const ContextPtr context(llama_init_from_model(model, params));
    CHECK(context, "no context");
    Alone  alone;
    Tokens next = prompt;
    while (alone.tokens.size() < count) {
        CHECK(llama_decode(context.get(), llama_batch_get_one(next.data(), static_cast<int32_t>(next.size()))) == 0,
              "decode");
        next = { llama_sampler_sample(samplers.get(), context.get(), -1) };
        CHECK(ggsl_sampler_fault(own) == nullptr, "%s", ggsl_sampler_fault(own));
        alone.tokens.push_back(next[0]);
        alone.text += piece_of(model, next[0]);
        const char * const stopped = ggsl_sampler_stop(own);
        alone.stopped              = stopped == nullptr ? "" : stopped;
        if (stopped != nullptr || llama_vocab_is_eog(llama_model_get_vocab(model), next[0])) {
            break;
        }
    }
    for (size_t i = 0; i < ggsl_chain_count(chain, GGSL_STATE); ++i) {
        ggsl_part part{};
        part.size = sizeof(part);
        double value;
        CHECK(ggsl_chain_part(chain, GGSL_STATE, i, &part) && ggsl_sampler_state(own, part.name, &value), "%s",
              ggsl_error());
        alone.states.push_back(static_cast<float>(value));
    }
    alone.disallowed = ggsl_sampler_disallowed(own);
    return alone;
}

// What the records of a text say.
struct Text {
    Tokens             tokens;
    std::string        text;
    std::vector<float> states;
    int64_t            refused = 0, forced = 0;
    ggsl_loop_end      end = GGSL_END_NONE;
    std::string        code, message, stopped;
};

struct Texts {
    std::map<int64_t, Text>                      by_id;
    std::function<bool(const ggsl_loop_token &)> on_token = {}; // false: the loop shall pause
    std::function<void()>                        on_step  = {};

    static bool take(const ggsl_loop_token * const * tokens, size_t count, void * user) {
        auto & self  = *static_cast<Texts *>(user);
        bool   pause = false;
        for (size_t i = 0; i < count; ++i) {
            const ggsl_loop_token & token = *tokens[i];
            CHECK(token.size == sizeof(token) && std::strlen(token.text) == token.text_length, "a record");
            Text & text = self.by_id[token.id];
            CHECK(text.end == GGSL_END_NONE, "text %d goes on after its end", static_cast<int>(token.id));
            if (token.token >= 0) {
                text.tokens.push_back(token.token);
            }
            text.text += token.text;
            if (token.state_count > 0) {
                text.states.assign(token.states, token.states + token.state_count);
            }
            text.refused += (token.flags & GGSL_TOKEN_REFUSED) != 0;
            text.forced += (token.flags & GGSL_TOKEN_FORCED) != 0;
            text.end = token.end;
            CHECK((token.end == GGSL_END_ERROR) == (token.error_code != nullptr), "the error");
            CHECK((token.end == GGSL_END_CHAIN) == (token.stop != nullptr), "the stop");
            text.stopped = token.stop == nullptr ? "" : token.stop;
            if (token.error_code != nullptr) {
                text.code    = token.error_code;
                text.message = token.error;
            }
            pause = (self.on_token && !self.on_token(token)) || pause;
        }
        if (self.on_step) {
            self.on_step();
        }
        return !pause;
    }

    void run(ggsl_loop * loop) { CHECK(ggsl_loop_run(loop, take, this), "%s: %s", ggsl_error_code(), ggsl_error()); }
};

inline ggsl_loop_text text_of(const ggsl_chain * chain, const Tokens & prompt, size_t max_tokens) {
    ggsl_loop_text text{};
    text.size         = sizeof(text);
    text.chain        = chain;
    text.prompt       = prompt.data();
    text.prompt_count = prompt.size();
    text.max_tokens   = max_tokens;
    return text;
}

inline int64_t add(ggsl_loop * loop, const ggsl_chain * chain, const Tokens & prompt, size_t max_tokens, double seed) {
    const ggsl_loop_text text = text_of(chain, prompt, max_tokens);
    const int64_t        id   = ggsl_loop_add(loop, &text);
    CHECK(id > 0, "%s: %s", ggsl_error_code(), ggsl_error());
    set_seed(chain, seed, [&](const char * param, double value) { return ggsl_loop_set(loop, id, param, value); });
    return id;
}

inline const char * const beginnings[] = {
    "In the beginning",
    "And it came to pass in those days, that there went out a decree from the great king, that all should",
    "And it came to pass in those days, that there went out a decree from the great king, that no one should",
    "The",
    "Now when all the people of the land had heard the words of the prophet, they said to one another",
};

struct Wanted {
    const ggsl_chain * chain;
    Tokens             prompt;
    size_t             count;
    double             seed;
};

// Text `i` of many, with chains in turns.
inline Wanted wanted_text(const llama_model * model, const std::vector<ChainPtr> & chains, size_t i) {
    const char * const beginning = beginnings[i % std::size(beginnings)];
    return { chains[i / 3 % chains.size()].get(), tokenize(model, beginning), 8 + 7 * (i % 5), static_cast<double>(i) };
}

inline Alone write_alone(llama_model * model, const Wanted & wanted) {
    return write_alone(model, wanted.chain, wanted.prompt, wanted.count, wanted.seed);
}

// Text `i` is what a sampler has written.
inline void check_text(const llama_model * model, const Alone & alone, const Text & text, size_t i) {
    CHECK(text.tokens == alone.tokens, "text %zu has other tokens than alone: %zu and %zu", i, text.tokens.size(),
          alone.tokens.size());
    CHECK(text.text == alone.text, "text %zu: \"%s\" in place of \"%s\"", i, text.text.c_str(), alone.text.c_str());
    CHECK(text.refused == alone.disallowed, "text %zu has %d refused tokens", i, static_cast<int>(text.refused));
    CHECK(text.states.size() == alone.states.size(), "the states of text %zu", i);
    for (size_t state = 0; state < alone.states.size(); ++state) { // the model's logits differ in their last digits
        CHECK(std::fabs(text.states[state] - alone.states[state]) < 1e-3f, "state %zu of text %zu", state, i);
    }
    const bool is_ended = llama_vocab_is_eog(llama_model_get_vocab(model), alone.tokens.back());
    const auto end      = is_ended ? GGSL_END_TOKEN : alone.stopped.empty() ? GGSL_END_MAX_TOKENS : GGSL_END_CHAIN;
    CHECK(text.end == end && text.stopped == alone.stopped, "text %zu ended by %d", i, text.end);
}

// Arguments: MODEL SPEC GRAMMAR_SPEC INPUT_SPEC TAIL_SPEC GUIDE_SPEC LOGITS_SPEC, behind the folder of libraries.
void run_loop_errors(char ** arguments);

} // namespace ggsl::test
