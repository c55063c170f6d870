#include "masks.h"

#include "plain.h"

#include <algorithm>

namespace ggsl::grammar {

namespace {

constexpr int32_t not_known = -1;
// Plain characters are looked at for so many states, then tokens are walked.
constexpr size_t most_plain_states = 256;

} // namespace

Masks::Masks(Program & program, Stacks & stacks, const Vocabulary & vocabulary)
    : program(program), stacks(stacks), vocabulary(vocabulary),
      way(std::max(vocabulary.groups()[0].longest, vocabulary.groups()[1].longest) + 1) {
    number({}); // nothing may come
}

Masks::StateId Masks::number(Heads heads) {
    uint64_t hash = mixed(heads.is_crossing, heads.stacks.size());
    for (const StackId stack : heads.stacks) {
        hash = mixed(hash, stack);
    }
    const auto next = static_cast<StateId>(states.size());
    const auto id   = state_numbers.find_or(hash, next, [&](uint32_t i) {
        return states[i].is_crossing == heads.is_crossing && states[i].heads == heads.stacks;
    });
    if (id == next) {
        used += sizeof(State) + heads.stacks.size() * sizeof(StackId);
        states.push_back({ std::move(heads.stacks), heads.is_crossing, {} });
    }
    return id;
}

Masks::StateId Masks::after(StateId id, uint8_t byte, Budget & budget) {
    const size_t of_class = program.expressions.class_of(byte);
    if (states[id].after.empty()) {
        states[id].after.assign(program.expressions.class_count(), not_known);
        used += program.expressions.class_count() * sizeof(int32_t);
    }
    if (const int32_t known = states[id].after[of_class]; known != not_known) {
        return static_cast<StateId>(known);
    }
    const std::vector<StackId> heads = states[id].heads;
    const StateId              next  = number(stacks.after(heads, byte, budget));
    states[id].after[of_class]       = static_cast<int32_t>(next);
    return next;
}

void Masks::walk(const Trie & trie, StateId start, Found & found, Budget & budget) {
    const std::vector<TrieNode> & nodes  = vocabulary.nodes();
    const std::vector<uint32_t> & tokens = vocabulary.tokens();
    way[nodes[trie.begin].depth]         = start;
    uint64_t visited                     = 0;
    for (uint32_t i = trie.begin + 1; i < trie.end;) {
        const TrieNode & node = nodes[i];
        ++visited;
        const StateId state = after(way[node.depth - 1u], node.byte, budget);
        if (state == 0) {
            i = node.end;
            continue;
        }
        way[node.depth] = state;
        found.tokens.insert(found.tokens.end(), tokens.begin() + node.token, tokens.begin() + nodes[i + 1].token);
        const bool has_children = node.end > i + 1;
        if (has_children && states[state].is_crossing) {
            found.crossing.push_back(i);
        }
        i = states[state].heads.empty() ? node.end : i + 1;
    }
    budget.spend(visited / 4);
}

template <typename Call> void Masks::each_plain(const At & at, Budget & budget, Call && call) {
    uint64_t done[4][plain_states] = {}; // bits of classes, by where in a character they lead
    for (uint32_t value = 0x20; value < 0xf5; ++value) {
        const auto    byte = static_cast<uint8_t>(value);
        const uint8_t next = after_plain(at.second, byte);
        if (next == plain_none) {
            continue;
        }
        const size_t of_class = program.expressions.class_of(byte);
        uint64_t &   word     = done[of_class / 64][next];
        const auto   bit      = uint64_t{ 1 } << (of_class % 64);
        if ((word & bit) == 0) {
            word |= bit;
            call(At{ after(at.first, byte, budget), next });
        }
    }
}

Masks::Plain Masks::plain_after(StateId start, size_t most, Budget & budget) {
    std::vector<At> level{ { start, plain_start } };
    std::vector<At> seen = level;
    bool is_over_inside  = states[start].is_crossing; // the state is over somewhere, and what is below may read on
    for (size_t count = 0; count < most; ++count) {
        std::vector<At> todo = level; // and those inside of its next character
        std::vector<At> next;
        bool            reads_all = true;
        bool            reads_any = false;
        while (!todo.empty()) {
            const At at = todo.back();
            todo.pop_back();
            each_plain(at, budget, [&](const At & to) {
                is_over_inside = is_over_inside || states[to.first].is_crossing;
                if (states[to.first].heads.empty()) {
                    reads_all = false;
                    return;
                }
                reads_any = true;
                if (to.second != plain_start) {
                    todo.push_back(to);
                } else if (std::find(next.begin(), next.end(), to) == next.end()) {
                    next.push_back(to);
                }
            });
        }
        if (!reads_all) {
            return { count, !reads_any && !is_over_inside };
        }
        const size_t before = seen.size();
        for (const At & at : next) {
            if (std::find(seen.begin(), seen.end(), at) == seen.end()) {
                seen.push_back(at);
            }
        }
        if (seen.size() == before) {
            break;
        }
        if (seen.size() > most_plain_states) {
            return { count + 1, false };
        }
        level = std::move(next);
    }
    return { most, true };
}

// Many tokens as bits.
void Masks::pack(Found & found) const {
    if (found.tokens.size() <= vocabulary.words()) {
        found.tokens.shrink_to_fit();
        return;
    }
    found.bits.resize(vocabulary.words());
    for (const uint32_t token : found.tokens) {
        found.bits[token / 32] |= 1u << (token % 32);
    }
    found.tokens = {};
}

Masks::Found Masks::walked(FrameId frame, const std::vector<uint32_t> & from, const TokenGroup & group, bool is_top,
                           Budget & budget) {
    Heads heads = stacks.opened(frame, Stacks::unknown, budget);
    Found found;
    if (heads.is_crossing) {
        heads.is_crossing = false;
        if (!is_top) { // a position has what is below its tops among its stacks
            found.crossing = from;
        }
    }
    const StateId start = number(heads);
    const auto &  nodes = vocabulary.nodes();
    for (const uint32_t node : from) {
        Trie trie{ node, nodes[node].end };
        if (node == group.all.begin) {
            const Plain plain = plain_after(start, group.plain.size() - 1, budget);
            if (plain.count > 0 && plain.is_most) {
                found.plain = &group.plain[plain.count];
                trie        = group.others;
            }
        }
        walk(trie, start, found, budget);
    }
    if (from.size() > 1) { // one of them can be below another
        std::sort(found.crossing.begin(), found.crossing.end());
        found.crossing.erase(std::unique(found.crossing.begin(), found.crossing.end()), found.crossing.end());
    }
    pack(found);
    used += sizeof(Found) + 4 * (found.bits.size() + found.tokens.size() + found.crossing.size());
    return found;
}

void Masks::add_tokens(const Found & found, std::span<uint32_t> bits) const {
    const auto add_all = [&](const std::vector<uint32_t> & more) {
        std::transform(more.begin(), more.end(), bits.begin(), bits.begin(), std::bit_or<>());
    };
    add_all(found.bits);
    if (found.plain != nullptr) {
        add_all(*found.plain);
    }
    for (const uint32_t token : found.tokens) {
        bits[token / 32] |= 1u << (token % 32);
    }
}

Masks::Found & Masks::found_for(Founds & known, FrameId frame, const std::vector<uint32_t> & from,
                                const TokenGroup & group, bool is_top, Budget & budget) {
    const FrameId capped = stacks.capped(frame, group.longest);
    if (const auto place = known.find(capped); place != known.end()) {
        return *place->second;
    }
    founds.push_back(std::make_unique<Found>(walked(capped, from, group, is_top, budget)));
    Found & found = *founds.back();
    found.number  = static_cast<uint32_t>(founds.size());
    known.emplace(capped, &found);
    if (!is_top && found.crossing == from) {
        found.next.emplace(capped, &found); // so that a deep stack of it needs one
    }
    return found;
}

void Masks::add_group(StackId stack, size_t number, std::span<uint32_t> bits, Seen & seen, Budget & budget) {
    const TokenGroup & group = vocabulary.groups()[number];
    Found *            found = &found_for(tops[number], stacks.top(stack), { group.all.begin }, group, true, budget);
    for (;;) {
        add_tokens(*found, bits);
        stack = stacks.below(stack);
        if (found->crossing.empty() || stack == Stacks::end) {
            return;
        }
        budget.spend(1);
        if (!seen.insert(uint64_t{ found->number } << 32 | stack).second) {
            return; // another head went on so
        }
        found = &found_for(found->next, stacks.top(stack), found->crossing, group, false, budget);
    }
}

// The tokens that a node of tokens names.
void Masks::add_named(FrameId frame, std::span<uint32_t> bits) const {
    for (uint32_t token = 0; token < vocabulary.size(); ++token) {
        if (!vocabulary.text(token).empty() && stacks.accepts_token(frame, token)) {
            bits[token / 32] |= 1u << (token % 32);
        }
    }
}

void Masks::add(const std::vector<StackId> & heads, std::span<uint32_t> bits, Budget & budget) {
    Seen seen;
    for (const StackId head : heads) {
        budget.spend(1);
        if (stacks.frame(stacks.top(head)).kind == FrameKind::token) {
            add_named(stacks.top(head), bits);
            continue;
        }
        for (size_t number = 0; number < tops.size(); ++number) {
            add_group(head, number, bits, seen, budget);
        }
    }
}

} // namespace ggsl::grammar
