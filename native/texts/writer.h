// Texts of one prompt, written at the same time, a token of each per decode, with a chain of llama.cpp's CPU samplers for each.
#pragma once

#include "llama/model.h"
#include "llama/sampler_spec.h"

#include <llama.h>

#include <functional>
#include <string>
#include <vector>

namespace ggsl::tools {

// Where a grammar is asked.
enum class GrammarOrder {
    first, // the chain begins with it: it masks all tokens
    last, // as llama.cpp's server: about the token that the chain picked; if it is refused, the chain runs again behind the mask
};

struct WriterOptions {
    int32_t sequences = 1;
    int32_t tokens    = 128; // of each text, if it does not end before
    // The same of more texts than sequences, each of which takes the place of one that has ended; empty: a text for each sequence.
    std::vector<int32_t> lengths;
    int32_t              context_size = 256; // of each sequence
    int32_t              threads      = 1;
    bool                 is_unified   = false; // one cache for all sequences, as GGSL has it
    std::string          prompt;
    std::string          stages;  // as in replay/stages.h; "{seed}" is the number of the text, from 1
    std::string          grammar; // GBNF; empty: none
    GrammarOrder         order = GrammarOrder::first;
};

struct Written {
    std::vector<std::vector<llama_token>> tokens; // by text
    std::vector<std::string>              texts;
    // Microseconds
    double wall     = 0.0;
    double cpu      = 0.0; // of all threads
    double sampling = 0.0; // part of `wall`, with the copies of logits
};

class Writer {
public:
    // Throws Failure.
    Writer(const Model & model, const WriterOptions & options);

    // Writes all texts from the beginning.
    Written write();

private:
    struct Chain {
        SamplerPtr stages;
        SamplerPtr grammar; // if it is asked last
    };
    // A sequence, and the text that it has now.
    struct Place {
        size_t  text   = 0;
        int32_t count  = 0;  // of its tokens
        int32_t output = -1; // that it goes on from; -1: it has none
        Chain   chain;
    };
    struct ContextDeleter {
        void operator()(llama_context * pointer) const { llama_free(pointer); }
    };
    struct BatchDeleter {
        void operator()(llama_batch * pointer) const;
    };

    Chain       make_chain(size_t text) const;
    llama_token sample(Chain & chain, int32_t output);
    void        read_prompt();
    void        begin(Place & place, size_t text) const;
    void        go_on(Place & place, int32_t sequence, Written & written);
    int32_t     length_of(size_t text) const;
    size_t      text_count() const;
    void        decode();
    void        add(llama_token token, int32_t position, int32_t sequence);

    const Model &                                  model;
    const WriterOptions                            options;
    const std::vector<llama_token>                 prompt;
    std::unique_ptr<llama_context, ContextDeleter> context;
    llama_batch                                    memory;
    std::unique_ptr<llama_batch, BatchDeleter>     batch;
    std::vector<llama_token_data>                  candidates;
};

} // namespace ggsl::tools
