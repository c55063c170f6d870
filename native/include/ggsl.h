/*
 * GGSL chains as samplers of llama.cpp, for any program that uses llama.cpp.
 *
 *     ggsl_chain * chain = ggsl_chain_load(json, length);                  // what `ggsl compile --emit json` writes
 *     struct llama_sampler * own = ggsl_sampler_init(chain, model);
 *     struct llama_sampler * samplers = llama_sampler_chain_init(llama_sampler_chain_default_params());
 *     llama_sampler_chain_add(samplers, own);                              // which now owns it
 *     struct llama_sampler_seq_config config = { 0, samplers };
 *     context_params.samplers = &config, context_params.n_samplers = 1;    // in the model's graph; without this line on the host
 *     ...
 *     token = llama_sampler_sample(samplers, context, -1);
 *
 * Errors: a function that can fail returns NULL, false or 0, as it says. Then `ggsl_error_code` has a stable word for programs and
 * `ggsl_error` a text for people. Nothing throws, prints or ends the process. No argument may be NULL unless it says so; where
 * one is, or a name is not in the chain, the code is INVALID_ARGUMENT. Every function that allocates can fail with OUT_OF_MEMORY.
 *
 * Threads: there is no global state but the last error, which each thread has for itself. A chain never changes, so any number of
 * threads may use it. A sampler, and the llama_context that it is in, belong to one thread at a time, and so does a loop.
 *
 * Texts are UTF-8. A text that a function returns ends with a zero byte, and stays as long as its chain or sampler, unless the
 * function says otherwise. Structs begin with `size`: set it to sizeof the struct before the call; members that the library does not
 * have yet, or the caller, are left alone.
 */
#ifndef GGSL_H
#define GGSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(GGSL_SHARED)
#ifdef GGSL_BUILD
#define GGSL_API __declspec(dllexport)
#else
#define GGSL_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define GGSL_API __attribute__((visibility("default")))
#else
#define GGSL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Of llama.cpp. */
struct llama_model;
struct llama_sampler;

/* Raised by a change after which programs must be compiled again; functions and members that are added do not raise it. */
#define GGSL_ABI_VERSION 1

/* ---- the library ---- */

/* The GGSL_ABI_VERSION that the library was built with. */
GGSL_API int ggsl_abi_version(void);

/* Its version, and the release of llama.cpp that it is built for: "0.2.0, for llama.cpp 0.5.0". */
GGSL_API const char * ggsl_version(void);

/* What the last call of this thread that failed says; "" before the first. It stays until this thread's next failure. */
GGSL_API const char * ggsl_error(void);

/*
 * One word for the same failure; "" before the first:
 *   INVALID_SPEC       the text is not JSON, or no valid graph spec; up to 20 faults with their places, one a line
 *   WRONG_VERSION      the spec is of a newer format, or the program runs a llama.cpp that this library is not built for
 *   LIMIT_EXCEEDED     the spec, or what was given, is larger than a limit, which the text names
 *   UNSUPPORTED        the chain needs what only the JavaScript runtime has; the text says what, and what to do
 *   INVALID_ARGUMENT   an argument is not what the function takes
 *   INVALID_GRAPH      the chain does not fit the model's vocabulary
 *   INVALID_LOGITS     the model's logits have a NaN or +inf
 *   UNSUPPORTED_OP     a device cannot run the chain
 *   MISSING_INPUT      an input of the chain was never set
 *   MISSING_GRAMMAR    a grammar of the chain was never set
 *   INVALID_MODEL      the model does not write text token by token
 *   CONTEXT_FULL       the prompt leaves no room for a token
 *   NO_CANDIDATE       no token is left to pick from
 *   NO_DEVICE, COMPUTE_FAILED, OUT_OF_MEMORY
 *   INTERNAL           a fault of this library; please report it
 */
GGSL_API const char * ggsl_error_code(void);

/* ---- chains ---- */

/* A compiled chain. It never changes; samplers keep what they need of it. */
typedef struct ggsl_chain ggsl_chain;

/*
 * Loads a graph spec (docs/graph.md), checked as strictly as by the compiler; `json` need not end with a zero byte.
 * NULL: INVALID_SPEC, LIMIT_EXCEEDED, WRONG_VERSION, UNSUPPORTED.
 */
GGSL_API ggsl_chain * ggsl_chain_load(const char * json, size_t length);

/* Frees a chain; nothing for NULL. Its samplers live on. */
GGSL_API void ggsl_chain_free(ggsl_chain * chain);

GGSL_API const char * ggsl_chain_name(const ggsl_chain * chain);

/* Whether the chain picks the token, in the graph or on its host tail. One that does is the last sampler of a llama.cpp chain. */
GGSL_API bool ggsl_chain_picks(const ggsl_chain * chain);

/* What a chain takes from the program and reports to it. */
enum ggsl_kind {
    GGSL_PARAM   = 0, /* a number that can change before every token: ggsl_sampler_set */
    GGSL_SET     = 1, /* a set of tokens that can change before every token: ggsl_sampler_set_tokens */
    GGSL_GRAMMAR = 2, /* a grammar: ggsl_sampler_set_grammar */
    GGSL_INPUT =
        3, /* a column of numbers: ggsl_sampler_set_input if it is dense, ggsl_sampler_set_pairs if it is sparse */
    GGSL_TEXT    = 4, /* a list of tokens to count in: ggsl_sampler_set_text */
    GGSL_GUIDE   = 5, /* the logits of another sequence, a dense column: ggsl_sampler_set_input */
    GGSL_STATE   = 6, /* a number that a text keeps from token to token: ggsl_sampler_state */
    GGSL_MEASURE = 7, /* a number that is reported with each token: ggsl_sampler_measure */
    GGSL_STOP    = 8  /* a condition that ends the text: ggsl_sampler_stop */
};

enum ggsl_type { GGSL_F32 = 0, GGSL_I32 = 1, GGSL_BOOL = 2, GGSL_SEED = 3, GGSL_TOKENS = 4, GGSL_GBNF = 5 };

struct ggsl_part {
    size_t         size; /* sizeof(struct ggsl_part), set by the caller */
    enum ggsl_kind kind;
    enum ggsl_type type;
    const char *   name;
    const char *   doc; /* NULL: the program says nothing */
    /* Of a parameter: its default, and the numbers that it takes. The bounds are infinite where there are none. */
    double default_value; /* NaN: random, new for each text */
    double min;
    double max;
    bool   is_min_excluded;
    bool   is_max_excluded;
    /* A grammar without a default, or an input, must be given before the first token. */
    bool is_required;
    /* The most tokens of a set, a text or a sparse input; 0 for a dense input: a number for each token of the vocabulary. */
    uint32_t capacity;
};

/* How many parts of a kind the chain has. */
GGSL_API size_t ggsl_chain_count(const ggsl_chain * chain, enum ggsl_kind kind);

/* Describes one, counted from 0. False: INVALID_ARGUMENT. */
GGSL_API bool ggsl_chain_part(const ggsl_chain * chain, enum ggsl_kind kind, size_t index, struct ggsl_part * part);

/* What a token costs, from the graph alone (docs/security.md). */
struct ggsl_cost {
    size_t   size;           /* sizeof(struct ggsl_cost), set by the caller */
    uint64_t nodes;          /* nodes that launch a kernel */
    uint64_t work;           /* rows that they read or write */
    uint64_t sorts;          /* sorts and selections over the vocabulary */
    uint64_t device_bytes;   /* intermediate results that are needed at the same time */
    uint64_t host_bytes;     /* of the host tail and of windows */
    uint64_t upload_bytes;   /* written to the device for each token */
    uint64_t readback_bytes; /* read back for each token */
};

/* For a vocabulary of `n_vocab` tokens, 1 to 2^24. False: INVALID_ARGUMENT. */
GGSL_API bool ggsl_chain_cost(const ggsl_chain * chain, int32_t n_vocab, struct ggsl_cost * cost);

/* ---- samplers ---- */

/*
 * A sampler for one text at a time, for llama_sampler_chain_add, after which the llama.cpp chain owns it; else free it with
 * llama_sampler_free. It runs in the model's graph when the llama.cpp chain is given to the context (llama_context_params.samplers
 * or llama_set_sampler) and the device can run it (ggsl_sampler_refusal), else on the host when llama_sampler_sample or
 * llama_sampler_apply calls it. The model must stay until it is freed.
 *
 * Of llama.cpp's calls, llama_sampler_accept advances it: a token that is accepted after the sampler was evaluated counts as generated,
 * any other as part of the prompt. llama_sampler_reset begins another text, with the parameters and inputs as they are and new numbers
 * for seeds that are random. llama_sampler_clone gives an independent copy, which is in no graph.
 *
 * NULL: INVALID_GRAPH if the chain does not fit the vocabulary, INVALID_ARGUMENT if the vocabulary lacks a token that it names,
 * UNSUPPORTED, LIMIT_EXCEEDED, NO_DEVICE.
 */
GGSL_API struct llama_sampler * ggsl_sampler_init(const ggsl_chain * chain, const struct llama_model * model);

/*
 * All functions below take what ggsl_sampler_init returned, or a llama_sampler_clone of it: a `sampler` of another kind, such as the
 * llama.cpp chain that it was added to, is an INVALID_ARGUMENT. What is set counts from the next token on; before the first generated
 * token also for the initial values of the states.
 */

/*
 * Sets a parameter: a number of its type and range; 0 or 1 for a bool. It is rounded to f32, but for a seed, which restarts its
 * stream of random numbers. False: INVALID_ARGUMENT.
 */
GGSL_API bool ggsl_sampler_set(struct llama_sampler * sampler, const char * param, double value);

/* The parameter's present value. False: INVALID_ARGUMENT. */
GGSL_API bool ggsl_sampler_get(const struct llama_sampler * sampler, const char * param, double * value);

/* Sets a set of tokens. `tokens` may be NULL if `count` is 0. False: INVALID_ARGUMENT. */
GGSL_API bool ggsl_sampler_set_tokens(struct llama_sampler * sampler, const char * set, const int32_t * tokens,
                                      size_t count);

/* Sets a grammar in GBNF, which begins at the next token. False: INVALID_ARGUMENT, LIMIT_EXCEEDED. */
GGSL_API bool ggsl_sampler_set_grammar(struct llama_sampler * sampler, const char * grammar, const char * gbnf,
                                       size_t length);

/*
 * Sets a dense input, a number for each token of the vocabulary, or the logits of another sequence. Infinite numbers of an input count
 * as the largest finite ones. They are copied and stay until they are set again. False: INVALID_ARGUMENT.
 */
GGSL_API bool ggsl_sampler_set_input(struct llama_sampler * sampler, const char * input, const float * values,
                                     size_t count);

/* Sets a sparse input: numbers for some tokens, each given once. Both may be NULL if `count` is 0. False: INVALID_ARGUMENT. */
GGSL_API bool ggsl_sampler_set_pairs(struct llama_sampler * sampler, const char * input, const int32_t * tokens,
                                     const float * values, size_t count);

/* Sets a text that the chain counts in. `tokens` may be NULL if `count` is 0. False: INVALID_ARGUMENT. */
GGSL_API bool ggsl_sampler_set_text(struct llama_sampler * sampler, const char * text, const int32_t * tokens,
                                    size_t count);

/*
 * Sets the logit biases of the request, for a chain that reads them (`bias`); -inf bans a token. Both may be NULL if `count` is 0. False:
 * INVALID_ARGUMENT, also for a chain that does not read them.
 */
GGSL_API bool ggsl_sampler_set_bias(struct llama_sampler * sampler, const int32_t * tokens, const float * values,
                                    size_t count);

/*
 * Tokens of the prompt, or of text that something else wrote: the same as llama_sampler_accept for each before the sampler is
 * evaluated. `tokens` may be NULL if `count` is 0. False: INVALID_ARGUMENT; then none was accepted.
 */
GGSL_API bool ggsl_sampler_accept_prompt(struct llama_sampler * sampler, const int32_t * tokens, size_t count);

/*
 * The drafted tokens that the next batch has after the last token of the text, each with an output, for a sampler in a graph: the chain
 * is computed for each row as if the tokens before it were accepted. llama_context_params.n_outputs_max_per_seq must be at least
 * `count` + 1, at most 64. Then each llama_sampler_sample of a row accepts its token, and the program goes on with the next row as
 * long as the token is the drafted one. It holds for one batch. Chains that read no tokens (no features, no `last`, no grammar)
 * need no call. `tokens` may be NULL if `count` is 0. False: INVALID_ARGUMENT.
 */
GGSL_API bool ggsl_sampler_draft(struct llama_sampler * sampler, const int32_t * tokens, size_t count);

/* Checks that all is given that the next token needs. False: MISSING_INPUT, MISSING_GRAMMAR, INVALID_ARGUMENT, LIMIT_EXCEEDED. */
GGSL_API bool ggsl_sampler_is_ready(struct llama_sampler * sampler);

/*
 * llama.cpp's calls have no errors. This is why one of them failed since the sampler was made or llama_sampler_reset was called, or NULL.
 * Such a sampler picks a token that ends the text, on the host; in the graph, where the numbers of the token before are used
 * again, any token. So a program that did not check ggsl_sampler_is_ready checks this after llama_sampler_sample.
 */
GGSL_API const char * ggsl_sampler_fault(const struct llama_sampler * sampler);

/* The value of a state for the next token. False: INVALID_ARGUMENT. */
GGSL_API bool ggsl_sampler_state(const struct llama_sampler * sampler, const char * state, double * value);

/* The value of a measure for the last generated token, once it is accepted; NaN before. False: INVALID_ARGUMENT. */
GGSL_API bool ggsl_sampler_measure(const struct llama_sampler * sampler, const char * measure, double * value);

/*
 * The name of the `stop when` of the chain that ends the text with the last generated token, once it is accepted; of several, the
 * first in the order of the program. NULL: none does, and the text goes on if the program goes on. It stays until the next token.
 */
GGSL_API const char * ggsl_sampler_stop(const struct llama_sampler * sampler);

/*
 * How many tokens of the text a grammar was asked about and did not allow: it waits at them, so the text as a whole may not obey it.
 * Counted since the sampler was made, restored, or llama_sampler_reset was called. -1: INVALID_ARGUMENT.
 */
GGSL_API int64_t ggsl_sampler_disallowed(const struct llama_sampler * sampler);

/*
 * Writes the text so far, as far as the chain needs it, its parameters, states and random streams as JSON: what the JavaScript runtime
 * writes as a saved sequence, and reads. At most `size` bytes with the zero byte are written; `buffer` may be NULL if `size` is 0.
 * Returns the length without the zero byte, even if the buffer is shorter. 0: UNSUPPORTED for a chain with a host tail, whose samplers of
 * llama.cpp cannot be saved.
 */
GGSL_API size_t ggsl_sampler_save(const struct llama_sampler * sampler, char * buffer, size_t size);

/* Goes on where a text was saved. Inputs and biases are not part of it. False: INVALID_ARGUMENT; then nothing has changed. */
GGSL_API bool ggsl_sampler_restore(struct llama_sampler * sampler, const char * json, size_t length);

/* Whether the sampler's latest token was computed in the model's graph. */
GGSL_API bool ggsl_sampler_is_in_graph(const struct llama_sampler * sampler);

/*
 * Why the sampler cannot be in the graph of the context that it was given to, so that it runs on the host; NULL: it can, or was given
 * to none yet.
 */
GGSL_API const char * ggsl_sampler_refusal(const struct llama_sampler * sampler);

/* ---- loops ---- */

/*
 * Writes many texts of a model at once, in a llama_context of its own, with the chains in the model's graph:
 *
 *     ggsl_loop * loop = ggsl_loop_init(model, NULL);
 *     struct ggsl_loop_text text = { .size = sizeof(text), .chain = chain, .prompt = tokens, .prompt_count = count };
 *     int64_t id = ggsl_loop_add(loop, &text);
 *     ggsl_loop_set(loop, id, "t", 0.9);
 *     ggsl_loop_run(loop, on_tokens, NULL);                                // until all texts are written
 *
 * More texts than places wait: first come, first served. What prompts begin with is computed once if they share 16 tokens or more.
 * A text is that of a sampler (ggsl_sampler_init) of the same chain, parameters, seeds and prompt; the model's logits can differ in
 * their last digits, as between any batches of llama.cpp.
 *
 * One thread at a time calls these functions, but ggsl_loop_cancel, which any thread may call. The callback may call all but
 * ggsl_loop_run, ggsl_loop_step and ggsl_loop_free.
 */
typedef struct ggsl_loop ggsl_loop;

struct ggsl_loop_options {
    size_t  size;   /* sizeof(struct ggsl_loop_options), set by the caller */
    int32_t places; /* texts that are written at the same time; 8 */
    int32_t
        context_size;   /* tokens that a text can have with its prompt; 0, the default: the model's training context */
    int32_t batch_size; /* tokens of prompts that are computed at once, before all texts get their next token; 512 */
    int32_t threads;    /* 0, the default: half the number of processors */
    int32_t batch_threads; /* for more than one token at once; 0, the default: as `threads` */
    int32_t cache_type_k;  /* an enum ggml_type of llama.cpp; GGML_TYPE_F16 */
    int32_t cache_type_v;
    int32_t flash_attention; /* an enum llama_flash_attn_type of llama.cpp; LLAMA_FLASH_ATTN_TYPE_AUTO */
    bool
        has_one_cache; /* for all places, as models with recurrent layers or sliding windows always have; else one for each */
    bool is_on_host;    /* chains run on the host: for a device that cannot run them */
    bool checks_logits; /* checks every logit of the model, which is slow */
};

/* Fills the options with their defaults, all but `size`. False: INVALID_ARGUMENT. */
GGSL_API bool ggsl_loop_defaults(struct ggsl_loop_options * options);

/*
 * A loop, which is freed before the model. `options` may be NULL: the defaults. NULL: INVALID_ARGUMENT, INVALID_MODEL, LIMIT_EXCEEDED,
 * WRONG_VERSION, OUT_OF_MEMORY, also if there is no memory for the context of all places.
 */
GGSL_API ggsl_loop * ggsl_loop_init(const struct llama_model * model, const struct ggsl_loop_options * options);

/* Frees a loop with all its texts, which get no further record; nothing for NULL. */
GGSL_API void ggsl_loop_free(ggsl_loop * loop);

/* A text to write. All is copied; zeros are defaults but for what is required. */
struct ggsl_loop_text {
    size_t               size;         /* sizeof(struct ggsl_loop_text), set by the caller */
    const ggsl_chain *   chain;        /* required */
    const int32_t *      prompt;       /* required: token ids, of which the chain reads the text so far */
    size_t               prompt_count; /* from 1 to a token less than the context size */
    size_t               max_tokens;   /* after the prompt; 0: until the context is full */
    const char * const * stops; /* texts that end it, each with a zero byte at its end; NULL if `stop_count` is 0 */
    size_t               stop_count; /* at most 1024, of 65536 bytes together */
    void *               user;       /* for the program, in each record */
};

/*
 * Adds a text, which begins when a place is free, at the next step at the earliest. Returns its number, which counts from 1 on.
 * 0: INVALID_ARGUMENT, CONTEXT_FULL, LIMIT_EXCEEDED; UNSUPPORTED for a chain that picks no token, has a host tail, or reads the logits
 * of another sequence.
 */
GGSL_API int64_t ggsl_loop_add(ggsl_loop * loop, const struct ggsl_loop_text * text);

/*
 * As the functions of samplers of the same names, for a text that waits or is being written; for others false: INVALID_ARGUMENT. What
 * is set counts from its next token on.
 */
GGSL_API bool ggsl_loop_set(ggsl_loop * loop, int64_t id, const char * param, double value);
GGSL_API bool ggsl_loop_get(const ggsl_loop * loop, int64_t id, const char * param, double * value);
GGSL_API bool ggsl_loop_set_tokens(ggsl_loop * loop, int64_t id, const char * set, const int32_t * tokens,
                                   size_t count);
GGSL_API bool ggsl_loop_set_grammar(ggsl_loop * loop, int64_t id, const char * grammar, const char * gbnf,
                                    size_t length);
GGSL_API bool ggsl_loop_set_input(ggsl_loop * loop, int64_t id, const char * input, const float * values, size_t count);
GGSL_API bool ggsl_loop_set_pairs(ggsl_loop * loop, int64_t id, const char * input, const int32_t * tokens,
                                  const float * values, size_t count);
GGSL_API bool ggsl_loop_set_text(ggsl_loop * loop, int64_t id, const char * text, const int32_t * tokens, size_t count);
GGSL_API bool ggsl_loop_set_bias(ggsl_loop * loop, int64_t id, const int32_t * tokens, const float * values,
                                 size_t count);
/* A text that is not ready gets a record with the error when its place is free. */
GGSL_API bool ggsl_loop_is_ready(ggsl_loop * loop, int64_t id);

/* Ends a text at the next step, with a record. Any thread. False: INVALID_ARGUMENT, also for one that has ended meanwhile. */
GGSL_API bool ggsl_loop_cancel(ggsl_loop * loop, int64_t id);

/* Why a text has ended. */
enum ggsl_loop_end {
    GGSL_END_NONE       = 0, /* it goes on */
    GGSL_END_TOKEN      = 1, /* a token that ends it, which this record has */
    GGSL_END_STOP       = 2, /* a stop text, which is in no record */
    GGSL_END_MAX_TOKENS = 3,
    GGSL_END_CONTEXT    = 4, /* its context is full */
    GGSL_END_CANCELLED  = 5,
    GGSL_END_ERROR      = 6, /* `error_code` and `error` say which; the loop goes on with the others */
    GGSL_END_CHAIN      = 7  /* a `stop when` of its chain, named by `stop` */
};

enum ggsl_loop_flag {
    GGSL_TOKEN_FORCED =
        1, /* it came in place of a pick: a grammar allowed no other, so the model was not asked, for chains without states and measures;
              or it is of a text that the chain writes */
    GGSL_TOKEN_REFUSED = 2 /* a grammar was asked about it and did not allow it, as ggsl_sampler_disallowed counts */
};

/*
 * A token of a text. It comes once its text is known: what may be the beginning of a stop text is held back. The last record of a text
 * has the reason in `end`. All pointers are those of the library until the callback returns.
 */
struct ggsl_loop_token {
    size_t             size; /* sizeof(struct ggsl_loop_token), as the library has it */
    int64_t            id;   /* of its text */
    void *             user;
    int32_t            token; /* -1: none, for a text that ended without another one */
    uint32_t           flags; /* the sum of values of enum ggsl_loop_flag */
    enum ggsl_loop_end end;
    const char *       text; /* whole characters: those of a token that ends inside one come with a later token */
    size_t             text_length; /* in bytes, without the zero byte behind them */
    const float *      states;      /* the values for the next token, as ggsl_chain_part numbers them */
    size_t             state_count; /* 0 for a chain without states, and without a token */
    const float *      measures;    /* the values for this token */
    size_t             measure_count;
    const char *       error_code; /* as ggsl_error_code; NULL without an error */
    const char *       error;
    const char *       stop; /* the name of the stop of the chain that ended the text; NULL if none did */
};

/*
 * Gets what is known after a step: `count` records, those of a text in order. `count` can be 0. False: ggsl_loop_run returns, and goes
 * on with the next call.
 */
typedef bool (*ggsl_loop_callback)(const struct ggsl_loop_token * const * tokens, size_t count, void * user);

/* How many texts wait or are being written. */
GGSL_API size_t ggsl_loop_count(const ggsl_loop * loop);

/*
 * One step: reads `batch_size` tokens of prompts at most, then one token for each text in one batch, and calls the callback, with
 * `user`. False: INVALID_ARGUMENT, OUT_OF_MEMORY, COMPUTE_FAILED; a fault of the model in a batch ends the texts of the batch instead.
 */
GGSL_API bool ggsl_loop_step(ggsl_loop * loop, ggsl_loop_callback callback, void * user);

/* Steps until there are no texts or the callback returns false. False: as ggsl_loop_step. */
GGSL_API bool ggsl_loop_run(ggsl_loop * loop, ggsl_loop_callback callback, void * user);

struct ggsl_loop_stats {
    size_t   size;                   /* sizeof(struct ggsl_loop_stats), set by the caller */
    uint64_t waiting;                /* texts without a place */
    uint64_t writing;                /* texts with one */
    uint64_t tokens;                 /* written so far */
    uint64_t prompt_tokens;          /* of all texts that have begun */
    uint64_t computed_prompt_tokens; /* those of them that were not shared */
    uint64_t batches;                /* computed so far */
    uint64_t graph_builds;           /* batches for which llama.cpp built its graph anew, with the chains */
    uint64_t cache_bytes;            /* of the context: keys and values of all places */
};

/* False: INVALID_ARGUMENT. */
GGSL_API bool ggsl_loop_get_stats(const ggsl_loop * loop, struct ggsl_loop_stats * stats);

#ifdef __cplusplus
}
#endif

#endif
