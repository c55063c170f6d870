// The parse states of a text in a grammar: all stacks of rules that can be open after it, as a pushdown automaton with shared
// stacks. The work of each search is counted and limited, because an ambiguous grammar can have any number of stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct llama_grammar_element; // of llama.cpp's private header

namespace ggsl {

struct GrammarRules;

// Limits for one token. The time of a search is proportional to its steps.
inline constexpr size_t max_grammar_stacks = 1 << 14;
inline constexpr size_t max_grammar_steps  = 1 << 21;

// The stack whose top is the element `top`, on top of the stack `below`. Stack 0 is empty.
struct GrammarStack {
    const llama_grammar_element * top   = nullptr;
    uint32_t                      below = 0;

    bool operator==(const GrammarStack &) const = default;
};

// A character that a token ends within.
struct PartialCharacter {
    uint32_t value     = 0; // of the bytes so far
    int      remaining = 0; // bytes; 0: none is open
};

// The state after a text, as plain data.
struct GrammarState {
    std::vector<GrammarStack> stacks; // a stack comes after the one below it
    std::vector<uint32_t>     heads;  // the possible stacks; their tops are characters or tokens, or they are empty
    PartialCharacter          partial;
};

// A search from one state. Sets of stacks are numbered, and the set after each character is computed once.
// Everything throws Failure (LIMIT_EXCEEDED).
class GrammarSearch {
public:
    GrammarSearch(const GrammarRules & rules, const GrammarState & from);

    using Set                 = uint32_t;
    static constexpr Set none = 0; // the empty set
    Set                  start() const { return first; }

    // The position inside a text.
    struct Cursor {
        Set              set;
        PartialCharacter partial;
        bool             is_continued; // `partial` began in an earlier token
    };
    Cursor begin() const;
    // Reads a byte; the set is `none` if no stack accepts it.
    void read(Cursor & cursor, uint8_t byte);
    // Whether a token may end here.
    bool may_end(const Cursor & cursor);

    // The stacks after the element of a token, `<[id]>`.
    Set  after_token(Set set, int32_t token);
    bool accepts_token(Set set, int32_t token) const;
    bool has_token_elements(Set set) const;
    // Whether one of the stacks is empty: the text may end.
    bool is_complete(Set set) const;

    Set          unite(Set a, Set b);
    GrammarState state(Set set, PartialCharacter partial) const;

private:
    struct StackHash {
        size_t operator()(const GrammarStack & stack) const {
            return (reinterpret_cast<size_t>(stack.top) ^ (stack.below * 0x9e3779b97f4a7c15ull)) *
                       0x9e3779b97f4a7c15ull >>
                   17;
        }
    };
    struct HeadsHash {
        size_t operator()(const std::vector<uint32_t> & heads) const;
    };

    void     spend(size_t steps);
    uint32_t push(const llama_grammar_element * top, uint32_t below);
    uint32_t push_unless_end(const llama_grammar_element * top, uint32_t below);
    void     begin_set();
    // Adds all heads that come from a stack whose top may be a rule.
    void add(uint32_t stack);
    Set  finish_set();
    Set  number(std::vector<uint32_t> heads);
    Set  after(Set set, uint32_t character);
    Set  compute(Set set, uint32_t character);

    const GrammarRules &                                      rules;
    std::vector<GrammarStack>                                 stacks;
    std::unordered_map<GrammarStack, uint32_t, StackHash>     numbers;
    std::vector<const std::vector<uint32_t> *>                sets; // keys of `known`, which do not move
    std::unordered_map<std::vector<uint32_t>, Set, HeadsHash> known;
    std::vector<std::vector<Set>>                             ascii; // the set after each; UINT32_MAX: not computed
    std::unordered_map<uint64_t, Set>                         others;
    std::vector<uint32_t>                                     seen; // by stack: the number of the set in construction
    std::vector<uint32_t>                                     todo;
    std::vector<uint32_t>                                     heads;
    uint32_t                                                  constructed = 0;
    size_t                                                    steps       = 0;
    Set                                                       first       = none;
    PartialCharacter                                          partial;
};

} // namespace ggsl
