#include "stacks.h"

#include <algorithm>
#include <bit>

namespace ggsl::grammar {

namespace {

// For a new stack, which is mostly far from the others in memory.
constexpr uint64_t stack_steps = 20;
// Members that are counted for a step.
constexpr size_t members_of_step = 16;

uint64_t bits_of(const MembersState & state) {
    uint64_t count = 0;
    for (const uint64_t word : state.seen) {
        count += static_cast<uint64_t>(std::popcount(word));
    }
    return count;
}

bool has_bit(const std::vector<uint64_t> & bits, size_t i) {
    return (bits[i / 64] >> (i % 64)) & 1;
}

} // namespace

Stacks::Stacks(Program & program) : program(program) {
    push(frame(Frame{ FrameKind::end }), 0);
    push(frame(Frame{ FrameKind::unknown }), 0);
}

FrameId Stacks::frame(const Frame & of) {
    const uint64_t hash = mixed(mixed(mixed(static_cast<uint64_t>(of.kind), of.a), of.b), of.c);
    const auto     next = static_cast<FrameId>(frames.size());
    const auto     id   = frame_numbers.find_or(hash, next, [&](uint32_t i) { return frames[i] == of; });
    if (id == next) {
        frames.push_back(of);
    }
    return id;
}

StackId Stacks::push(FrameId top, StackId below) {
    const auto next = static_cast<StackId>(entries.size());
    const auto id   = entry_numbers.find_or(mixed(mixed(1, top), below), next, [&](uint32_t i) {
        return entries[i].top == top && entries[i].below == below;
    });
    if (id == next) {
        const uint32_t under = next > unknown ? entries[below].marks : 0;
        const Frame &  of    = frames[top];
        entries.push_back({ top, below, under | (of.kind == FrameKind::mark ? uint32_t{ 1 } << of.a : 0) });
        seen.push_back(0);
    }
    return id;
}

uint32_t Stacks::state_number(const MembersState & state) {
    uint64_t hash = mixed(mixed(mixed(state.node, state.count), state.next), state.is_after_mark);
    for (const uint64_t word : state.seen) {
        hash = mixed(hash, word);
    }
    const auto next   = static_cast<uint32_t>(states.size());
    const auto number = state_numbers.find_or(hash, next, [&](uint32_t i) { return states[i] == state; });
    if (number == next) {
        states.push_back(state);
        state_bytes += sizeof(MembersState) + state.seen.size() * sizeof(uint64_t);
    }
    return number;
}

void Stacks::begin() {
    if (++search == 0) { // all numbers were used
        std::fill(seen.begin(), seen.end(), 0);
        search = 1;
    }
    todo.clear();
    found = {};
}

void Stacks::add_found(StackId stack) {
    if (found.stacks.size() == max_stacks) {
        fail(code::limit_exceeded,
             "the grammar has more than %zu open stacks here: it is too ambiguous, or the text is nested too deeply",
             max_stacks);
    }
    found.stacks.push_back(stack);
}

Heads Stacks::finish() {
    std::sort(found.stacks.begin(), found.stacks.end());
    return std::move(found);
}

uint32_t Stacks::marks(const std::vector<StackId> & heads) const {
    uint32_t found = 0;
    for (const StackId head : heads) {
        found |= entries[head].marks;
    }
    return found;
}

Heads Stacks::beginning(Budget & budget) {
    begin();
    enter(program.root, end, budget);
    expand(budget);
    return finish();
}

Heads Stacks::opened(FrameId top, StackId below, Budget & budget) {
    begin();
    todo.push_back(push(top, below));
    expand(budget);
    return finish();
}

// Reads on where `bytes` has been read in part.
void Stacks::add_head(FrameId top, StackId below, Expression e) {
    if (e == Expressions::nothing) {
        return;
    }
    if (e == Expressions::empty) {
        todo.push_back(below);
    } else {
        todo.push_back(push(top, below));
    }
}

Heads Stacks::after(const std::vector<StackId> & heads, uint8_t byte, Budget & budget) {
    begin();
    for (const StackId head : heads) {
        const Frame top = frames[entries[head].top];
        budget.spend(1);
        if (top.kind != FrameKind::bytes || !program.expressions.first(top.a).has(byte)) {
            continue;
        }
        const Expression next = program.expressions.after(top.a, byte, budget);
        if (next != Expressions::nothing) {
            add_head(frame({ FrameKind::bytes, next }), entries[head].below, next);
        }
    }
    expand(budget);
    return finish();
}

void Stacks::after_token(const std::vector<StackId> & heads, uint32_t token, bool has_text, Heads & into,
                         Budget & budget) {
    begin();
    for (const StackId head : heads) {
        budget.spend(1);
        const Frame & top = frames[entries[head].top];
        if (top.kind != FrameKind::token) {
            continue;
        }
        const ProgramNode & node     = program.nodes[top.a];
        const bool          is_named = std::binary_search(node.tokens.begin(), node.tokens.end(), token);
        if (node.is_negated ? has_text && !is_named : is_named) {
            todo.push_back(entries[head].below);
        }
    }
    expand(budget);
    const Heads more = finish();
    into.may_end     = into.may_end || more.may_end;
    into.stacks.insert(into.stacks.end(), more.stacks.begin(), more.stacks.end());
    std::sort(into.stacks.begin(), into.stacks.end());
    into.stacks.erase(std::unique(into.stacks.begin(), into.stacks.end()), into.stacks.end());
}

// Whether a stack is in the part with nothing else of it left: a rule that ends with itself needs one mark.
bool Stacks::is_marked(StackId stack, FrameId mark) const {
    for (; frames[entries[stack].top].kind == FrameKind::mark; stack = entries[stack].below) {
        if (entries[stack].top == mark) {
            return true;
        }
    }
    return false;
}

void Stacks::enter(NodeId id, StackId below, Budget & budget) {
    budget.spend(1); // nodes in nodes may be many ways to the same stack
    const ProgramNode & node = program.nodes[id];
    if (!node.is_productive) {
        return;
    }
    if (node.is_regular) {
        add_head(frame({ FrameKind::bytes, node.expression }), below, node.expression);
        return;
    }
    switch (node.kind) {
        // a frame of its own, so that a rule that begins with itself is seen
        case NodeKind::rule: todo.push_back(push(frame({ FrameKind::node, node.nodes[0] }), below)); return;
        case NodeKind::all:
            todo.push_back(node.nodes.empty() ? below : push(frame({ FrameKind::rest, id, 0 }), below));
            return;
        case NodeKind::any:
            for (const NodeId one : node.nodes) {
                enter(one, below, budget);
            }
            return;
        case NodeKind::repeat:
            todo.push_back(push(frame({ FrameKind::times, node.nodes[0], node.min, node.max }), below));
            return;
        case NodeKind::members: {
            MembersState state{ id, 0, false, 0, {} };
            if (!node.is_ordered) {
                state.seen.resize((node.nodes.size() + 63) / 64);
            }
            todo.push_back(members(state, below));
            return;
        }
        case NodeKind::tokens: todo.push_back(push(frame({ FrameKind::token, id }), below)); return;
        case NodeKind::mark:   {
            const FrameId mark = frame({ FrameKind::mark, node.mark });
            enter(node.nodes[0], is_marked(below, mark) ? below : push(mark, below), budget);
            return;
        }
        default: return; // the others are regular
    }
}

StackId Stacks::members(const MembersState & state, StackId below) {
    return push(frame({ FrameKind::members, state_number(state) }), below);
}

void Stacks::enter_member(const MembersState & state, size_t member, StackId below, Budget & budget) {
    budget.spend(state.seen.size() * sizeof(uint64_t) / step_bytes);
    const ProgramNode & node = program.nodes[state.node];
    MembersState        next = state;
    next.is_after_mark       = false;
    // a count without a most is known up to the least
    const uint32_t most = node.max == endless ? std::max(node.min, 1u) : node.max;
    next.count          = std::min(state.count + 1, most);
    if (member == node.nodes.size()) {
        if (node.is_ordered) {
            next.next = static_cast<uint32_t>(member);
        }
        enter(node.others, members(next, below), budget);
        return;
    }
    if (node.is_ordered) {
        next.next = static_cast<uint32_t>(member + 1);
    } else {
        next.seen[member / 64] |= uint64_t{ 1 } << (member % 64);
    }
    enter(node.nodes[member], members(next, below), budget);
}

// How many members have to come, and can.
struct Stacks::MembersLeft {
    MembersLeft(const ProgramNode & node, const MembersState & state) : node(node), state(state) {
        if (node.is_ordered) {
            return;
        }
        required = node.required_after[0];
        for (size_t i = 0; i < node.nodes.size(); ++i) {
            required -= has_bit(state.seen, i) && node.is_required[i];
        }
        possible = node.nodes.size() - bits_of(state);
    }
    // Whether the required ones, and as many as have to come, can follow a member.
    bool can_follow(size_t member) const {
        const size_t   all    = node.nodes.size();
        const uint64_t after  = state.count + 1u;
        uint64_t       needed = required - (member < all && node.is_required[member]);
        uint64_t       others = possible - (member < all);
        if (node.is_ordered) {
            needed = node.required_after[std::min(member + 1, all)];
            others = all - std::min(member + 1, all);
        }
        return after + needed <= node.max && (node.others != no_node || after + others >= node.min);
    }

    const ProgramNode &  node;
    const MembersState & state;
    uint64_t             required = 0; // in any order
    uint64_t             possible = 0;
};

void Stacks::enter_members(const MembersState & state, StackId below, Budget & budget) {
    const ProgramNode & node     = program.nodes[state.node];
    const size_t        count    = node.nodes.size();
    bool                is_whole = true; // each required one has come
    std::vector<size_t> can_come;
    const MembersLeft   left(node, state);
    budget.spend(1 + (node.is_ordered ? 0 : count / members_of_step));
    const auto add = [&](size_t member) {
        budget.spend(1);
        if ((node.min == 0 && node.max == endless) || left.can_follow(member)) {
            can_come.push_back(member);
        }
    };
    for (size_t i = node.is_ordered ? state.next : 0; i < count; ++i) {
        if (!node.is_ordered && has_bit(state.seen, i)) {
            continue;
        }
        add(i);
        if (node.is_required[i]) {
            is_whole = false;
            if (node.is_ordered) {
                break;
            }
        }
    }
    if (node.others != no_node && (is_whole || !node.is_ordered)) {
        add(count);
    }
    if (!state.is_after_mark) {
        if (is_whole && state.count >= node.min) {
            todo.push_back(below);
        }
        if (can_come.empty()) {
            return;
        }
        if (state.count > 0) {
            MembersState next  = state;
            next.is_after_mark = true;
            enter(node.separator, members(next, below), budget);
            return;
        }
    }
    for (const size_t member : can_come) {
        enter_member(state, member, below, budget);
    }
}

void Stacks::expand(Budget & budget) {
    while (!todo.empty()) {
        const StackId stack = todo.back();
        todo.pop_back();
        if (seen[stack] == search) {
            continue;
        }
        seen[stack] = search;
        budget.spend(1 + stack_steps * (entries.size() - paid));
        paid                = entries.size();
        const Frame   top   = frames[entries[stack].top];
        const StackId under = entries[stack].below;
        switch (top.kind) {
            case FrameKind::end:     found.may_end = true; break;
            case FrameKind::unknown: found.is_crossing = true; break;
            case FrameKind::bytes:
                add_found(stack);
                if (program.expressions.is_nullable(top.a)) {
                    todo.push_back(under);
                }
                break;
            case FrameKind::token: add_found(stack); break;
            case FrameKind::mark:  todo.push_back(under); break;
            case FrameKind::node:  enter(top.a, under, budget); break;
            case FrameKind::rest:  {
                const ProgramNode & node = program.nodes[top.a];
                const bool          last = top.b + 1 == node.nodes.size();
                enter(node.nodes[top.b], last ? under : push(frame({ FrameKind::rest, top.a, top.b + 1 }), under),
                      budget);
                break;
            }
            case FrameKind::times:
                if (top.b == 0) {
                    todo.push_back(under);
                }
                if (top.c == 1) { // nothing is left after the last, so that ambiguous texts have fewer stacks
                    enter(top.a, under, budget);
                } else if (top.c > 1) {
                    const uint32_t least = top.b == 0 ? 0 : top.b - 1;
                    const uint32_t most  = top.c == endless ? endless : top.c - 1;
                    enter(top.a, push(frame({ FrameKind::times, top.a, least, most }), under), budget);
                }
                break;
            case FrameKind::members: {
                const MembersState state = states[top.a];
                enter_members(state, under, budget);
                break;
            }
        }
    }
}

FrameId Stacks::capped(FrameId id, uint32_t longest) {
    const Frame of = frames[id];
    if (of.kind == FrameKind::bytes) {
        return frame({ FrameKind::bytes, program.expressions.capped(of.a, longest) });
    }
    if (of.kind == FrameKind::times) {
        return frame({ FrameKind::times, of.a, std::min(of.b, longest), of.c > longest ? endless : of.c });
    }
    return id;
}

StackId Stacks::copied(const Stacks & from, StackId stack, StackCopies & copies) {
    std::vector<StackId> way; // those on top of what is known
    for (; stack != end && stack != unknown && !copies.stacks.contains(stack); stack = from.entries[stack].below) {
        way.push_back(stack);
    }
    StackId result = stack == end || stack == unknown ? stack : copies.stacks[stack];
    for (; !way.empty(); way.pop_back()) {
        Frame top = from.frames[from.entries[way.back()].top];
        if (top.kind == FrameKind::bytes) {
            top.a = program.expressions.copied(from.program.expressions, top.a, copies.expressions);
        } else if (top.kind == FrameKind::members) {
            top.a = state_number(from.states[top.a]);
        }
        result                    = push(frame(top), result);
        copies.stacks[way.back()] = result;
    }
    paid = entries.size(); // no call pays for it
    return result;
}

size_t Stacks::bytes_used() const {
    return frames.size() * sizeof(Frame) + frame_numbers.bytes() + entries.size() * (sizeof(Entry) + 4) +
           entry_numbers.bytes() + state_bytes + state_numbers.bytes();
}

} // namespace ggsl::grammar
