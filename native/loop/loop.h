// Many texts of a model, written at once: those for which there is no place wait, first come, first served.
#pragma once

#include "loop/places.h"

#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace ggsl::loop {

struct LoopOptions {
    ContextOptions context   = {}; // its sequences are the places; of its own is the context's size
    int32_t        text_size = 0;  // tokens that a text can have with its prompt; 0: the model's training context
};

struct LoopStats {
    size_t       waiting         = 0;
    size_t       writing         = 0;
    int64_t      tokens          = 0; // that were written
    int64_t      prompt_tokens   = 0; // of the texts that have begun
    int64_t      computed_tokens = 0; // those of them that were computed: not shared with another text
    int64_t      decodes         = 0; // batches
    ContextStats context         = {};
};

// One thread at a time, but for `cancel`.
class Loop {
public:
    // Throws Failure (INVALID_MODEL, INVALID_ARGUMENT, LIMIT_EXCEEDED, OUT_OF_MEMORY).
    Loop(const std::shared_ptr<Model> & model, const LoopOptions & options);

    // The number of a text, which begins with the next step. Throws Failure (INVALID_ARGUMENT, CONTEXT_FULL, LIMIT_EXCEEDED).
    int64_t add(Request request);
    // What counts from its next token on. Throws Failure (INVALID_ARGUMENT) for a number that no text has that is waiting or being written.
    Text & text(int64_t id);
    // Ends a text with the next step. Any thread. Throws Failure (INVALID_ARGUMENT) as `text` does.
    void cancel(int64_t id);

    // Texts that wait or are being written.
    size_t left() const { return jobs.size(); }
    // Reads a piece of the prompts, and a token of each text, and says what is known then.
    std::vector<Record> step();

    const std::shared_ptr<Model> & model() const { return loaded; }
    int32_t                        text_size() const { return most_tokens; }
    LoopStats                      stats() const;

private:
    void take_cancelled(std::vector<Record> & records);
    void fill_places(std::vector<Record> & records);
    void read_prompts(std::vector<Record> & records);
    void begin_lines();
    void write_tokens(std::vector<Record> & records);
    bool decode(const Batch & batch, std::vector<ggsl::Output> & outputs, std::vector<Record> & records);
    void give(Place & place, const std::vector<Written> & found, std::vector<Record> & records);
    void finish(Place & place, Ending ending, std::optional<Failure> failure, std::vector<Record> & records);
    void forget(int64_t id);

    Ending ending_of(const Place & place) const;

    std::shared_ptr<Model>                            loaded;
    int32_t                                           most_tokens; // of a text with its prompt
    size_t                                            piece;       // tokens of prompts in a step
    Context                                           context;
    Places                                            places;
    std::deque<std::shared_ptr<Job>>                  queue;
    std::unordered_map<int64_t, std::shared_ptr<Job>> jobs; // all that are not over
    LoopStats                                         counted;
    int64_t                                           latest = 0; // number

    // What other threads reach.
    mutable std::mutex          lock;
    std::unordered_set<int64_t> known;
    std::vector<int64_t>        cancelled;
};

} // namespace ggsl::loop
