// Which tokens may come next, as bits. What a token does is worked out for the top of a stack alone, and kept; where the top is over
// inside of a token, it goes on with what is below. So stacks that have their tops in common share the work.
#pragma once

#include "plain.h"
#include "stacks.h"
#include "vocabulary.h"

#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace ggsl::grammar {

class Masks {
public:
    Masks(Program & program, Stacks & stacks, const Vocabulary & vocabulary);

    // Sets the bits of the tokens that one of the stacks accepts.
    void add(const std::vector<StackId> & heads, std::span<uint32_t> bits, Budget & budget);

    size_t bytes_used() const { return used; }

private:
    struct Found;
    using Founds = std::unordered_map<FrameId, Found *>;
    // The tokens that frames accept, and where in the trie the frames are over and tokens go on.
    struct Found {
        uint32_t                      number = 0;
        const std::vector<uint32_t> * plain  = nullptr; // all plain tokens of some length
        std::vector<uint32_t>         tokens;           // others, if they are few
        std::vector<uint32_t>         bits;             // or many
        std::vector<uint32_t>         crossing;
        Founds                        next; // with the frame below
    };
    // What may come after bytes, above `unknown`.
    struct State {
        std::vector<StackId> heads;
        bool                 is_crossing;
        std::vector<int32_t> after; // by class of bytes: a state, or not known
    };
    using StateId = uint32_t;

    StateId number(Heads heads);
    StateId after(StateId state, uint8_t byte, Budget & budget);
    // The tokens of the group that the frame accepts from these nodes of the trie on; kept in `known`.
    Found & found_for(Founds & known, FrameId frame, const std::vector<uint32_t> & from, const TokenGroup & group,
                      bool is_top, Budget & budget);
    Found   walked(FrameId frame, const std::vector<uint32_t> & from, const TokenGroup & group, bool is_top,
                   Budget & budget);
    using Seen = std::unordered_set<uint64_t>; // the numbers of what was found, and stacks that it went on with
    void add_group(StackId head, size_t number, std::span<uint32_t> bits, Seen & seen, Budget & budget);
    void add_named(const ProgramNode & node, std::span<uint32_t> bits, Budget & budget) const;
    void walk(const Trie & trie, StateId start, Found & found, Budget & budget);
    // How many plain characters (vocabulary.h), whatever they are, a state reads.
    struct Plain {
        size_t count;
        bool   is_most; // no token has more that may come
    };
    // What one plain character does.
    struct Character {
        bool                 reads_all = true;  // whatever it is, it may come
        bool                 reads_any = false; // some byte of it may
        bool                 is_over   = false; // the state is over inside of it or after it
        std::vector<StateId> next;              // after it
    };
    const Character & plain_character(StateId state, Budget & budget);
    Plain             plain_after(StateId state, size_t most, Budget & budget);
    void              pack(Found & found) const;
    void              add_tokens(const Found & found, std::span<uint32_t> bits, Budget & budget) const;

    Program &             program;
    Stacks &              stacks;
    const Vocabulary &    vocabulary;
    std::vector<State>    states;
    Numbers               state_numbers;
    std::array<Founds, 2> tops; // by group of tokens
    // All of them: one for each level of a deep stack would be too many for their destructors to call each other.
    std::vector<std::unique_ptr<Found>> founds;
    size_t                              used = 0;
    std::vector<StateId>                way; // by depth
    // By place in a plain character: a byte of each class that may come there, and where it leads.
    std::array<std::vector<std::pair<uint8_t, uint8_t>>, plain_states> plain_ways;
    std::unordered_map<StateId, Character>                             plain_characters;
};

} // namespace ggsl::grammar
