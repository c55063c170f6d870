// What is open after a text: stacks of what has to follow, the nearest on top. Equal stacks have one number, and share what is below.
#pragma once

#include "program.h"

namespace ggsl::grammar {

using StackId = uint32_t;

enum class FrameKind : uint8_t {
    end,     // the end of the text
    unknown, // whatever is below, for what is worked out for all stacks with the same top
    bytes,   // a: an expression
    token,   // a: a node of tokens
    node,    // a: a node
    rest,    // a: a node of a sequence, b: the first operand that is left
    times,   // a: a node, b: the least and c: the most that are left of it
    members, // a: a state of members
    mark,    // a: its number; what is above it is of the part
};

struct Frame {
    FrameKind kind;
    uint32_t  a = 0;
    uint32_t  b = 0;
    uint32_t  c = 0;

    bool operator==(const Frame &) const = default;
};

using FrameId = uint32_t;

// Which members are over.
struct MembersState {
    NodeId                node;
    uint32_t              count;         // of members that are over
    bool                  is_after_mark; // a separator was read, so that a member has to come
    uint32_t              next;          // ordered: the first that can still come
    std::vector<uint64_t> seen;          // in any order: a bit each

    bool operator==(const MembersState &) const = default;
};

// What may come next: the stacks whose tops read bytes or tokens.
struct Heads {
    std::vector<StackId> stacks;              // sorted
    bool                 may_end     = false; // one of the stacks is over
    bool                 is_crossing = false; // one of the stacks is at `unknown`

    bool is_dead() const { return stacks.empty() && !may_end && !is_crossing; }
};

// What was copied from other tables: stacks and expressions.
struct StackCopies {
    std::unordered_map<StackId, StackId>       stacks;
    std::unordered_map<Expression, Expression> expressions;
};

constexpr size_t max_stacks = 1 << 14; // of one position

class Stacks {
public:
    explicit Stacks(Program & program);

    static constexpr StackId end     = 0;
    static constexpr StackId unknown = 1;

    const Frame & frame(FrameId id) const { return frames[id]; }
    FrameId       top(StackId stack) const { return entries[stack].top; }
    StackId       below(StackId stack) const { return entries[stack].below; }
    StackId       push(FrameId top, StackId below);
    FrameId       frame(const Frame & frame);

    // What may come at the beginning.
    Heads beginning(Budget & budget);
    // What may come where a frame is next.
    Heads opened(FrameId top, StackId below, Budget & budget);
    // What may come after a byte.
    Heads after(const std::vector<StackId> & heads, uint8_t byte, Budget & budget);
    // What may come after a token that a node of tokens names; adds to `into`. A token without a text comes only where it is named.
    void after_token(const std::vector<StackId> & heads, uint32_t token, bool has_text, Heads & into, Budget & budget);
    // A bit for each mark: whether the next byte of one of the heads may be of its part.
    uint32_t marks(const std::vector<StackId> & heads) const;
    // The node of tokens of such a frame.
    const ProgramNode & tokens_of(FrameId frame) const { return program.nodes[frames[frame].a]; }

    // The frame with counters up to `longest`: the same for texts of so many bytes.
    FrameId capped(FrameId frame, uint32_t longest);

    // A stack of other tables of the same grammar, here.
    StackId copied(const Stacks & from, StackId stack, StackCopies & copies);

    size_t bytes_used() const;

private:
    struct Entry {
        FrameId  top;
        StackId  below;
        uint32_t marks; // in it, a bit each
    };

    void  begin();
    void  add_found(StackId stack);
    Heads finish();
    // Goes on from each stack of `todo` to those whose tops read something.
    void expand(Budget & budget);
    void enter(NodeId node, StackId below, Budget & budget);
    bool is_marked(StackId stack, FrameId mark) const;
    struct MembersLeft;
    void     enter_members(const MembersState & state, StackId below, Budget & budget);
    void     enter_member(const MembersState & state, size_t member, StackId below, Budget & budget);
    StackId  members(const MembersState & state, StackId below);
    uint32_t state_number(const MembersState & state);
    void     add_head(FrameId top, StackId below, Expression e);

    Program &                 program;
    std::vector<Frame>        frames;
    Numbers                   frame_numbers;
    std::vector<Entry>        entries;
    Numbers                   entry_numbers;
    std::vector<MembersState> states;
    Numbers                   state_numbers;
    size_t                    state_bytes = 0;
    // of the search under way
    std::vector<uint32_t> seen;       // by stack: the search that saw it
    size_t                paid   = 0; // stacks
    uint32_t              search = 0;
    std::vector<StackId>  todo;
    Heads                 found;
};

} // namespace ggsl::grammar
