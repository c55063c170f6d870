#include "masks.h"

#include <algorithm>
#include <set>

namespace ggsl::grammar {

namespace {

constexpr int32_t not_known = -1;
// Plain characters are looked at for so many states, then tokens are walked.
constexpr size_t most_plain_states = 256;
// Nodes of a trie that are walked for a step, and how many are paid at once.
constexpr uint32_t nodes_of_step = 2;
constexpr uint32_t nodes_paid    = 1024;

} // namespace

Masks::Masks(Program & program, Stacks & stacks, const Vocabulary & vocabulary)
    : program(program), stacks(stacks), vocabulary(vocabulary),
      way(std::max(vocabulary.groups()[0].longest, vocabulary.groups()[1].longest) + 1) {
    number({}); // nothing may come
    for (uint8_t state = 0; state < plain_states; ++state) {
        std::set<std::pair<uint8_t, uint8_t>> done; // classes, and where they lead
        for (uint32_t byte = 0x20; byte < 0xf5; ++byte) {
            const uint8_t next = after_plain(state, static_cast<uint8_t>(byte));
            if (next != plain_none &&
                done.emplace(program.expressions.class_of(static_cast<uint8_t>(byte)), next).second) {
                plain_ways[state].emplace_back(byte, next);
            }
        }
    }
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
        budget.spend(program.expressions.class_count() * sizeof(int32_t) / step_bytes);
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
    uint32_t visited                     = 0;
    for (uint32_t i = trie.begin + 1; i < trie.end;) {
        const TrieNode & node = nodes[i];
        if (++visited == nodes_paid) {
            visited = 0;
            budget.spend(nodes_paid / nodes_of_step);
        }
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
    budget.spend(1 + visited / nodes_of_step);
}

const Masks::Character & Masks::plain_character(StateId start, Budget & budget) {
    if (const auto known = plain_characters.find(start); known != plain_characters.end()) {
        return known->second;
    }
    using At = std::pair<StateId, uint8_t>; // and where in the character it is
    Character       result;
    std::set<At>    seen;
    std::vector<At> todo{ { start, plain_start } };
    while (!todo.empty()) {
        const At at = todo.back();
        todo.pop_back();
        for (const auto & [byte, place] : plain_ways[at.second]) {
            budget.spend(1);
            const At to{ after(at.first, byte, budget), place };
            result.is_over = result.is_over || states[to.first].is_crossing;
            if (states[to.first].heads.empty()) {
                result.reads_all = false;
                continue;
            }
            result.reads_any = true;
            if (!seen.insert(to).second) {
                continue;
            }
            if (place == plain_start) {
                result.next.push_back(to.first);
            } else {
                todo.push_back(to);
            }
        }
    }
    used += sizeof(Character) + result.next.size() * sizeof(StateId);
    return plain_characters.emplace(start, std::move(result)).first->second;
}

Masks::Plain Masks::plain_after(StateId start, size_t most, Budget & budget) {
    std::vector<StateId> level{ start };
    std::set<StateId>    seen{ start };
    bool is_over_inside = states[start].is_crossing; // the state is over somewhere, and what is below may read on
    for (size_t count = 0; count < most; ++count) {
        std::vector<StateId> next;
        bool                 reads_all = true;
        bool                 reads_any = false;
        for (const StateId state : level) {
            const Character & one = plain_character(state, budget);
            budget.spend(1 + one.next.size());
            is_over_inside = is_over_inside || one.is_over;
            reads_all      = reads_all && one.reads_all;
            reads_any      = reads_any || one.reads_any;
            next.insert(next.end(), one.next.begin(), one.next.end());
        }
        if (!reads_all) {
            return { count, !reads_any && !is_over_inside };
        }
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
        const size_t before = seen.size();
        seen.insert(next.begin(), next.end());
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
    budget.spend(found.crossing.size() / nodes_of_step);
    if (from.size() > 1) { // one of them can be below another
        std::sort(found.crossing.begin(), found.crossing.end());
        found.crossing.erase(std::unique(found.crossing.begin(), found.crossing.end()), found.crossing.end());
    }
    pack(found);
    used += sizeof(Found) + 4 * (found.bits.size() + found.tokens.size() + found.crossing.size());
    return found;
}

void Masks::add_tokens(const Found & found, std::span<uint32_t> bits, Budget & budget) const {
    const size_t words = found.bits.size() + (found.plain == nullptr ? 0 : bits.size());
    budget.spend((words * sizeof(uint32_t) + found.tokens.size()) / step_bytes);
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
        add_tokens(*found, bits, budget);
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

// The tokens that a node of tokens names, whether they have a text or not, or all others that have one.
void Masks::add_named(const ProgramNode & node, std::span<uint32_t> bits, Budget & budget) const {
    const auto add = [&](uint32_t token) { bits[token / 32] |= 1u << (token % 32); };
    if (!node.is_negated) {
        budget.spend(node.tokens.size() / 4);
        for (const uint32_t token : node.tokens) {
            if (token < vocabulary.size() && !vocabulary.is_end(token)) {
                add(token);
            }
        }
        return;
    }
    budget.spend(vocabulary.tokens().size() / 4);
    for (const uint32_t token : vocabulary.tokens()) {
        if (!std::binary_search(node.tokens.begin(), node.tokens.end(), token)) {
            add(token);
        }
    }
}

void Masks::add(const std::vector<StackId> & heads, std::span<uint32_t> bits, Budget & budget) {
    Seen seen;
    for (const StackId head : heads) {
        budget.spend(1);
        if (stacks.frame(stacks.top(head)).kind == FrameKind::token) {
            add_named(stacks.tokens_of(stacks.top(head)), bits, budget);
            continue;
        }
        for (size_t number = 0; number < tops.size(); ++number) {
            add_group(head, number, bits, seen, budget);
        }
    }
}

} // namespace ggsl::grammar
