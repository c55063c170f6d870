/*
 * Writes a text for each seed, two at a time, with a GGSL chain and a loop of libggsl. The chain is a spec, which `ggsl compile` writes.
 *
 *     embed graph|host MODEL.gguf SPEC.json SEED...
 */
#include <ggml-backend.h>
#include <ggsl.h>
#include <llama.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMPT "In the beginning"
enum { PLACES = 2, TOKENS = 32, PROMPT_TOKENS = 64, CONTEXT = 256 };

/* What is known of a text. */
struct text {
    char   bytes[4096];
    size_t length;
    int    tokens;
};

static void fail(const char * what) {
    fprintf(stderr, "embed: %s: %s: %s\n", what, ggsl_error_code(), ggsl_error());
    exit(1);
}

/* llama.cpp's warnings and errors only. */
static void log_warnings(enum ggml_log_level level, const char * text, void * data) {
    (void) data;
    if (level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR) {
        fputs(text, stderr);
    }
}

static ggsl_chain * load_chain(const char * path) {
    static char  json[1 << 20];
    FILE *       file   = fopen(path, "rb");
    const size_t length = file == NULL ? 0 : fread(json, 1, sizeof(json), file);
    if (file != NULL) {
        fclose(file);
    }
    ggsl_chain * chain = ggsl_chain_load(json, length);
    if (chain == NULL) {
        fail(path);
    }
    return chain;
}

static ggsl_loop * open_loop(const struct llama_model * model, bool is_on_host) {
    struct ggsl_loop_options options = { .size = sizeof(options) };
    ggsl_loop_defaults(&options);
    options.places          = PLACES;
    options.context_size    = CONTEXT;
    options.threads         = 1; /* enough for the demo model */
    options.cache_type_k    = GGML_TYPE_F32;
    options.cache_type_v    = GGML_TYPE_F32;
    options.flash_attention = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    options.is_on_host      = is_on_host;
    ggsl_loop * loop        = ggsl_loop_init(model, &options);
    if (loop == NULL) {
        fail("the loop");
    }
    return loop;
}

/* Called after each batch, with what is known of all texts. */
static bool on_tokens(const struct ggsl_loop_token * const * tokens, size_t count, void * user) {
    const int64_t * latest = user;
    for (size_t i = 0; i < count; ++i) {
        const struct ggsl_loop_token * token = tokens[i];
        struct text *                  text  = token->user;
        if (token->end == GGSL_END_ERROR) {
            fprintf(stderr, "embed: text %d: %s: %s\n", (int) token->id, token->error_code, token->error);
            return false;
        }
        if (text->length + token->text_length < sizeof(text->bytes)) {
            memcpy(text->bytes + text->length, token->text, token->text_length);
            text->length += token->text_length;
        }
        text->tokens += token->token >= 0;
        if (token->end != GGSL_END_NONE) {
            fprintf(stderr, "text %d of %d is over, with %d tokens\n", (int) token->id, (int) *latest, text->tokens);
        }
    }
    return true;
}

static struct text * write_texts(ggsl_loop * loop, const ggsl_chain * chain, const struct llama_vocab * vocab,
                                 char ** seeds, int count) {
    int32_t       prompt[PROMPT_TOKENS];
    const int32_t length = llama_tokenize(vocab, PROMPT, (int32_t) strlen(PROMPT), prompt, PROMPT_TOKENS, true, false);
    struct text * texts  = calloc((size_t) count, sizeof(struct text));
    int64_t       latest = 0;
    for (int i = 0; i < count && texts != NULL && length > 0; ++i) {
        struct ggsl_loop_text text = {
            .size         = sizeof(text),
            .chain        = chain,
            .prompt       = prompt,
            .prompt_count = (size_t) length,
            .max_tokens   = TOKENS,
            .user         = &texts[i],
        };
        latest = ggsl_loop_add(loop, &text); /* the text begins with ggsl_loop_run */
        if (latest == 0 || !ggsl_loop_set(loop, latest, "seed", strtod(seeds[i], NULL)) ||
            !ggsl_loop_is_ready(loop, latest)) {
            fail(seeds[i]);
        }
    }
    if (!ggsl_loop_run(loop, on_tokens, &latest)) {
        fail("the texts");
    }
    return texts;
}

int main(int argc, char ** argv) {
    const bool is_on_host = argc > 1 && strcmp(argv[1], "host") == 0;
    if (argc < 5 || (!is_on_host && strcmp(argv[1], "graph") != 0)) {
        fprintf(stderr, "usage: embed graph|host MODEL.gguf SPEC.json SEED...\n");
        return 2;
    }
    llama_log_set(log_warnings, NULL);
    ggml_backend_load_all_from_path(LLAMA_FOLDER);
    struct llama_model * model = llama_model_load_from_file(argv[2], llama_model_default_params());
    if (model == NULL) {
        fprintf(stderr, "embed: cannot load %s\n", argv[2]);
        return 1;
    }
    ggsl_chain *  chain = load_chain(argv[3]);
    ggsl_loop *   loop  = open_loop(model, is_on_host);
    const int     count = argc - 4;
    struct text * texts = write_texts(loop, chain, llama_model_get_vocab(model), argv + 4, count);
    for (int i = 0; i < count && texts != NULL; ++i) {
        printf("%s%.*s\n\n", PROMPT, (int) texts[i].length, texts[i].bytes);
    }
    free(texts);
    ggsl_loop_free(loop);
    ggsl_chain_free(chain);
    llama_model_free(model);
    return 0;
}
