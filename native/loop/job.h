// A text that a loop writes: what was asked for, and what is said of its tokens.
#pragma once

#include "graph/failure.h"
#include "llama/context.h"
#include "loop/text.h"

#include <deque>

namespace ggsl::loop {

// Why a text is over.
enum class Ending {
    none,
    end,        // a token that ends it
    stop,       // a stop text
    max_tokens, // it has as many tokens as were asked for
    context,    // it fills its context
    cancelled,
    error,
    chain, // a stop of its chain
};

struct Request {
    std::shared_ptr<const Chain> chain;
    std::shared_ptr<const Graph> graph; // of the chain
    std::vector<int32_t>         prompt;
    size_t                       max_tokens = 0;       // 0: until its context is full
    std::shared_ptr<const Stops> stops      = nullptr; // null: none
    void *                       user       = nullptr;
};

// What is said of a token once its text is known, or of the end of a text.
struct Record {
    int64_t                      id;
    void *                       user;
    std::shared_ptr<const Chain> chain;
    int32_t                      token      = -1; // -1: none
    bool                         is_forced  = false;
    bool                         is_refused = false;
    Ending                       ending     = Ending::none;
    std::string                  text       = {}; // whole characters
    std::vector<float>
        scalars = {}; // the next values of the states and windows, the measures, the stops; none of a forced one
    std::optional<Failure> failure = {};      // of an error
    const c::Stop *        stop    = nullptr; // of the chain
};

class Job {
public:
    // Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    Job(int64_t id, Request request);

    const int64_t               id;
    const Request               request;
    const std::shared_ptr<Text> text;

    // The tokens that are read before the first one is picked, all but the last.
    std::span<const int32_t> beginning() const { return std::span(request.prompt).first(request.prompt.size() - 1); }

    // Reads the next token, and appends what is known now. `ending`: why it is the last one.
    void push(const Written & written, Ending ending, std::vector<Record> & records);
    // It is over without another token.
    void finish(Ending ending, std::optional<Failure> failure, std::vector<Record> & records);

private:
    Record record() const { return { id, request.user, request.chain }; }
    void   give(const std::vector<TextPiece> & known, std::vector<Record> & records);

    std::deque<Record> waiting; // for their texts
};

} // namespace ggsl::loop
