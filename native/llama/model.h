// A GGUF model: weights, vocabulary, metadata.
#pragma once

#include "tokenizer.h"

#include <llama.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ggsl {

class ModelGrammars;

// Watches a load, from the thread that loads. A fraction from 0 to 1; false ends the load.
using LoadWatch = std::function<bool(float)>;

struct ModelOptions {
    int32_t                  gpu_layers = -1; // layers on the GPU; -1: all of them, 0: none
    std::vector<std::string> devices;         // ggml's names, in the order of the layers; empty: all GPUs
    std::vector<float>       split; // the devices' parts of the layers, in any unit; empty: by their free memory
    bool                     vocab_only = false; // without the weights: it tokenizes, and has no contexts
};

class Model {
public:
    // Reads the whole file. Throws Failure (INVALID_MODEL, NO_DEVICE; ABORTED if `watch` ends it).
    Model(const std::string & path, const ModelOptions & options, LoadWatch watch = nullptr);
    // A model in memory; the bytes are copied. Throws Failure (INVALID_MODEL).
    explicit Model(std::span<const uint8_t> bytes);
    // One that belongs to someone else, who keeps it as long as this object.
    explicit Model(llama_model * borrowed);

    llama_model *       get() const { return model.get(); }
    const llama_vocab * vocab() const { return llama_model_get_vocab(model.get()); }
    int32_t             vocab_size() const { return llama_vocab_n_tokens(vocab()); }

    // Prepared by the first call. Safe to call from several threads.
    const Tokenizer & tokenizer() const;

    // The tokens of a text; see Tokenizer::tokenize, which throws.
    std::vector<llama_token> tokenize(const std::string & text, bool add_special, bool parse_special) const {
        return tokenizer().tokenize(text, { .add_special = add_special, .parse_special = parse_special });
    }

    // The bytes of a token; not always whole UTF-8 characters. Throws Failure (INVALID_ARGUMENT).
    std::string piece(llama_token token, bool special) const;

    // The bytes of every token detokenized alone, as DRY looks for breakers: without the blank that the vocabulary puts before a
    // text, with control tokens. Token i has the bytes from offsets[i] to offsets[i + 1].
    struct Pieces {
        std::vector<uint8_t> bytes;
        std::vector<int32_t> offsets;
    };
    Pieces pieces() const;

    // The bytes that every token adds to a text, control tokens with theirs, in the same form.
    Pieces texts() const;

    // For every token: 1 for a control token, plus 2 for one that ends a generation.
    std::vector<uint8_t> classes() const;

    // Whether some layer keeps one state per sequence, from which no token can be removed; such models are computed one sequence at
    // a time.
    bool is_recurrent() const;

    // ggml's name of the device with the output layer.
    std::string output_device() const;

    // Without weights there are no contexts.
    bool has_weights() const { return !vocab_only; }
    // Throws Failure (INVALID_MODEL) for one that does not write text token by token, which `name` is in the message.
    void check_generates(const std::string & name) const;

    // Prepared by the first call. Safe to call from several threads. Throws Failure (LIMIT_EXCEEDED).
    ModelGrammars & grammars() const;

    bool                                             is_end(llama_token token) const;
    std::string                                      description() const;
    std::vector<std::pair<std::string, std::string>> metadata() const;

private:
    void check_loaded(const std::string & name, const std::string & why) const;

    struct Deleter {
        bool is_borrowed; // false unless it is given
        void operator()(llama_model * pointer) const;
    };
    std::unique_ptr<llama_model, Deleter>    model;
    bool                                     vocab_only = false;
    mutable std::once_flag                   tokenizer_once;
    mutable std::unique_ptr<const Tokenizer> texts_to_tokens;
    mutable std::once_flag                   grammars_once;
    mutable std::shared_ptr<ModelGrammars>   open_grammars;
};

} // namespace ggsl
