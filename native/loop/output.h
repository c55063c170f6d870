// The texts of tokens, in whole characters and without what a stop text begins with; runtime/generation/output.ts has the same.
#pragma once

#include "llama/text_piece.h"
#include "loop/characters.h"
#include "loop/stops.h"

#include <deque>
#include <memory>

namespace ggsl::loop {

// A token's text is known when its bytes cannot be part of a stop text any more. The bytes of a character that is not complete come with
// the token that completes it.
class Output {
public:
    // Null: without stop texts.
    explicit Output(std::shared_ptr<const Stops> stops = nullptr);
    // finder points to what `stops` keeps
    Output(Output &&)             = default;
    Output & operator=(Output &&) = default;

    // Reads the bytes of the next token, and appends the texts that are known now, that of the earliest token first. After a stop text,
    // these are all.
    void push(std::string_view bytes, std::vector<TextPiece> & known);
    // The same of the tokens that are left at the end of the text.
    void flush(std::vector<TextPiece> & known);

    // The tokens whose texts are not known yet.
    size_t held() const { return waiting.size(); }
    // Which stop text has ended the text, by its place in the list.
    std::optional<size_t> stop() const { return stopped; }

    // Goes on after a token whose text is known, with its rest.
    void restart(std::string_view rest = {});

private:
    struct Held {
        std::string bytes;
        size_t      end; // of its bytes in the text
    };

    void give(size_t settled, size_t limit, std::vector<TextPiece> & known);
    void give(std::string_view bytes, std::vector<TextPiece> & known);

    std::shared_ptr<const Stops> stops;
    std::optional<StopFinder>    finder;
    Characters                   characters;
    std::deque<Held>             waiting;
    std::optional<size_t>        stopped;
    size_t                       length = 0; // bytes of all tokens so far
};

} // namespace ggsl::loop
