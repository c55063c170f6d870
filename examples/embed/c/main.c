/*
 * Generates text with a GGSL chain, in a program that uses llama.cpp. The chain is a spec, which `ggsl compile` writes.
 *
 *     embed graph|host MODEL.gguf SPEC.json [NAME=VALUE]...
 */
#include <ggml-backend.h>
#include <ggsl.h>
#include <llama.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMPT "In the beginning"
enum { TOKENS = 64, PROMPT_TOKENS = 64, CONTEXT = 256 };

static void fail(const char * what, const char * why) {
    fprintf(stderr, "embed: %s: %s\n", what, why);
    exit(1);
}

static void fail_with(const char * what) {
    fprintf(stderr, "embed: %s\n", ggsl_error_code());
    fail(what, ggsl_error());
}

/* llama.cpp's warnings and errors only. */
static void log_warnings(enum ggml_log_level level, const char * text, void * data) {
    (void) data;
    if (level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR) {
        fputs(text, stderr);
    }
}

/* A chain does not change: samplers, also of several threads, can share it. */
static ggsl_chain * load_chain(const char * path) {
    FILE * file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fail("cannot read", path);
    }
    const size_t length = (size_t) ftell(file);
    char *       json   = malloc(length + 1);
    rewind(file);
    if (json == NULL || fread(json, 1, length, file) != length) {
        fail("cannot read", path);
    }
    fclose(file);
    ggsl_chain * chain = ggsl_chain_load(json, length);
    free(json);
    if (chain == NULL) {
        fail_with(path);
    }
    return chain;
}

/* Sets a parameter given as NAME=VALUE. */
static void set(struct llama_sampler * sampler, char * setting) {
    char * value = strchr(setting, '=');
    if (value == NULL) {
        fail("expected NAME=VALUE, found", setting);
    }
    *value++ = '\0';
    if (!ggsl_sampler_set(sampler, setting, strtod(value, NULL))) {
        fail_with(setting);
    }
}

static void print_numbers(const ggsl_chain * chain, const struct llama_sampler * sampler) {
    struct ggsl_part part = { .size = sizeof(part) };
    double           value;
    fprintf(stderr, "chain %s:", ggsl_chain_name(chain));
    for (size_t i = 0; ggsl_chain_part(chain, GGSL_PARAM, i, &part); ++i) {
        if (ggsl_sampler_get(sampler, part.name, &value)) {
            fprintf(stderr, " %s = %g", part.name, value);
        }
    }
    for (size_t i = 0; ggsl_chain_part(chain, GGSL_STATE, i, &part); ++i) {
        if (ggsl_sampler_state(sampler, part.name, &value)) {
            fprintf(stderr, ", state %s = %g", part.name, value);
        }
    }
    fputc('\n', stderr);
}

static void print_token(const struct llama_vocab * vocab, llama_token token) {
    char      piece[256];
    const int length = llama_token_to_piece(vocab, token, piece, sizeof(piece), 0, false);
    fwrite(piece, 1, length > 0 ? (size_t) length : 0, stdout);
    fflush(stdout);
}

/* Prints a text. Returns how many of its tokens were picked in the model's graph. */
static int generate(struct llama_context * context, const struct llama_vocab * vocab, struct llama_sampler * samplers,
                    const struct llama_sampler * own) {
    llama_token tokens[PROMPT_TOKENS];
    const int   count    = llama_tokenize(vocab, PROMPT, (int) strlen(PROMPT), tokens, PROMPT_TOKENS, true, false);
    int         in_graph = 0;
    for (int i = 0; i < count; ++i) {
        llama_sampler_accept(samplers, tokens[i]); /* for chains that read the text so far */
    }
    fputs(PROMPT, stdout);
    struct llama_batch batch = llama_batch_get_one(tokens, count);
    for (int i = 0; i < TOKENS; ++i) {
        if (llama_decode(context, batch) != 0) {
            fail("llama_decode", "failed");
        }
        llama_token token = llama_sampler_sample(samplers, context, -1);
        if (ggsl_sampler_fault(own) != NULL) {
            fail("the sampler", ggsl_sampler_fault(own));
        }
        in_graph += ggsl_sampler_is_in_graph(own);
        if (llama_vocab_is_eog(vocab, token)) {
            break;
        }
        print_token(vocab, token);
        tokens[0] = token;
        batch     = llama_batch_get_one(tokens, 1);
    }
    fputc('\n', stdout);
    return in_graph;
}

int main(int argc, char ** argv) {
    if (argc < 4 || (strcmp(argv[1], "graph") != 0 && strcmp(argv[1], "host") != 0)) {
        fputs("usage: embed graph|host MODEL.gguf SPEC.json [NAME=VALUE]...\n", stderr);
        return 2;
    }
    llama_log_set(log_warnings, NULL);
    ggml_backend_load_all_from_path(LLAMA_FOLDER);
    struct llama_model * model = llama_model_load_from_file(argv[2], llama_model_default_params());
    if (model == NULL) {
        fail("cannot load", argv[2]);
    }
    const struct llama_vocab * vocab = llama_model_get_vocab(model);

    fprintf(stderr, "libggsl %s\n", ggsl_version());
    ggsl_chain *           chain = load_chain(argv[3]);
    struct llama_sampler * own   = ggsl_sampler_init(chain, model);
    if (own == NULL) {
        fail_with("the chain does not fit the model");
    }
    for (int i = 4; i < argc; ++i) {
        set(own, argv[i]);
    }
    if (!ggsl_sampler_is_ready(own)) {
        fail_with("the chain needs more");
    }
    print_numbers(chain, own);

    struct llama_sampler * samplers = llama_sampler_chain_init(llama_sampler_chain_default_params());
    llama_sampler_chain_add(samplers, own); /* which now owns it */
    struct llama_sampler_seq_config config = { 0, samplers };
    struct llama_context_params     params = llama_context_default_params();
    params.n_ctx                           = CONTEXT;
    params.n_batch                         = PROMPT_TOKENS;
    params.n_outputs_max                   = 1;
    params.n_threads                       = 1; /* enough for the demo model */
    params.n_threads_batch                 = 1;
    if (strcmp(argv[1], "graph") == 0) { /* without this the chain runs on the host */
        params.samplers   = &config;
        params.n_samplers = 1;
    }
    struct llama_context * context = llama_init_from_model(model, params);
    if (context == NULL) {
        fail("llama_init_from_model", "failed");
    }
    if (ggsl_sampler_refusal(own) != NULL) {
        fprintf(stderr, "on the host: %s\n", ggsl_sampler_refusal(own));
    }

    const int in_graph = generate(context, vocab, samplers, own);
    fprintf(stderr, "%d tokens picked in the model's graph\n", in_graph);
    print_numbers(chain, own);

    llama_free(context); /* before the samplers that it uses */
    llama_sampler_free(samplers);
    ggsl_chain_free(chain);
    llama_model_free(model);
    return 0;
}
