// The places of a loop: sequences of its context, what their caches hold, and who writes there.
#pragma once

#include "llama/context.h"
#include "llama/line.h"
#include "loop/job.h"

namespace ggsl::loop {

// Tokens that are worth keeping or copying, or the wait for another text that reads them.
constexpr size_t least_shared = 16;

// How many tokens two texts share at the beginning.
size_t shared_length(std::span<const int32_t> a, std::span<const int32_t> b);

// The tokens of a text stay when it is over, until another one needs the place.
struct Place {
    int32_t                      sequence;
    std::vector<int32_t>         tokens    = {};    // in its cache
    std::shared_ptr<const Graph> graph     = {};    // its chain
    std::shared_ptr<Job>         job       = {};    // null: it is free
    std::optional<Line>          line      = {};    // once all but the last token of its prompt are there
    bool                         has_begun = false; // to read its prompt
    int64_t                      released  = 0;     // when; 0: never
};

class Places {
public:
    Places(Context & context, int32_t count);

    std::vector<Place> & all() { return places; }
    bool                 has_free() const;

    // Gives a text a free place, and the place its chain. Throws Failure (INVALID_GRAPH, UNSUPPORTED_OP, OUT_OF_MEMORY), and then the
    // place is free.
    void take(std::shared_ptr<Job> job);
    void release(Place & place);

    // The first tokens of a cache stay, or none where it cannot be cut.
    void cut(Place & place, size_t count);
    // Makes the cache a copy of the first tokens of another one. False if llama.cpp cannot copy them: it is empty then.
    bool copy(Place & place, const Place & from, size_t count);
    bool can_keep(const Place & place, size_t count) const;

    // Moves texts to free places in front of them, once a quarter of the places that reach to the last one is free: places between two
    // others cost as much as one with a text, or divide a batch.
    void close_gaps();

private:
    Place & best(const Job & job);
    void    give_chain(Place & place, const std::shared_ptr<const Graph> & graph);
    bool    move(Place & from, Place & to);

    Context &          context;
    std::vector<Place> places;
    int64_t            releases = 0;
};

} // namespace ggsl::loop
