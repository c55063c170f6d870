#include "program.h"

#include <algorithm>
#include <string>

namespace ggsl::grammar {

namespace {

[[noreturn]] void damaged(const char * what, size_t at) {
    fail(code::invalid_argument, "the grammar's table is damaged at word %zu: %s", at, what);
}

class Reader {
public:
    explicit Reader(std::span<const uint32_t> words) : words(words) {}

    uint32_t next(const char * what) {
        if (at == words.size()) {
            damaged(what, at);
        }
        return words[at++];
    }
    // How many entries of so many words follow.
    uint32_t count(const char * what, size_t words_of_each) {
        const uint32_t count = next(what);
        if (count > (words.size() - at) / words_of_each) {
            damaged(what, at - 1);
        }
        return count;
    }
    // A node that was read before.
    NodeId node(NodeId before) {
        const uint32_t id = next("expected a node");
        if (id >= before) {
            damaged("expected an earlier node", at - 1);
        }
        return id;
    }
    bool   is_over() const { return at == words.size(); }
    size_t place() const { return at; }

private:
    std::span<const uint32_t> words;
    size_t                    at = 0;
};

// What nodes are made of, beside the nodes themselves.
struct Parts {
    std::vector<std::vector<CharacterRange>> ranges; // by node
    std::vector<std::string>                 texts;
};

std::string read_text(Reader & reader) {
    const uint32_t length = reader.next("expected the length of a text");
    std::string    text;
    for (uint32_t i = 0, word = 0; i < length; ++i) {
        if (i % 4 == 0) {
            word = reader.next("expected bytes of a text");
        }
        text.push_back(static_cast<char>(word >> (8 * (i % 4)) & 0xff));
    }
    return text;
}

std::vector<CharacterRange> read_ranges(Reader & reader) {
    const uint32_t              count = reader.count("expected ranges of characters", 2);
    std::vector<CharacterRange> ranges;
    for (uint32_t i = 0; i < count; ++i) {
        const size_t   at   = reader.place();
        const uint32_t from = reader.next("expected a character");
        const uint32_t to   = reader.next("expected a character");
        if (from > to || to > last_character || (!ranges.empty() && from <= ranges.back().to)) {
            damaged("expected sorted ranges of characters", at);
        }
        ranges.push_back({ from, to });
    }
    return ranges;
}

void read_members(Reader & reader, ProgramNode & node, NodeId id) {
    const size_t   at     = reader.place();
    const uint32_t flags  = reader.next("expected flags");
    node.is_ordered       = (flags & 1) != 0;
    node.separator        = reader.node(id);
    const uint32_t others = reader.next("expected a node, or none");
    if (others != no_node && others >= id) {
        damaged("expected an earlier node", reader.place() - 1);
    }
    node.others = others;
    node.min    = reader.next("expected a count");
    node.max    = reader.next("expected a count");
    if (flags > 1 || node.min > node.max) {
        damaged("expected flags, and a least count that is not above the most", at);
    }
    const uint32_t count = reader.count("expected members", 1);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t word = reader.next("expected a member");
        if (word / 2 >= id) {
            damaged("expected an earlier node", reader.place() - 1);
        }
        node.nodes.push_back(word / 2);
        node.is_required.push_back((word & 1) != 0);
    }
}

ProgramNode read_node(Reader & reader, NodeId id, NodeId count, Parts & parts) {
    ProgramNode    node;
    const size_t   at   = reader.place();
    const uint32_t kind = reader.next("expected a node");
    if (kind > static_cast<uint32_t>(NodeKind::tokens)) {
        damaged("unknown kind of node", at);
    }
    node.kind = static_cast<NodeKind>(kind);
    switch (node.kind) {
        case NodeKind::text:       parts.texts[id] = read_text(reader); break;
        case NodeKind::characters: parts.ranges[id] = read_ranges(reader); break;
        case NodeKind::all:
        case NodeKind::any:
        case NodeKind::intersection:
            for (uint32_t left = reader.count("expected nodes", 1); left > 0; --left) {
                node.nodes.push_back(reader.node(id));
            }
            break;
        case NodeKind::repeat:
            node.nodes = { reader.node(id) };
            node.min   = reader.next("expected a count");
            node.max   = reader.next("expected a count");
            if (node.min > node.max || node.min == endless) {
                damaged("expected a least count that is not above the most", at);
            }
            break;
        case NodeKind::rule:
            node.nodes = { reader.next("expected a node") };
            if (node.nodes[0] >= count) {
                damaged("expected a node of this table", at);
            }
            break;
        case NodeKind::complement: node.nodes = { reader.node(id) }; break;
        case NodeKind::members:    read_members(reader, node, id); break;
        case NodeKind::tokens:     {
            const uint32_t is_negated = reader.next("expected a flag");
            node.is_negated           = is_negated != 0;
            for (uint32_t left = reader.count("expected tokens", 1); left > 0; --left) {
                node.tokens.push_back(reader.next("expected a token"));
            }
            if (is_negated > 1 || !std::is_sorted(node.tokens.begin(), node.tokens.end())) {
                damaged("expected sorted tokens", at);
            }
            break;
        }
    }
    return node;
}

// What a node's children are, those of a rule excepted.
template <typename Call> void each_child(const ProgramNode & node, Call && call) {
    if (node.kind == NodeKind::rule) {
        return;
    }
    for (const NodeId child : node.nodes) {
        call(child);
    }
    if (node.separator != no_node) {
        call(node.separator);
    }
    if (node.others != no_node) {
        call(node.others);
    }
}

void check_depth(const std::vector<ProgramNode> & nodes) {
    std::vector<uint32_t> depth(nodes.size(), 1);
    for (size_t id = 0; id < nodes.size(); ++id) {
        each_child(nodes[id], [&](NodeId child) { depth[id] = std::max(depth[id], depth[child] + 1); });
        if (depth[id] > max_depth) {
            fail(code::limit_exceeded, "the grammar exceeds a limit: it is nested deeper than %u levels", max_depth);
        }
    }
}

// Nodes in an order in which each comes after all that it is made of, what rules name included; those that are part of a circle, and
// those that use one, are left out; and so are those that are deep, since derivatives are recursive.
std::vector<NodeId> regular_order(const std::vector<ProgramNode> & nodes) {
    const auto                       count = static_cast<NodeId>(nodes.size());
    std::vector<size_t>              waits(count);
    std::vector<std::vector<NodeId>> users(count);
    std::vector<NodeId>              ready;
    std::vector<uint32_t>            depth(count, 1);
    for (NodeId id = 0; id < count; ++id) {
        const auto needs = [&](NodeId child) {
            users[child].push_back(id);
            ++waits[id];
        };
        const ProgramNode & node = nodes[id];
        if (node.kind == NodeKind::rule) {
            needs(node.nodes[0]);
        }
        each_child(node, needs);
        const bool can_be = node.kind != NodeKind::members && node.kind != NodeKind::tokens;
        if (!can_be) {
            waits[id] = SIZE_MAX / 2; // never
        } else if (waits[id] == 0) {
            ready.push_back(id);
        }
    }
    for (size_t i = 0; i < ready.size(); ++i) {
        for (const NodeId user : users[ready[i]]) {
            depth[user] = std::max(depth[user], depth[ready[i]] + 1);
            if (--waits[user] == 0 && depth[user] <= max_depth) {
                ready.push_back(user);
            }
        }
    }
    return ready;
}

Expression any_of(Expressions & expressions, const ProgramNode & node, const std::vector<ProgramNode> & nodes,
                  const Parts & parts) {
    std::vector<Expression>       others;
    std::vector<std::string_view> texts;
    for (const NodeId id : node.nodes) {
        if (nodes[id].kind == NodeKind::text) {
            texts.push_back(parts.texts[id]);
        } else {
            others.push_back(nodes[id].expression);
        }
    }
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    if (!texts.empty()) {
        others.push_back(expressions.choice(texts));
    }
    return expressions.any(std::move(others));
}

Expression expression_of(Expressions & expressions, NodeId id, const std::vector<ProgramNode> & nodes,
                         const Parts & parts) {
    const ProgramNode &     node = nodes[id];
    std::vector<Expression> operands;
    if (node.kind != NodeKind::any) {
        for (const NodeId child : node.nodes) {
            operands.push_back(nodes[child].expression);
        }
    }
    switch (node.kind) {
        case NodeKind::text:       return expressions.text(parts.texts[id]);
        case NodeKind::characters: return expressions.characters(parts.ranges[id]);
        case NodeKind::all:        {
            Expression result = Expressions::empty;
            for (size_t i = operands.size(); i-- > 0;) {
                result = expressions.sequence(operands[i], result);
            }
            return result;
        }
        case NodeKind::any:          return any_of(expressions, node, nodes, parts);
        case NodeKind::repeat:       return expressions.repeat(operands[0], node.min, node.max);
        case NodeKind::rule:         return operands[0];
        case NodeKind::intersection: return expressions.intersection(std::move(operands));
        case NodeKind::complement:   return expressions.complement(operands[0]);
        case NodeKind::members:
        case NodeKind::tokens:       break;
    }
    return Expressions::nothing;
}

void check_regular(const std::vector<ProgramNode> & nodes) {
    for (const ProgramNode & node : nodes) {
        if ((node.kind == NodeKind::intersection || node.kind == NodeKind::complement) && !node.is_regular) {
            fail(code::invalid_argument,
                 "an intersection or a complement in a grammar must be of regular parts: without recursion, "
                 "members and tokens, and not nested deeper than %u levels",
                 max_depth);
        }
    }
}

bool all_productive(const std::vector<ProgramNode> & nodes, const ProgramNode & node) {
    return std::all_of(node.nodes.begin(), node.nodes.end(), [&](NodeId id) { return nodes[id].is_productive; });
}

bool members_productive(const std::vector<ProgramNode> & nodes, const ProgramNode & node) {
    uint64_t required = 0;
    uint64_t possible = node.others != no_node && nodes[node.others].is_productive ? endless : 0;
    for (size_t i = 0; i < node.nodes.size(); ++i) {
        if (node.is_required[i] && !nodes[node.nodes[i]].is_productive) {
            return false;
        }
        required += node.is_required[i];
        possible += nodes[node.nodes[i]].is_productive;
    }
    const uint64_t least = std::max<uint64_t>(required, node.min);
    return least <= node.max && least <= possible && (least <= 1 || nodes[node.separator].is_productive);
}

bool is_productive(const std::vector<ProgramNode> & nodes, NodeId id, Expressions & expressions, Budget & budget) {
    const ProgramNode & node = nodes[id];
    if (node.is_regular) {
        return expressions.is_alive(node.expression, budget);
    }
    switch (node.kind) {
        case NodeKind::any:
            return std::any_of(node.nodes.begin(), node.nodes.end(),
                               [&](NodeId one) { return nodes[one].is_productive; });
        case NodeKind::repeat:  return node.min == 0 || nodes[node.nodes[0]].is_productive;
        case NodeKind::members: return members_productive(nodes, node);
        case NodeKind::tokens:  return true;
        default:                return all_productive(nodes, node);
    }
}

// Marks the nodes that some text matches, from those below: until no more are found, since rules are recursive.
void mark_productive(std::vector<ProgramNode> & nodes, Expressions & expressions) {
    Budget                           budget(max_load_steps);
    std::vector<std::vector<NodeId>> users(nodes.size());
    std::vector<NodeId>              todo;
    for (NodeId id = 0; id < nodes.size(); ++id) {
        const auto uses = [&](NodeId child) { users[child].push_back(id); };
        if (nodes[id].kind == NodeKind::rule) {
            uses(nodes[id].nodes[0]);
        }
        each_child(nodes[id], uses);
        todo.push_back(id);
    }
    for (size_t i = 0; i < todo.size(); ++i) {
        budget.spend(1);
        const NodeId id = todo[i];
        if (!nodes[id].is_productive && is_productive(nodes, id, expressions, budget)) {
            nodes[id].is_productive = true;
            for (const NodeId user : users[id]) {
                if (!nodes[user].is_productive) {
                    todo.push_back(user);
                }
            }
        }
    }
    // members that no text matches never come
    for (ProgramNode & node : nodes) {
        if (node.kind != NodeKind::members) {
            continue;
        }
        if (!nodes[node.separator].is_productive) {
            node.max = std::min(node.max, 1u);
        }
        size_t kept = 0;
        for (size_t i = 0; i < node.nodes.size(); ++i) {
            if (nodes[node.nodes[i]].is_productive) {
                node.nodes[kept]         = node.nodes[i];
                node.is_required[kept++] = node.is_required[i];
            }
        }
        node.nodes.resize(kept);
        node.is_required.resize(kept);
        if (node.others != no_node && !nodes[node.others].is_productive) {
            node.others = no_node;
        }
        node.required_after.resize(kept + 1);
        for (size_t i = kept; i-- > 0;) {
            node.required_after[i] = node.required_after[i + 1] + node.is_required[i];
        }
    }
}

} // namespace

Program::Program(std::span<const uint32_t> words) {
    if (words.size() > max_words) {
        fail(code::limit_exceeded, "the grammar exceeds a limit: its table has %zu words, expected at most %zu",
             words.size(), max_words);
    }
    Reader reader(words);
    if (reader.next("expected the version") != words_version) {
        damaged("unknown version", 0);
    }
    const uint32_t count = reader.count("expected the number of nodes", 1);
    root                 = reader.next("expected the root");
    if (root >= count) {
        damaged("expected a node of this table", 2);
    }
    Parts parts{ std::vector<std::vector<CharacterRange>>(count), std::vector<std::string>(count) };
    for (NodeId id = 0; id < count; ++id) {
        nodes.push_back(read_node(reader, id, count, parts));
    }
    if (!reader.is_over()) {
        damaged("expected the end", reader.place());
    }
    check_depth(nodes);
    Budget budget(max_load_steps);
    for (const NodeId id : regular_order(nodes)) {
        nodes[id].is_regular = true;
        nodes[id].expression = expression_of(expressions, id, nodes, parts);
        budget.spend(expressions.taken_work());
    }
    check_regular(nodes);
    expressions.make_classes();
    mark_productive(nodes, expressions);
    if (!nodes[root].is_productive) {
        fail(code::invalid_argument, "no text matches the grammar");
    }
}

} // namespace ggsl::grammar
