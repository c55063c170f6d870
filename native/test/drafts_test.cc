// Texts with drafts through libggsl: several outputs of a sequence in a batch.
//   ggsl_drafts_test texts  LIBRARIES MODEL DEVICE ROWS COUNT SPEC...   each text with drafts is the one without; prints JSON
//   ggsl_drafts_test faults LIBRARIES MODEL SPEC                        what a program can do wrong; SPEC reads the text so far
// DEVICE: the model and its chains are there; NAME=LIBRARY for one of another backend; "host": the model is on the CPU and its chains in
// no graph.
#include "check.h"
#include "library.h"

#include <cmath>
#include <cstring>

using namespace ggsl::test;

namespace {

struct Text {
    std::vector<llama_token> tokens;
    std::vector<double>      numbers; // states, measures and stops after each token
    std::string              saved, refusal;
    int                      in_graph = 0, decodes = 0;
};

// A text in a context of its own, whose sequence has up to `rows` outputs in a batch.
class Writer {
public:
    Writer(llama_model * model, const ggsl_chain * chain, bool is_in_graph, int rows)
        : chain(chain), own(ggsl_sampler_init(chain, model)),
          samplers(llama_sampler_chain_init(llama_sampler_chain_default_params())),
          vocab_size(llama_vocab_n_tokens(llama_model_get_vocab(model))), batch(llama_batch_init(256, 0, 1)) {
        CHECK(own != nullptr, "%s: %s", ggsl_error_code(), ggsl_error());
        llama_sampler_chain_add(samplers.get(), own);
        llama_sampler_seq_config config{ 0, samplers.get() };
        llama_context_params     params = llama_context_default_params();
        params.n_ctx                    = 256;
        params.n_outputs_max            = static_cast<uint32_t>(rows);
        params.n_outputs_max_per_seq    = static_cast<uint32_t>(rows);
        params.n_threads = params.n_threads_batch = 1;
        params.type_k = params.type_v = GGML_TYPE_F32;
        params.flash_attn_type        = LLAMA_FLASH_ATTN_TYPE_DISABLED;
        params.samplers               = is_in_graph ? &config : nullptr;
        params.n_samplers             = is_in_graph ? 1 : 0;
        context.reset(llama_init_from_model(model, params));
        CHECK(context, "no context");
        const char prompt[] = "In the beginning";
        given.resize(64);
        given.resize(static_cast<size_t>(llama_tokenize(llama_model_get_vocab(model), prompt,
                                                        static_cast<int32_t>(std::strlen(prompt)), given.data(), 64,
                                                        true, false)));
        CHECK(ggsl_sampler_accept_prompt(own, given.data(), given.size()), "%s", ggsl_error());
    }
    ~Writer() { llama_batch_free(batch); }

    // Decodes tokens; the last `outputs` of them have one.
    void decode(const std::vector<llama_token> & tokens, size_t outputs) {
        batch.n_tokens = static_cast<int32_t>(tokens.size());
        for (size_t i = 0; i < tokens.size(); ++i) {
            batch.token[i]     = tokens[i];
            batch.pos[i]       = position + static_cast<llama_pos>(i);
            batch.n_seq_id[i]  = 1;
            batch.seq_id[i][0] = 0;
            batch.logits[i]    = i + outputs >= tokens.size();
        }
        CHECK(llama_decode(context.get(), batch) == 0, "decode");
        ++text.decodes;
    }

    llama_token sample(size_t output) {
        const auto at = static_cast<int32_t>(output);
        text.in_graph += llama_get_sampled_token_ith(context.get(), at) != LLAMA_TOKEN_NULL;
        const llama_token token = llama_sampler_sample(samplers.get(), context.get(), at);
        text.tokens.push_back(token);
        return token;
    }

    // Drafts are of `known`, every seventh token another one.
    Text write(size_t count, size_t most, const std::vector<llama_token> & known) {
        decode(given, 1);
        position += static_cast<llama_pos>(given.size());
        note(sample(given.size() - 1));
        while (text.tokens.size() < count) {
            const size_t             length = text.tokens.size();
            std::vector<llama_token> tokens{ text.tokens.back() };
            for (size_t i = length; i < known.size() && tokens.size() <= most && i + 1 < count; ++i) {
                tokens.push_back(i % 7 == 5 ? (known[i] + 1) % vocab_size : known[i]);
            }
            CHECK(ggsl_sampler_draft(own, tokens.data() + 1, tokens.size() - 1), "%s", ggsl_error());
            decode(tokens, tokens.size());
            size_t output = 0;
            do {
                note(sample(output));
            } while (output + 1 < tokens.size() && text.tokens.back() == tokens[output + 1] && ++output > 0);
            position += static_cast<llama_pos>(output) + 1;
            llama_memory_seq_rm(llama_get_memory(context.get()), 0, position, -1);
        }
        text.saved.resize(ggsl_sampler_save(own, nullptr, 0) + 1);
        ggsl_sampler_save(own, text.saved.data(), text.saved.size());
        const char * const refusal = ggsl_sampler_refusal(own);
        text.refusal               = refusal == nullptr ? "" : refusal;
        return text;
    }

    llama_sampler * sampler() const { return own; }
    Text            text;

    const std::vector<llama_token> & prompt() const { return given; }
    void                             advance(size_t tokens) { position += static_cast<llama_pos>(tokens); }

private:
    void note(llama_token) {
        CHECK(ggsl_sampler_fault(own) == nullptr, "%s", ggsl_sampler_fault(own));
        for (const ggsl_kind kind : { GGSL_STATE, GGSL_MEASURE }) {
            for (size_t i = 0; i < ggsl_chain_count(chain, kind); ++i) {
                ggsl_part part{};
                part.size = sizeof(part);
                double value;
                CHECK(ggsl_chain_part(chain, kind, i, &part) &&
                          (kind == GGSL_STATE ? ggsl_sampler_state : ggsl_sampler_measure)(own, part.name, &value),
                      "%s", ggsl_error());
                text.numbers.push_back(value);
            }
        }
        text.numbers.push_back(ggsl_sampler_stop(own) == nullptr ? 0 : 1);
    }

    const ggsl_chain *       chain;
    llama_sampler *          own;
    SamplerPtr               samplers;
    const int32_t            vocab_size;
    ContextPtr               context;
    llama_batch              batch;
    std::vector<llama_token> given;
    llama_pos                position = 0;
};

void run_texts(char ** arguments, int count) {
    if (char * const library = std::strchr(arguments[2], '=')) {
        *library = '\0';
        CHECK(ggml_backend_load(library + 1) != nullptr, "cannot load %s", library + 1);
    }
    const bool         is_on_host = std::strcmp(arguments[2], "host") == 0;
    ggml_backend_dev_t device     = is_on_host ? nullptr : ggml_backend_dev_by_name(arguments[2]);
    CHECK(is_on_host || device != nullptr, "no device %s", arguments[2]);
    const bool     is_cpu = is_on_host || ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU;
    const ModelPtr model  = load_model(arguments[1], is_cpu ? nullptr : device);
    const int      rows   = std::atoi(arguments[3]);
    const auto     length = static_cast<size_t>(std::atoi(arguments[4]));
    std::printf("[");
    for (int i = 5; i < count; ++i) {
        const ChainPtr chain = load_chain(read_file(arguments[i]));
        const Text     plain = Writer(model.get(), chain.get(), !is_on_host, 1).write(length, 0, {});
        const Text     text  = Writer(model.get(), chain.get(), !is_on_host, rows)
                              .write(length, static_cast<size_t>(rows) - 1, plain.tokens);
        CHECK(text.tokens == plain.tokens, "%s: another text", arguments[i]);
        CHECK(text.numbers.size() == plain.numbers.size(), "%s: other states", arguments[i]);
        for (size_t k = 0; k < text.numbers.size(); ++k) {
            CHECK(std::fabs(text.numbers[k] - plain.numbers[k]) < 1e-3, "%s: number %zu is %f, expected %f",
                  arguments[i], k, text.numbers[k], plain.numbers[k]);
        }
        std::printf("%s{\"inGraph\":%d,\"plainInGraph\":%d,\"decodes\":%d,\"refusal\":\"%s\",\"tokens\":[",
                    i == 5 ? "" : ",", text.in_graph, plain.in_graph, text.decodes, text.refusal.c_str());
        for (size_t k = 0; k < length; ++k) {
            std::printf("%s%d", k == 0 ? "" : ",", text.tokens[k]);
        }
        std::printf("],\"saved\":[%s,%s]}", text.saved.c_str(), plain.saved.c_str());
    }
    std::printf("]\n");
}

void check_fault(const Writer & writer, const char * part) {
    const char * const fault = ggsl_sampler_fault(writer.sampler());
    CHECK(fault != nullptr && std::strstr(fault, part) != nullptr, "expected a fault with \"%s\", found %s", part,
          fault == nullptr ? "none" : fault);
}

void run_faults(char ** arguments) {
    const ModelPtr                 model = load_model(arguments[1]);
    const ChainPtr                 chain = load_chain(read_file(arguments[2]));
    const std::vector<llama_token> known = Writer(model.get(), chain.get(), true, 1).write(6, 0, {}).tokens;
    const auto                     begin = [&](Writer & writer) {
        writer.decode(writer.prompt(), 1);
        writer.advance(writer.prompt().size());
        CHECK(writer.sample(writer.prompt().size() - 1) == known[0], "the first token");
    };
    {
        Writer writer(model.get(), chain.get(), true, 4);
        CHECK(!ggsl_sampler_draft(writer.sampler(), known.data(), 4), "too many tokens");
        CHECK(std::strstr(ggsl_error(), "expected at most 3 drafted tokens, found 4") != nullptr, "%s", ggsl_error());
        const int32_t stray = 1 << 30;
        CHECK(!ggsl_sampler_draft(writer.sampler(), &stray, 1) && std::strstr(ggsl_error(), "is not a token"), "%s",
              ggsl_error());
        begin(writer);
        // the chain reads the text, and was not told what follows
        writer.decode({ known[0], known[1], known[2] }, 3);
        CHECK(writer.sample(0) == known[1] && ggsl_sampler_fault(writer.sampler()) == nullptr, "the first row");
        writer.sample(1);
        check_fault(writer, "give the drafted tokens to ggsl_sampler_draft before llama_decode");
    }
    {
        Writer writer(model.get(), chain.get(), true, 4);
        begin(writer);
        CHECK(ggsl_sampler_draft(writer.sampler(), known.data() + 1, 3), "%s", ggsl_error());
        writer.decode({ known[0], known[1] }, 2);
        writer.sample(0);
        check_fault(writer, "the draft has 3 tokens, and the batch 2 outputs of the text");
        // the next text
        llama_sampler_reset(writer.sampler());
        CHECK(ggsl_sampler_fault(writer.sampler()) == nullptr, "reset");
    }
    const Text text = Writer(model.get(), chain.get(), true, 65).write(6, 0, {});
    CHECK(text.tokens == known && text.in_graph == 0, "65 rows");
    CHECK(text.refusal.find("up to 65 outputs of a sequence in a batch, and a chain in the graph at most 64") !=
              std::string::npos,
          "%s", text.refusal.c_str());
    std::puts("all faults are as expected");
}

} // namespace

int main(int count, char ** arguments) {
    CHECK(count >= 5, "see the top of this file");
    llama_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
    ggml_backend_load_all_from_path(arguments[2]);
    if (std::strcmp(arguments[1], "texts") == 0) {
        CHECK(count >= 8, "see the top of this file");
        run_texts(arguments + 2, count - 2);
    } else {
        run_faults(arguments + 2);
    }
    return 0;
}
