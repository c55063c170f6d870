// Generates texts with a GGSL chain in several sequences of one context. The chain is a spec, which `ggsl compile` writes.
//
//     embed graph|host MODEL.gguf SPEC.json SEED...
#include <ggml-backend.h>
#include <ggsl.hpp>
#include <llama.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

const std::string prompt  = "In the beginning";
constexpr int     tokens  = 32;
constexpr int     context = 256;

template <auto free> struct Deleter {
    template <typename T> void operator()(T * pointer) const { free(pointer); }
};
using Model   = std::unique_ptr<llama_model, Deleter<llama_model_free>>;
using Context = std::unique_ptr<llama_context, Deleter<llama_free>>;
using Chain   = std::unique_ptr<llama_sampler, Deleter<llama_sampler_free>>;

// A text, and the sampler that writes it.
struct Text {
    ggsl::Sampler sampler;
    Chain         samplers;
    llama_token   last     = LLAMA_TOKEN_NULL;
    std::string   text     = prompt;
    int           in_graph = 0;
    bool          is_ended = false;
};

std::string read(const char * path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error(std::string("cannot read ") + path);
    }
    return { std::istreambuf_iterator<char>(file), {} };
}

std::vector<llama_token> tokenize(const llama_vocab * vocab) {
    std::vector<llama_token> ids(prompt.size() + 1);
    ids.resize(static_cast<size_t>(llama_tokenize(vocab, prompt.data(), static_cast<int>(prompt.size()), ids.data(),
                                                  static_cast<int>(ids.size()), true, false)));
    return ids;
}

std::string piece_of(const llama_vocab * vocab, llama_token token) {
    char      piece[256];
    const int length = llama_token_to_piece(vocab, token, piece, sizeof(piece), 0, false);
    return std::string(piece, length > 0 ? static_cast<size_t>(length) : 0);
}

Text start(const ggsl::Chain & chain, const llama_model * model, double seed) {
    Text text{ { chain, model }, Chain(llama_sampler_chain_init(llama_sampler_chain_default_params())) };
    text.sampler.set("seed", seed);
    text.sampler.check_ready();
    llama_sampler_chain_add(text.samplers.get(), text.sampler.give());
    return text;
}

void add(llama_batch & batch, llama_token token, llama_pos position, llama_seq_id sequence, bool has_output) {
    const auto i       = static_cast<size_t>(batch.n_tokens++);
    batch.token[i]     = token;
    batch.pos[i]       = position;
    batch.n_seq_id[i]  = 1;
    batch.seq_id[i][0] = sequence;
    batch.logits[i]    = has_output;
}

// Each turn decodes one batch with a token of every text, and takes the next ones.
void generate(llama_context * context, const llama_vocab * vocab, std::vector<Text> & texts) {
    const std::vector<llama_token> ids   = tokenize(vocab);
    llama_batch                    batch = llama_batch_init(static_cast<int>(ids.size() * texts.size()), 0, 1);
    for (int turn = 0; turn < tokens; ++turn) {
        batch.n_tokens = 0;
        std::vector<std::pair<Text *, int>> outputs; // and the place of each in the batch
        for (size_t i = 0; i < texts.size(); ++i) {
            Text &     text     = texts[i];
            const auto sequence = static_cast<llama_seq_id>(i);
            if (text.is_ended) {
                continue;
            }
            if (turn == 0) {
                text.sampler.accept_prompt(ids);
                for (size_t at = 0; at < ids.size(); ++at) {
                    add(batch, ids[at], static_cast<llama_pos>(at), sequence, at + 1 == ids.size());
                }
            } else {
                add(batch, text.last, static_cast<llama_pos>(ids.size()) + turn - 1, sequence, true);
            }
            outputs.emplace_back(&text, batch.n_tokens - 1);
        }
        if (outputs.empty()) {
            break;
        }
        if (llama_decode(context, batch) != 0) {
            throw std::runtime_error("llama_decode failed");
        }
        for (const auto & [text, place] : outputs) {
            text->last = llama_sampler_sample(text->samplers.get(), context, place);
            text->sampler.check_fault();
            text->in_graph += text->sampler.is_in_graph();
            text->is_ended = llama_vocab_is_eog(vocab, text->last);
            if (!text->is_ended) {
                text->text += piece_of(vocab, text->last);
            }
        }
    }
    llama_batch_free(batch);
}

void run(bool is_in_graph, const char * path, const char * spec, const std::vector<double> & seeds) {
    const Model model(llama_model_load_from_file(path, llama_model_default_params()));
    if (!model) {
        throw std::runtime_error(std::string("cannot load ") + path);
    }
    const ggsl::Chain chain(read(spec));
    std::cerr << "libggsl " << ggsl_version() << "\nchain " << chain.name() << ", for each of " << seeds.size()
              << " texts\n";

    std::vector<Text>                     texts;
    std::vector<llama_sampler_seq_config> configs;
    for (const double seed : seeds) {
        texts.push_back(start(chain, model.get(), seed));
        configs.push_back({ static_cast<llama_seq_id>(configs.size()), texts.back().samplers.get() });
    }
    llama_context_params params  = llama_context_default_params();
    params.n_ctx                 = context * static_cast<uint32_t>(texts.size());
    params.n_seq_max             = static_cast<uint32_t>(texts.size());
    params.n_outputs_max         = params.n_seq_max;
    params.n_outputs_max_per_seq = 1;
    params.n_threads             = 1; // enough for the demo model
    params.n_threads_batch       = 1;
    params.kv_unified            = true; // one graph for all texts
    params.type_k                = GGML_TYPE_F32;
    params.type_v                = GGML_TYPE_F32;
    params.flash_attn_type       = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    if (is_in_graph) {
        params.samplers   = configs.data();
        params.n_samplers = configs.size();
    }
    const Context opened(llama_init_from_model(model.get(), params)); // freed before the samplers that it uses
    if (!opened) {
        throw std::runtime_error("llama_init_from_model failed");
    }
    generate(opened.get(), llama_model_get_vocab(model.get()), texts);
    for (const Text & text : texts) {
        std::cout << text.text << "\n\n";
        std::cerr << text.in_graph << " tokens picked in the model's graph\n";
    }
}

} // namespace

int main(int argc, char ** argv) {
    const std::string place = argc > 1 ? argv[1] : "";
    if (argc < 5 || (place != "graph" && place != "host")) {
        std::cerr << "usage: embed graph|host MODEL.gguf SPEC.json SEED...\n";
        return 2;
    }
    llama_log_set(
        [](ggml_log_level level, const char * text, void *) {
            if (level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR) {
                std::cerr << text;
            }
        },
        nullptr);
    ggml_backend_load_all_from_path(LLAMA_FOLDER);
    try {
        std::vector<double> seeds;
        for (int i = 4; i < argc; ++i) {
            seeds.push_back(std::stod(argv[i]));
        }
        run(place == "graph", argv[2], argv[3], seeds);
    } catch (const ggsl::Error & error) {
        std::cerr << "embed: " << error.code << ": " << error.what() << "\n";
        return 1;
    } catch (const std::exception & error) {
        std::cerr << "embed: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
