// Tables of nodes for tests of the engine of grammars: random ones, and a matcher that tries everything.
#pragma once

#include "grammar/grammar.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ggsl::test::tables {

using namespace grammar;
using Words = std::vector<uint32_t>;

inline std::shared_ptr<const Vocabulary> vocabulary_of(const std::vector<std::string> & texts) {
    std::vector<uint8_t>  bytes;
    std::vector<uint32_t> offsets{ 0 };
    for (const std::string & text : texts) {
        bytes.insert(bytes.end(), text.begin(), text.end());
        offsets.push_back(static_cast<uint32_t>(bytes.size()));
    }
    return std::make_shared<Vocabulary>(bytes, offsets, Words{ 0 });
}

// An end of the text, both letters, and longer tokens.
inline const std::vector<std::string> letters = { "", "a", "b", "ab", "ba", "aa", "bb", "aab", "abab", "bbbb", "a" };

inline std::unique_ptr<Position> read(const Position & from, const std::string & text) {
    auto at = std::make_unique<Position>(from);
    for (size_t i = 0; i < text.size() && at; ++i) {
        at = at->after(text[i] == 'a' ? 1 : 2);
    }
    return at;
}

// A table under construction.
struct Table {
    Words    words{ words_version, 0, 0 };
    uint32_t count = 0;

    uint32_t add(std::initializer_list<uint32_t> head, const Words & more = {}) {
        words.insert(words.end(), head);
        words.insert(words.end(), more.begin(), more.end());
        return count++;
    }
    uint32_t list(NodeKind kind, const Words & of) {
        return add({ static_cast<uint32_t>(kind), static_cast<uint32_t>(of.size()) }, of);
    }
    uint32_t text(const std::string & bytes) {
        Words packed((bytes.size() + 3) / 4);
        for (size_t i = 0; i < bytes.size(); ++i) {
            packed[i / 4] |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << (8 * (i % 4));
        }
        return add({ static_cast<uint32_t>(NodeKind::text), static_cast<uint32_t>(bytes.size()) }, packed);
    }
    uint32_t one_of(uint32_t from, uint32_t to) {
        return add({ static_cast<uint32_t>(NodeKind::characters), 1, from, to });
    }
    uint32_t repeat(uint32_t of, uint32_t min, uint32_t max) {
        return add({ static_cast<uint32_t>(NodeKind::repeat), of, min, max });
    }
    Words whole(uint32_t root) {
        words[1] = count;
        words[2] = root;
        return words;
    }
};

// The places where a part of a text that begins at a place can end, as bits: by trying everything.
class Matcher {
public:
    Matcher(const Program & program, std::vector<std::string> literals, std::string text)
        : program(program), literals(std::move(literals)), text(std::move(text)) {}

    uint32_t ends(NodeId id, size_t from) {
        const auto known = all_ends.find({ id, from });
        if (known != all_ends.end()) {
            return known->second;
        }
        const uint32_t result = tried(id, from);
        all_ends.emplace(std::pair{ id, from }, result);
        return result;
    }

private:
    uint32_t tried(NodeId id, size_t from) {
        const ProgramNode & node = program.nodes[id];
        switch (node.kind) {
            case NodeKind::text:
                return text.compare(from, literals[id].size(), literals[id]) == 0 ? bit(from + literals[id].size()) : 0;
            case NodeKind::characters:
                return from < text.size() && literals[id].find(text[from]) != std::string::npos ? bit(from + 1) : 0;
            case NodeKind::all: {
                uint32_t at = bit(from);
                for (const NodeId one : node.nodes) {
                    at = each(at, one);
                }
                return at;
            }
            case NodeKind::any: {
                uint32_t all = 0;
                for (const NodeId one : node.nodes) {
                    all |= ends(one, from);
                }
                return all;
            }
            case NodeKind::repeat: {
                uint32_t at     = bit(from);
                uint32_t result = node.min == 0 ? at : 0;
                for (uint32_t times = 1; times <= std::min<uint32_t>(node.max, 40); ++times) {
                    at = each(at, node.nodes[0]);
                    if (times >= node.min) {
                        result |= at;
                    }
                }
                return result;
            }
            case NodeKind::mark:
            case NodeKind::rule:         return ends(node.nodes[0], from);
            case NodeKind::intersection: {
                uint32_t all = UINT32_MAX;
                for (const NodeId one : node.nodes) {
                    all &= ends(one, from);
                }
                return all & rest(from);
            }
            case NodeKind::complement: return ~ends(node.nodes[0], from) & rest(from);
            case NodeKind::members:    return members(node, from, std::vector<bool>(node.nodes.size()), 0, 0);
            case NodeKind::tokens:     return 0;
        }
        return 0;
    }
    static uint32_t bit(size_t at) { return 1u << at; }
    uint32_t        rest(size_t from) const { return bit(text.size() + 1) - bit(from); }
    uint32_t        each(uint32_t at, NodeId id) {
        uint32_t result = 0;
        for (size_t i = 0; i <= text.size(); ++i) {
            if ((at & bit(i)) != 0) {
                result |= ends(id, i);
            }
        }
        return result;
    }
    uint32_t members(const ProgramNode & node, size_t from, const std::vector<bool> & seen, size_t next,
                     uint32_t count) {
        bool is_whole = true;
        for (size_t i = 0; i < seen.size(); ++i) {
            is_whole = is_whole && (seen[i] || !node.is_required[i]);
        }
        uint32_t result = is_whole && count >= node.min && count <= node.max ? bit(from) : 0;
        if (count > 12) {
            return result;
        }
        const auto go_on = [&](NodeId member, const std::vector<bool> & after, size_t following) {
            const uint32_t begins = count == 0 ? bit(from) : ends(node.separator, from);
            const uint32_t over   = each(begins, member);
            for (size_t i = 0; i <= text.size(); ++i) {
                if ((over & bit(i)) != 0) {
                    result |= members(node, i, after, following, count + 1);
                }
            }
        };
        for (size_t i = node.is_ordered ? next : 0; i < seen.size(); ++i) {
            if (!seen[i]) {
                std::vector<bool> after = seen;
                after[i]                = true;
                go_on(node.nodes[i], after, i + 1);
            }
        }
        if (node.others != no_node) {
            go_on(node.others, seen, node.is_ordered ? seen.size() : next);
        }
        return result;
    }

    const Program &          program;
    std::vector<std::string> literals; // by node: its text, or its characters
    std::string              text;

    std::map<std::pair<NodeId, size_t>, uint32_t> all_ends;
};

struct Random {
    std::mt19937 state;
    uint32_t     below(uint32_t n) { return static_cast<uint32_t>(state() % n); }
};

struct RandomTable {
    Table                    table;
    std::vector<std::string> literals;
    Words                    regular; // nodes without members and rules
    Words                    others;
    uint32_t                 rule = no_node; // names a node that comes later

    uint32_t kept(uint32_t id, bool is_regular, std::string literal = "") {
        literals.resize(id + 1);
        literals[id] = std::move(literal);
        (is_regular ? regular : others).push_back(id);
        return id;
    }
    uint32_t some(Random & random, bool must_be_regular) {
        const bool   is_regular = must_be_regular || others.empty() || random.below(3) > 0;
        const auto & from       = is_regular ? regular : others;
        return from[random.below(static_cast<uint32_t>(from.size()))];
    }
    bool is_regular(uint32_t id) const { return std::find(regular.begin(), regular.end(), id) != regular.end(); }

    Words make(Random & random) {
        for (const char * text : { "a", "b", "ab", "bba", "" }) {
            kept(table.text(text), true, text);
        }
        kept(table.one_of('a', 'b'), true, "ab");
        const size_t rule_at = table.words.size() + 1;
        rule                 = table.add({ static_cast<uint32_t>(NodeKind::rule), 0 });
        literals.resize(rule + 1);
        // not left-recursive: a letter comes first
        kept(table.list(NodeKind::all, { 0, rule }), false);
        const uint32_t count = 4 + random.below(10);
        for (uint32_t i = 0; i < count; ++i) {
            add_node(random);
        }
        const uint32_t root  = table.count - 1;
        table.words[rule_at] = root;
        return table.whole(root);
    }
    void add_node(Random & random) {
        const uint32_t a = some(random, false);
        const uint32_t b = some(random, false);
        switch (random.below(7)) {
            case 0: kept(table.list(NodeKind::all, { a, b }), is_regular(a) && is_regular(b)); return;
            case 1:
                kept(table.list(NodeKind::any, { a, b, some(random, true) }), is_regular(a) && is_regular(b));
                return;
            case 2: {
                const uint32_t min = random.below(3);
                const uint32_t max = random.below(2) == 0 ? endless : min + random.below(3);
                kept(table.repeat(a, min, max), is_regular(a));
                return;
            }
            case 3: kept(table.list(NodeKind::intersection, { some(random, true), some(random, true) }), true); return;
            case 4: {
                const uint32_t of = table.add({ static_cast<uint32_t>(NodeKind::complement), some(random, true) });
                literals.resize(of + 1);
                // of texts over the two letters
                const uint32_t all = kept(table.repeat(5, 0, endless), true);
                kept(table.list(NodeKind::intersection, { of, all }), true);
                return;
            }
            case 5:
                kept(table.add({ static_cast<uint32_t>(NodeKind::mark), a, random.below(max_marks) }), false);
                return;
            default: {
                const uint32_t least   = random.below(3);
                const uint32_t most    = random.below(2) == 0 ? endless : least + random.below(3);
                const uint32_t other   = random.below(2) == 0 ? no_node : some(random, true);
                const uint32_t members = 1 + random.below(3);
                Words          of;
                for (uint32_t i = 0; i < members; ++i) {
                    of.push_back(2 * some(random, false) + random.below(2));
                }
                kept(table.add({ static_cast<uint32_t>(NodeKind::members), random.below(2), some(random, true), other,
                                 least, most, members },
                               of),
                     false);
            }
        }
    }
};

} // namespace ggsl::test::tables
