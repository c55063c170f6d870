// Drives loops of libggsl through its C interface alone, with a real model:
//   ggsl_loop_test texts   LIBRARIES MODEL PLACES SPEC...   texts of a loop are those of samplers; prints how they ended
//   ggsl_loop_test errors  LIBRARIES MODEL SPEC GRAMMAR_SPEC INPUT_SPEC TAIL_SPEC GUIDE_SPEC LOGITS_SPEC
//   ggsl_loop_test soak    LIBRARIES MODEL PLACES TEXTS SPEC...   many texts, bad calls, ends at random, by other threads too
// The models' caches are f32, and flash attention is off: a text hardly depends on what else is in a batch then.
#include "check.h"
#include "include/ggsl.h"

#include <ggml-backend.h>
#include <llama.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

template <auto free> struct Deleter {
    void operator()(auto * pointer) const { free(pointer); }
};
using ModelPtr   = std::unique_ptr<llama_model, Deleter<llama_model_free>>;
using ContextPtr = std::unique_ptr<llama_context, Deleter<llama_free>>;
using SamplerPtr = std::unique_ptr<llama_sampler, Deleter<llama_sampler_free>>;
using ChainPtr   = std::unique_ptr<ggsl_chain, Deleter<ggsl_chain_free>>;
using LoopPtr    = std::unique_ptr<ggsl_loop, Deleter<ggsl_loop_free>>;
using Tokens     = std::vector<llama_token>;

constexpr int32_t text_size = 256;

std::string read_file(const char * path) {
    std::ifstream file(path, std::ios::binary);
    CHECK(file.good(), "cannot read %s", path);
    return { std::istreambuf_iterator<char>(file), {} };
}

ModelPtr load_model(const char * path) {
    llama_model_params params = llama_model_default_params();
    params.n_gpu_layers       = 0;
    ModelPtr model(llama_model_load_from_file(path, params));
    CHECK(model, "cannot load %s", path);
    return model;
}

ChainPtr load_chain(const char * path) {
    const std::string json = read_file(path);
    ChainPtr          chain(ggsl_chain_load(json.data(), json.size()));
    CHECK(chain, "%s: %s", ggsl_error_code(), ggsl_error());
    return chain;
}

LoopPtr open_loop(const llama_model * model, int32_t places,
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

Tokens tokenize(const llama_model * model, const std::string & text) {
    Tokens        tokens(text.size() + 2);
    const int32_t count = llama_tokenize(llama_model_get_vocab(model), text.data(), static_cast<int32_t>(text.size()),
                                         tokens.data(), static_cast<int32_t>(tokens.size()), true, false);
    CHECK(count > 0, "no tokens");
    tokens.resize(static_cast<size_t>(count));
    return tokens;
}

std::string piece_of(const llama_model * model, llama_token token) {
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
};

using Set = std::function<bool(const char * param, double value)>;

bool has_part(const ggsl_chain * chain, ggsl_kind kind, const char * name) {
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
void set_seed(const ggsl_chain * chain, double seed, const Set & set) {
    if (has_part(chain, GGSL_PARAM, "seed")) {
        CHECK(set("seed", seed), "%s", ggsl_error());
    }
}

Alone write_alone(llama_model * model, const ggsl_chain * chain, const Tokens & prompt, size_t count, double seed) {
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
        if (llama_vocab_is_eog(llama_model_get_vocab(model), next[0])) {
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
    std::string        code, message;
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

ggsl_loop_text text_of(const ggsl_chain * chain, const Tokens & prompt, size_t max_tokens) {
    ggsl_loop_text text{};
    text.size         = sizeof(text);
    text.chain        = chain;
    text.prompt       = prompt.data();
    text.prompt_count = prompt.size();
    text.max_tokens   = max_tokens;
    return text;
}

int64_t add(ggsl_loop * loop, const ggsl_chain * chain, const Tokens & prompt, size_t max_tokens, double seed) {
    const ggsl_loop_text text = text_of(chain, prompt, max_tokens);
    const int64_t        id   = ggsl_loop_add(loop, &text);
    CHECK(id > 0, "%s: %s", ggsl_error_code(), ggsl_error());
    set_seed(chain, seed, [&](const char * param, double value) { return ggsl_loop_set(loop, id, param, value); });
    return id;
}

const char * const beginnings[] = {
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
Wanted wanted_text(const llama_model * model, const std::vector<ChainPtr> & chains, size_t i) {
    const char * const beginning = beginnings[i % std::size(beginnings)];
    return { chains[i / 3 % chains.size()].get(), tokenize(model, beginning), 8 + 7 * (i % 5), static_cast<double>(i) };
}

void check_text(llama_model * model, const Wanted & wanted, const Text & text, size_t i) {
    const Alone alone = write_alone(model, wanted.chain, wanted.prompt, wanted.count, wanted.seed);
    CHECK(text.tokens == alone.tokens, "text %zu has other tokens than alone: %zu and %zu", i, text.tokens.size(),
          alone.tokens.size());
    CHECK(text.text == alone.text, "text %zu: \"%s\" in place of \"%s\"", i, text.text.c_str(), alone.text.c_str());
    CHECK(text.refused == alone.disallowed, "text %zu has %d refused tokens", i, static_cast<int>(text.refused));
    CHECK(text.states.size() == alone.states.size(), "the states of text %zu", i);
    for (size_t state = 0; state < alone.states.size(); ++state) { // the model's logits differ in their last digits
        CHECK(std::fabs(text.states[state] - alone.states[state]) < 1e-3f, "state %zu of text %zu", state, i);
    }
    const bool is_ended = llama_vocab_is_eog(llama_model_get_vocab(model), alone.tokens.back());
    CHECK(text.end == (is_ended ? GGSL_END_TOKEN : GGSL_END_MAX_TOKENS), "text %zu ended by %d", i, text.end);
}

void run_texts(char ** arguments, int count) {
    const ModelPtr        model  = load_model(arguments[1]);
    const int32_t         places = std::atoi(arguments[2]);
    std::vector<ChainPtr> chains;
    for (int i = 3; i < count; ++i) {
        chains.push_back(load_chain(arguments[i]));
    }
    const auto write = [&](const char * what, const std::function<void(ggsl_loop_options &)> & change) {
        const LoopPtr loop = open_loop(model.get(), places, change);
        CHECK(loop, "%s: %s", ggsl_error_code(), ggsl_error());
        Texts                texts;
        std::vector<int64_t> ids;
        const size_t         total = 6 * chains.size();
        const auto           more  = [&](size_t most) {
            while (ids.size() < std::min(total, most)) {
                const Wanted wanted = wanted_text(model.get(), chains, ids.size());
                ids.push_back(add(loop.get(), wanted.chain, wanted.prompt, wanted.count, wanted.seed));
            }
        };
        more(total / 2);
        texts.on_token = [&](const ggsl_loop_token & token) { // from the callback, one by one
            more(token.end == GGSL_END_NONE ? 0 : ids.size() + 1);
            return true;
        };
        texts.run(loop.get());
        CHECK(ids.size() == total && texts.by_id.size() == total, "%zu of %zu texts", texts.by_id.size(), total);
        int64_t forced = 0, tokens = 0;
        for (size_t i = 0; i < total; ++i) {
            const Text & text = texts.by_id.at(ids[i]);
            check_text(model.get(), wanted_text(model.get(), chains, i), text, i);
            forced += text.forced;
            tokens += static_cast<int64_t>(text.tokens.size());
        }
        ggsl_loop_stats stats{};
        stats.size = sizeof(stats);
        CHECK(ggsl_loop_get_stats(loop.get(), &stats) && ggsl_loop_count(loop.get()) == 0, "%s", ggsl_error());
        CHECK(stats.waiting == 0 && stats.writing == 0 && stats.tokens == static_cast<uint64_t>(tokens),
              "the statistics");
        std::printf("%s: %zu texts, %lld tokens, %lld forced, %llu of %llu prompt tokens computed\n", what, total,
                    static_cast<long long>(tokens), static_cast<long long>(forced),
                    static_cast<unsigned long long>(stats.computed_prompt_tokens),
                    static_cast<unsigned long long>(stats.prompt_tokens));
    };
    write("a cache each", {});
    write("one cache", [](ggsl_loop_options & options) { options.has_one_cache = true; });
    write("on the host", [](ggsl_loop_options & options) { options.is_on_host = true; });
    write("prompts in pieces", [](ggsl_loop_options & options) { options.batch_size = 5; });
}

// The call must fail with this code and a text with this part.
void check_error(bool is_done, const char * code, const char * part) {
    CHECK(!is_done, "nothing failed; expected %s with \"%s\"", code, part);
    CHECK(std::strcmp(ggsl_error_code(), code) == 0 && std::strstr(ggsl_error(), part) != nullptr,
          "expected %s with \"%s\", found %s: %s", code, part, ggsl_error_code(), ggsl_error());
}

// A text by a chain of argmax that a stop text ends.
void check_stops(llama_model * model, const ggsl_chain * chain) {
    const Tokens  prompt = tokenize(model, "In the beginning");
    const Alone   alone  = write_alone(model, chain, prompt, 24, 1);
    const LoopPtr loop   = open_loop(model, 2);
    // across the borders of tokens, and one that does not come though its beginning does
    const std::string  stop = alone.text.substr(alone.text.size() / 2, 7), other = alone.text.substr(3, 6) + "\x01";
    const char * const stops[] = { other.c_str(), stop.c_str() };
    ggsl_loop_text     text    = text_of(chain, prompt, 24);
    text.stops                 = stops;
    text.stop_count            = 2;
    int user                   = 0;
    text.user                  = &user;
    const int64_t id           = ggsl_loop_add(loop.get(), &text);
    CHECK(id > 0, "%s", ggsl_error());
    set_seed(chain, 1, [&](const char * param, double value) { return ggsl_loop_set(loop.get(), id, param, value); });
    Texts texts;
    texts.on_token = [&](const ggsl_loop_token & token) { return token.user == &user; };
    texts.run(loop.get());
    const Text & found = texts.by_id.at(id);
    CHECK(found.end == GGSL_END_STOP && found.text == alone.text.substr(0, alone.text.find(stop)),
          "ended by %d with \"%s\"", found.end, found.text.c_str());
    CHECK(std::equal(found.tokens.begin(), found.tokens.end(), alone.tokens.begin()), "other tokens");
}

// Until the context is full, and what is set in the middle.
void check_limits(llama_model * model, const ggsl_chain * chain) {
    const LoopPtr loop   = open_loop(model, 3);
    const Tokens  prompt = tokenize(model, "In the beginning");
    const int64_t full = add(loop.get(), chain, prompt, 0, 1), over = add(loop.get(), chain, prompt, 100000, 1);
    const int64_t changed = add(loop.get(), chain, prompt, 20, 1);
    Texts         texts;
    texts.on_token = [&](const ggsl_loop_token & token) {
        if (token.id == changed && texts.by_id[changed].tokens.size() == 10) {
            CHECK(ggsl_loop_set(loop.get(), changed, "t", 2), "%s", ggsl_error());
        }
        return true;
    };
    texts.run(loop.get());
    for (const int64_t id : { full, over }) {
        const Text & text = texts.by_id.at(id);
        CHECK(text.end == GGSL_END_TOKEN ||
                  (text.end == GGSL_END_CONTEXT && text.tokens.size() == text_size - prompt.size()),
              "%zu tokens, ended by %d", text.tokens.size(), text.end);
    }
    const Tokens & before = texts.by_id.at(full).tokens;
    const Tokens & after  = texts.by_id.at(changed).tokens;
    CHECK(std::equal(after.begin(), after.begin() + 10, before.begin()) &&
              !std::equal(after.begin(), after.end(), before.begin()),
          "a parameter counts from the next token on");
}

void run_errors(char ** arguments) {
    const ModelPtr model   = load_model(arguments[1]);
    const ChainPtr chain   = load_chain(arguments[2]);
    const ChainPtr grammar = load_chain(arguments[3]), input = load_chain(arguments[4]);
    const Tokens   prompt = tokenize(model.get(), "In the beginning");
    const LoopPtr  loop   = open_loop(model.get(), 2);
    CHECK(loop, "%s", ggsl_error());

    check_error(ggsl_loop_init(nullptr, nullptr) != nullptr, "INVALID_ARGUMENT", "model is NULL");
    check_error(ggsl_loop_defaults(nullptr), "INVALID_ARGUMENT", "options is NULL");
    const auto opens = [&](const std::function<void(ggsl_loop_options &)> & change) {
        return open_loop(model.get(), 2, change) != nullptr;
    };
    check_error(opens([](auto & options) { options.places = 0; }), "INVALID_ARGUMENT",
                "places: expected 1 to 256, found 0");
    check_error(opens([](auto & options) { options.size = 3; }), "INVALID_ARGUMENT", "`size`");
    check_error(opens([](auto & options) { options.context_size = -1; }), "INVALID_ARGUMENT",
                "context_size: expected 0");
    check_error(opens([](auto & options) { options.batch_size = 0; }), "INVALID_ARGUMENT", "batch_size: expected 1");
    check_error(opens([](auto & options) { options.cache_type_k = 9999; }), "INVALID_ARGUMENT", "cache_type_k");
    check_error(opens([](auto & options) { options.flash_attention = 7; }), "INVALID_ARGUMENT", "flash_attention");
    check_error(opens([](auto & options) { options.context_size = 16777216; }), "LIMIT_EXCEEDED",
                "smaller context size");
    CHECK(opens([](auto & options) { options.size = offsetof(ggsl_loop_options, threads); }), "an older program");

    const auto adds = [&](const std::function<void(ggsl_loop_text &)> & change) {
        ggsl_loop_text text = text_of(chain.get(), prompt, 4);
        change(text);
        return ggsl_loop_add(loop.get(), &text) != 0;
    };
    const ggsl_loop_text right = text_of(chain.get(), prompt, 4);
    check_error(ggsl_loop_add(nullptr, &right) != 0, "INVALID_ARGUMENT", "loop is NULL");
    check_error(ggsl_loop_add(loop.get(), nullptr) != 0, "INVALID_ARGUMENT", "text is NULL");
    check_error(adds([](auto & text) { text.chain = nullptr; }), "INVALID_ARGUMENT", "chain is NULL");
    check_error(adds([](auto & text) { text.prompt = nullptr; }), "INVALID_ARGUMENT", "prompt is NULL");
    check_error(adds([](auto & text) { text.prompt_count = 0; }), "INVALID_ARGUMENT", "the prompt is empty");
    check_error(adds([](auto & text) { text.size = 0; }), "INVALID_ARGUMENT", "`size`");
    check_error(adds([](auto & text) { text.stop_count = 1; }), "INVALID_ARGUMENT", "stops is NULL");
    const Tokens long_prompt(text_size, prompt[0]), stray = { prompt[0], 1 << 30 };
    const auto   prompt_is = [](const Tokens & tokens) {
        return [&](ggsl_loop_text & text) {
            text.prompt       = tokens.data();
            text.prompt_count = tokens.size();
        };
    };
    check_error(adds(prompt_is(long_prompt)), "CONTEXT_FULL", "the prompt has 256 tokens");
    check_error(adds(prompt_is(stray)), "INVALID_ARGUMENT", "is not a token");
    const std::vector<const char *> empty = { "" }, none = { nullptr }, many(1025, "x");
    const std::string               long_stop(1 << 16, 'x');
    const std::vector<const char *> large     = { long_stop.c_str(), "x" };
    const auto                      stops_are = [](const std::vector<const char *> & stops) {
        return [&](ggsl_loop_text & text) {
            text.stops      = stops.data();
            text.stop_count = stops.size();
        };
    };
    check_error(adds(stops_are(empty)), "INVALID_ARGUMENT", "is empty");
    check_error(adds(stops_are(none)), "INVALID_ARGUMENT", "a stop text is NULL");
    check_error(adds(stops_are(many)), "LIMIT_EXCEEDED", "1025");
    check_error(adds(stops_are(large)), "LIMIT_EXCEEDED", "65537 bytes");

    // chains that a loop does not write
    const char * const reasons[] = { "has a host tail", "reads the logits of another sequence", "picks no token" };
    for (int i = 0; i < 3; ++i) {
        const ChainPtr other = load_chain(arguments[5 + i]);
        check_error(adds([&](auto & text) { text.chain = other.get(); }), "UNSUPPORTED", reasons[i]);
    }
    CHECK(ggsl_loop_count(loop.get()) == 0, "a text was added");

    double        value = 0;
    const int64_t id    = add(loop.get(), chain.get(), prompt, 4, 1);
    CHECK(ggsl_loop_get(loop.get(), id, "t", &value) && value == 1 && ggsl_loop_is_ready(loop.get(), id), "%s",
          ggsl_error());
    check_error(ggsl_loop_set(loop.get(), id, "nothing", 1), "INVALID_ARGUMENT", "no parameter \"nothing\"");
    check_error(ggsl_loop_set(loop.get(), id, "t", -1), "INVALID_ARGUMENT", "`t` must be >= 0.1, found -1");
    check_error(ggsl_loop_set(loop.get(), id + 1, "t", 1), "INVALID_ARGUMENT", "no text 2 is waiting or being written");
    check_error(ggsl_loop_set_tokens(loop.get(), id, "nothing", nullptr, 0), "INVALID_ARGUMENT", "no set of tokens");
    check_error(ggsl_loop_set_grammar(loop.get(), id, "nothing", "", 0), "INVALID_ARGUMENT", "no grammar");
    check_error(ggsl_loop_set_input(loop.get(), id, "nothing", nullptr, 0), "INVALID_ARGUMENT", "no dense input");
    check_error(ggsl_loop_set_pairs(loop.get(), id, "nothing", nullptr, nullptr, 0), "INVALID_ARGUMENT",
                "no sparse input");
    check_error(ggsl_loop_set_text(loop.get(), id, "nothing", nullptr, 0), "INVALID_ARGUMENT", "no text \"nothing\"");
    check_error(ggsl_loop_set_bias(loop.get(), id, nullptr, nullptr, 0), "INVALID_ARGUMENT", "reads no logit biases");
    check_error(ggsl_loop_cancel(loop.get(), 99), "INVALID_ARGUMENT", "no text 99");
    check_error(ggsl_loop_step(loop.get(), nullptr, nullptr), "INVALID_ARGUMENT", "callback is NULL");
    check_error(ggsl_loop_run(nullptr, Texts::take, nullptr), "INVALID_ARGUMENT", "loop is NULL");
    ggsl_loop_stats stats{};
    check_error(ggsl_loop_get_stats(loop.get(), &stats), "INVALID_ARGUMENT", "`size`");

    // what was never given is said before the text, and in its record; the others go on
    const int64_t lacks_grammar = add(loop.get(), grammar.get(), prompt, 4, 1),
                  lacks_input   = add(loop.get(), input.get(), prompt, 4, 1);
    check_error(ggsl_loop_is_ready(loop.get(), lacks_grammar), "MISSING_GRAMMAR", "");
    check_error(ggsl_loop_is_ready(loop.get(), lacks_input), "MISSING_INPUT", "");
    check_error(ggsl_loop_set_grammar(loop.get(), lacks_grammar, "g", "root ::= (", 10), "INVALID_ARGUMENT", "");
    Texts texts;
    texts.on_token = [&](const ggsl_loop_token & token) {
        if (token.id == id) {
            check_error(ggsl_loop_step(loop.get(), Texts::take, &texts), "INVALID_ARGUMENT", "takes a step already");
        }
        return true;
    };
    texts.run(loop.get());
    CHECK(texts.by_id.at(id).end == GGSL_END_MAX_TOKENS && texts.by_id.at(id).tokens.size() == 4, "the right text");
    CHECK(texts.by_id.at(lacks_grammar).code == "MISSING_GRAMMAR" &&
              texts.by_id.at(lacks_input).code == "MISSING_INPUT",
          "%s, %s", texts.by_id.at(lacks_grammar).code.c_str(), texts.by_id.at(lacks_input).code.c_str());
    check_error(ggsl_loop_cancel(loop.get(), id), "INVALID_ARGUMENT", "no text 1");

    // an input that is fed each token
    const int64_t fed    = add(loop.get(), input.get(), prompt, 4, 1);
    const auto    favour = [&](size_t token) {
        std::vector<float> values(static_cast<size_t>(llama_vocab_n_tokens(llama_model_get_vocab(model.get()))));
        values[token] = 1000;
        CHECK(ggsl_loop_set_input(loop.get(), fed, "favour", values.data(), values.size()), "%s", ggsl_error());
    };
    favour(300);
    texts.on_token = [&](const ggsl_loop_token & token) {
        if (token.end == GGSL_END_NONE) {
            favour(static_cast<size_t>(token.token) + 1);
        }
        return true;
    };
    texts.run(loop.get());
    CHECK((texts.by_id.at(fed).tokens == Tokens{ 300, 301, 302, 303 }), "the input of each token");

    check_stops(model.get(), chain.get());
    check_limits(model.get(), chain.get());
    std::puts("all errors are as expected");
}

// Each text ends once, in time; those that nobody ended or changed are what samplers write.
void run_soak(char ** arguments, int count) {
    const ModelPtr        model = load_model(arguments[1]);
    const auto            total = static_cast<size_t>(std::atoi(arguments[3]));
    const LoopPtr         loop  = open_loop(model.get(), std::atoi(arguments[2]));
    std::vector<ChainPtr> chains;
    for (int i = 4; i < count; ++i) {
        chains.push_back(load_chain(arguments[i]));
    }
    std::mt19937 random(7);
    const auto   below = [&](size_t most) { return static_cast<size_t>(random() % most); };
    struct Asked {
        Wanted wanted;
        bool   is_left_alone = true;
    };
    std::map<int64_t, Asked> asked;
    std::atomic<int64_t>     latest    = 0;
    std::atomic<bool>        is_over   = false;
    std::atomic<int>         by_others = 0;
    const auto               more      = [&](size_t wanted_count) {
        for (; wanted_count > 0 && asked.size() < total; --wanted_count) {
            Wanted wanted    = wanted_text(model.get(), chains, asked.size());
            wanted.count     = 20 + below(181);
            const int64_t id = add(loop.get(), wanted.chain, wanted.prompt, wanted.count, wanted.seed);
            asked[id]        = { wanted };
            latest           = id;
        }
    };
    more(total / 2);
    std::thread other([&] { // ends some texts, and asks to end others that are not there
        std::mt19937 own(3);
        while (!is_over) {
            by_others += ggsl_loop_cancel(loop.get(), static_cast<int64_t>(own() % static_cast<uint32_t>(latest + 20)));
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    });
    Texts       texts;
    int         bad = 0, pauses = 0;
    texts.on_step = [&] {
        more(below(4));
        const auto     id       = static_cast<int64_t>(1 + below(asked.size()));
        ggsl_loop_text text     = text_of(nullptr, {}, 1);
        const bool     is_there = texts.by_id[id].end == GGSL_END_NONE;
        switch (below(12)) {
            case 0: bad += ggsl_loop_add(loop.get(), &text) == 0; break;
            case 1: bad += !ggsl_loop_set(loop.get(), id, "no such parameter", 1); break;
            case 2:
                if (is_there && has_part(asked.at(id).wanted.chain, GGSL_PARAM, "t")) {
                    CHECK(ggsl_loop_set(loop.get(), id, "t", 0.5), "%s", ggsl_error());
                    asked.at(id).is_left_alone = false;
                }
                break;
            case 3:  bad += ggsl_loop_set_bias(nullptr, id, nullptr, nullptr, 0) ? 0 : 1; break;
            case 4:  ggsl_loop_cancel(loop.get(), id); break;
            default: break;
        }
    };
    texts.on_token = [&](const ggsl_loop_token &) { return below(500) != 0; };
    while (ggsl_loop_count(loop.get()) > 0 || asked.size() < total) {
        more(1);
        texts.run(loop.get());
        ++pauses;
    }
    is_over = true;
    other.join();
    size_t ends[GGSL_END_ERROR + 1] = {}, checked = 0;
    for (const auto & [id, each] : asked) {
        const Text & text = texts.by_id.at(id);
        ++ends[text.end];
        CHECK(text.end != GGSL_END_NONE && text.end != GGSL_END_ERROR, "text %d: %s", static_cast<int>(id),
              text.message.c_str());
        CHECK(text.tokens.size() <= each.wanted.count, "too many tokens");
        if (each.is_left_alone && text.end != GGSL_END_CANCELLED && id % 8 == 0) {
            check_text(model.get(), each.wanted, text, static_cast<size_t>(id));
            ++checked;
        }
    }
    CHECK(checked > 0 && ends[GGSL_END_CANCELLED] > 0 && bad > 0, "nothing was tried");
    std::printf(
        "%zu texts: %zu cancelled (%d by others), %zu with an end, %zu with all tokens; %d bad calls, %d pauses, %zu checked\n",
        total, ends[GGSL_END_CANCELLED], by_others.load(), ends[GGSL_END_TOKEN], ends[GGSL_END_MAX_TOKENS], bad, pauses,
        checked);
}

} // namespace

int main(int count, char ** arguments) {
    CHECK(count >= 5, "see the top of this file");
    llama_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
    ggml_backend_load_all_from_path(arguments[2]);
    const std::string mode = arguments[1];
    if (mode == "texts") {
        run_texts(arguments + 2, count - 2);
    } else if (mode == "errors") {
        run_errors(arguments + 2);
    } else {
        CHECK(mode == "soak", "no mode %s", arguments[1]);
        run_soak(arguments + 2, count - 2);
    }
    return 0;
}
