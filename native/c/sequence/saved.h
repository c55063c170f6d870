// Sequences as JSON, in the form of the JavaScript runtime (runtime/sequence/savedSequence.ts).
#pragma once

#include "sequence/sequence.h"

namespace ggsl::c {

class Saved {
public:
    static std::string write(const Sequence & sequence);
    // A sequence of the same chain and vocabulary as `like`, with its inputs. Throws Failure (INVALID_ARGUMENT).
    static Sequence read(const Sequence & like, const char * text, size_t length);

private:
    Saved(const Sequence & like, const void * json) : sequence(like), json(json) {}

    void restore();
    void restore_params();
    void restore_text();
    void restore_followed();
    void restore_watches();
    void restore_streams();
    void restore_windows();
    void restore_writing();

    Sequence     sequence;
    const void * json; // a Json, whose header is large
};

} // namespace ggsl::c
