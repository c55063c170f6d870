// A llama.cpp context: the memory of several sequences, each with its own chain or none.
#pragma once

#include "graph/owned.h"
#include "assembler.h"
#include "context_options.h"
#include "feeder.h"
#include "model.h"
#include "runs.h"
#include "sampler.h"

#include <atomic>
#include <functional>
#include <map>
#include <optional>

namespace ggsl {

// In Batch::outputs: as 1, and return the model's own logits too.
constexpr uint8_t raw_output = 2;
// Within a context: it is computed as the others, and nobody reads it.
constexpr uint8_t unread_output = 3;

// A sequence without a token in a batch, whose text is that of another one.
struct Follower {
    int32_t sequence;
    int32_t source;
};

struct Batch {
    std::vector<int32_t> tokens;
    std::vector<int32_t> positions; // in the token's sequence
    std::vector<int32_t> sequences;
    std::vector<uint8_t> outputs; // 1: sample, or return logits without a chain, after this token
    // Their chains read the logits of their source's last token, its one output; then they get a copy of its tokens, unless they hold as many.
    std::vector<Follower> followers = {};

    void add(int32_t token, int32_t position, int32_t sequence, uint8_t output) {
        tokens.push_back(token);
        positions.push_back(position);
        sequences.push_back(sequence);
        outputs.push_back(output);
    }
    // A token of another batch.
    void add(const Batch & from, size_t i) {
        add(from.tokens[i], from.positions[i], from.sequences[i], from.outputs[i]);
    }
    // How many outputs its token at this place gives.
    size_t outputs_at(size_t i) const;
    // The sequence whose tokens are those of this one: itself, or its source.
    int32_t source_of(int32_t sequence) const;
};

// A text that is written on.
struct Ahead {
    int32_t                 sequence;
    size_t                  most; // tokens after the first
    std::shared_ptr<Feeder> feeder;
    // More of them, as `allow` says, up to so many; by default none.
    size_t room = 0;
    // Its last token, where that is no part of the first batch of a `write`; else -1.
    int32_t last     = -1;
    int32_t position = -1; // of `last`
};

// A token of one of these texts.
struct Written {
    size_t              text; // its place in the list of texts
    int32_t             token;
    bool                is_forced  = false; // it came whatever the chain would pick
    bool                is_written = false; // in place of the pick
    bool                is_refused = false; // by a grammar
    bool                is_over    = false; // the text ends with these tokens, and what comes before them was not read
    bool                is_end     = false; // it ends a text, and has none
    std::optional<Said> said       = {};    // none of one that ends a text, or that the text has not accepted
    std::vector<float>  scalars    = {};    // the next values of the states and windows, the measures, the stops
};

// The chain's results; raw logits if the sequence has no chain.
struct Output {
    int32_t            sequence;
    Results            results;
    std::vector<float> raw; // the model's own logits beside a chain's results, where they were asked for
};

struct ContextStats {
    SamplerCounters counters;
    SamplerStats    chains; // nodes are counted once for sequences with the same chain
    size_t          cache_bytes;
    int32_t         threads;
    int32_t         batch_threads;
};

// Outputs by their places in a batch.
std::vector<Output> in_order(std::vector<Output> outputs, const std::vector<size_t> & places);

class Context {
public:
    // Throws Failure (INVALID_ARGUMENT, UNSUPPORTED_OP, OUT_OF_MEMORY).
    Context(std::shared_ptr<Model> model, const ContextOptions & options);
    ~Context();

    // Computes a batch. ABORTED and COMPUTE_FAILED clear the memory of the batch's sequences.
    // Throws Failure (INVALID_ARGUMENT, CONTEXT_FULL, ABORTED, COMPUTE_FAILED, INVALID_LOGITS).
    std::vector<Output> decode(const Batch & batch);

    // The same, and then a batch of the tokens that the chains of `texts` picked, and so on: until each text has as many tokens as it may
    // have, or one that ends it, or a stop text, or cannot go on by itself, or `pause` was called. Tokens that are the only ones that may come are part of
    // the next batch without one of their own, and need none where they end the text. `batch` has what is not of these texts, and the tokens of
    // those without a last one. `on_tokens` gets what each batch gave, on this thread. Returns the outputs of the first batch that are of no text.
    // Throws as decode, and what a feeder throws for the tokens of `batch`, of which nothing is computed then.
    std::vector<Output> write(const Batch & batch, const std::vector<Ahead> & texts,
                              const std::function<void(const std::vector<Written> &)> & on_tokens);

    // Ends a `write` on another thread after its present batch.
    void pause() { pause_requested = true; }
    // Before a `write`, on the thread that pauses.
    void forget_pause() { pause_requested = false; }

    // Lets the texts of a running `write` have so many tokens more than `most`, as far as they have room.
    void   allow(size_t more) { allowed += more; }
    size_t allowed_tokens() const { return allowed; }
    // Before a `write`, on the thread that allows.
    void forget_allowed() { allowed = 0; }

    // Stops a decode on another thread, between batches at the latest; on the CPU also within one.
    void abort() { abort_requested = true; }

    // Before a decode, on the thread that aborts: a request that came as the last decode ended is not for the next one.
    void forget_abort() { abort_requested = false; }

    // More rows and outputs than before, as in ContextOptions; never fewer. The sequences keep their tokens, and the chains what was
    // set. It makes a new llama.cpp context. Throws Failure (INVALID_ARGUMENT, OUT_OF_MEMORY), after which nothing has changed.
    void set_rows(int32_t rows, int32_t outputs);

    // Sets the chain of a sequence; null removes it. The next decode rebuilds the model's graph.
    void set_chain(int32_t sequence, std::shared_ptr<const Graph> graph, Role role = Role::picks);
    // `input` of a sequence's chain is the logits of `guide`, which has the same chain and the role of a guide.
    // Throws Failure (INVALID_ARGUMENT).
    void      set_guide(int32_t sequence, size_t input, int32_t guide);
    Sampler & sampler(int32_t sequence);

    // Removes the tokens of a sequence from `from` on.
    void remove(int32_t sequence, int32_t from);
    // Makes `to` a copy of `from`'s tokens, of which nothing is copied where they share a cache.
    void copy(int32_t from, int32_t to);
    // Exchanges the tokens of two sequences; their chains stay. Where it fails, both may be empty. Throws Failure (COMPUTE_FAILED).
    void swap(int32_t a, int32_t b);
    // How many tokens a sequence holds, and the least number of them that it can be cut to and go on, besides 0.
    struct Extent {
        int32_t held;
        int32_t least;
    };
    Extent              extent(int32_t sequence) const;
    std::vector<Extent> extents() const;
    // Whether a sequence can go on after its first `count` tokens once the others are removed.
    bool can_keep(int32_t sequence, int32_t count) const;

    // Over all devices.
    struct Bytes {
        size_t cache   = 0; // keys and values, or a recurrent model's state
        size_t compute = 0;
    };
    Bytes   bytes() const;
    int32_t context_size() const { return static_cast<int32_t>(llama_n_ctx(context.get())); } // over all sequences
    // Whether each sequence has a cache of its own.
    bool has_own_caches() const { return options.cache == Cache::own && options.sequences > 1; }
    // The positions that a sequence can have.
    int32_t      sequence_size() const { return static_cast<int32_t>(llama_n_ctx_seq(context.get())); }
    ContextStats stats() const;

    // Every node of the model's graph, chains included, as of the latest decode: the bytes that ggml's CUDA backend compares
    // between runs to decide whether it can replay a recorded graph. Empty before the first decode and without chains.
    struct NodeBytes {
        std::string          name;
        std::vector<uint8_t> bytes;
    };
    std::vector<NodeBytes> graph_nodes() const;

private:
    struct ContextDeleter {
        void operator()(llama_context * pointer) const;
    };
    // `sampler` belongs to `chain`.
    struct Chain {
        Owned<llama_sampler, llama_sampler_free> chain;
        Sampler *                                sampler = nullptr;
    };

    using Handle = std::unique_ptr<llama_context, ContextDeleter>;

    Handle                        open();
    void                          reopen(const ContextOptions & changed);
    void                          share_cache();
    bool                          shares_for(int32_t rows) const;
    std::vector<GroupToBuild>     groups_to_build() const;
    SamplerStats                  count_chains() const;
    Chain                         make_chain(int32_t sequence, std::shared_ptr<const Graph> graph, Role role);
    std::shared_ptr<SamplerGroup> group_of(std::shared_ptr<const Graph> graph) const;
    void                          check_sequence(int32_t sequence) const;
    void                          check_batch(const Batch & batch) const;
    void                          check_guides(const std::map<int32_t, size_t> & rows) const;
    void                          check_followers(const Batch & batch, const std::map<int32_t, size_t> & rows) const;
    void                          check_refusal(const Sampler & sampler) const;
    bool                          has_guides(const Batch & batch) const;
    bool                          may_take_part(int32_t sequence, const Batch & batch) const;
    std::vector<Output>           decode_runs(const Batch & batch);
    void decode_stage(const Batch & batch, const std::vector<size_t> & tokens, bool fills, std::vector<Output> & found,
                      std::vector<size_t> & places);
    void decode_run(const Batch & batch, const Run & run, std::vector<Output> & outputs);
    std::vector<Output> decode_at_once(const Batch & batch);
    void                decode_parts(const Batch & batch, size_t boundary, std::vector<Output> & outputs);
    void                decode_part(const Batch & batch, size_t begin, size_t end, std::vector<Output> & outputs);
    void                compute(const Batch & batch, size_t begin, size_t end);
    void                check_one_graph(const Batch & batch);
    Output              read_output(int32_t index, int32_t sequence, size_t row, uint8_t wanted);
    void                check_output(std::span<const float> logits, int32_t sequence) const;
    void                run_tail(int32_t index, const Chain & chain, Results & results);
    void                give_guides(Sampler & sampler, size_t row);
    void                clear_sequences(const Batch & batch);
    bool                begin_followers(const Batch & batch, int32_t source);
    void                build_for_followers(bool are_there);
    void                copy_to_followers(const Batch & batch);

    std::shared_ptr<Model>           model;
    std::shared_ptr<SamplerCounters> counters = std::make_shared<SamplerCounters>();
    ContextOptions                   options;             // without chains
    size_t                           output_limit    = 0; // of one graph, over all sequences
    size_t                           cache_bytes     = 0;
    std::atomic<bool>                abort_requested = false;
    std::atomic<bool>                pause_requested = false;
    std::atomic<size_t>              allowed         = 0;

    // Declared before the context, which uses them until it is freed.
    std::map<int32_t, Chain>      chains;
    SamplerPtr                    assembler;
    Handle                        context;
    llama_batch                   llama_batch_memory{};
    bool                          had_followers = false; // the latest part
    int32_t                       builds_offset = 0;
    std::vector<llama_token_data> candidates;
    // Since the latest build of a graph or change of a chain: they are asked for before every decode.
    mutable std::optional<SamplerStats> chain_stats;
    // Of the latest part: its index by sequence and row.
    std::map<std::pair<int32_t, size_t>, int32_t> latest_outputs;
};

} // namespace ggsl
