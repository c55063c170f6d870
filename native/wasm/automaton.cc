// The engine of grammars (native/grammar) for JavaScript; runtime/backends/wasm/automaton.ts calls it.
#include "grammar/grammar.h"

#include "failure_text.h"

#include <emscripten.h>

namespace ggsl::wasm {

namespace {

using grammar::Position;
using SharedVocabulary = std::shared_ptr<const grammar::Vocabulary>;
using SharedGrammar    = std::shared_ptr<grammar::Grammar>;

// Of the latest mask.
std::vector<uint32_t> mask;

} // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE SharedVocabulary * ggsl_trie_open(const uint8_t * bytes, size_t byte_count,
                                                       const uint32_t * offsets, size_t offset_count,
                                                       const uint32_t * ends, size_t end_count) {
    return guarded([&] {
        return new SharedVocabulary(std::make_shared<grammar::Vocabulary>(
            std::span(bytes, byte_count), std::span(offsets, offset_count), std::span(ends, end_count)));
    });
}
EMSCRIPTEN_KEEPALIVE void ggsl_trie_close(const SharedVocabulary * trie) {
    delete trie;
}

// Words of a mask.
EMSCRIPTEN_KEEPALIVE size_t ggsl_trie_words(const SharedVocabulary * trie) {
    return (*trie)->words();
}

EMSCRIPTEN_KEEPALIVE SharedGrammar * ggsl_automaton_open(const SharedVocabulary * trie, const uint32_t * words,
                                                         size_t count) {
    return guarded(
        [&] { return new SharedGrammar(std::make_shared<grammar::Grammar>(std::span(words, count), *trie)); });
}
EMSCRIPTEN_KEEPALIVE void ggsl_automaton_close(const SharedGrammar * automaton) {
    delete automaton;
}

// Bytes that it keeps.
EMSCRIPTEN_KEEPALIVE size_t ggsl_automaton_bytes(const SharedGrammar * automaton) {
    return (*automaton)->bytes_used();
}

EMSCRIPTEN_KEEPALIVE Position * ggsl_position_begin(const SharedGrammar * automaton) {
    return guarded([&] { return new Position(*automaton); });
}
EMSCRIPTEN_KEEPALIVE void ggsl_position_close(const Position * position) {
    delete position;
}
EMSCRIPTEN_KEEPALIVE bool ggsl_position_may_end(const Position * position) {
    return position->may_end();
}
EMSCRIPTEN_KEEPALIVE uint32_t ggsl_position_marks(const Position * position) {
    return position->marks();
}
// Bits of the tokens that may come next, valid until the next mask.
EMSCRIPTEN_KEEPALIVE const uint32_t * ggsl_position_allowed(const Position * position) {
    return guarded([&] {
        mask.resize(position->vocabulary().words() + 1); // null would be a failure
        position->allowed(std::span(mask).first(position->vocabulary().words()));
        return static_cast<const uint32_t *>(mask.data());
    });
}
// The position itself for a token that may not come next.
EMSCRIPTEN_KEEPALIVE const Position * ggsl_position_after(const Position * position, uint32_t token) {
    return guarded([&] {
        const Position * const next = position->after(token).release();
        return next == nullptr ? position : next;
    });
}

} // extern "C"

} // namespace ggsl::wasm
