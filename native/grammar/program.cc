#include "program.h"

#include "written_program.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ggsl::grammar {

namespace {

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
        // what is read of a mark must be seen in the stack
        const bool can_be =
            node.kind != NodeKind::members && node.kind != NodeKind::tokens && node.kind != NodeKind::mark;
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
                  const WrittenProgram & written) {
    std::vector<Expression>       others;
    std::vector<std::string_view> texts;
    for (const NodeId id : node.nodes) {
        if (nodes[id].kind == NodeKind::text) {
            texts.push_back(written.texts[id]);
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
                         const WrittenProgram & written) {
    const ProgramNode &     node = nodes[id];
    std::vector<Expression> operands;
    if (node.kind != NodeKind::any) {
        for (const NodeId child : node.nodes) {
            operands.push_back(nodes[child].expression);
        }
    }
    switch (node.kind) {
        case NodeKind::text:       return expressions.text(written.texts[id]);
        case NodeKind::characters: return expressions.characters(written.ranges[id]);
        case NodeKind::all:        {
            Expression result = Expressions::empty;
            for (size_t i = operands.size(); i-- > 0;) {
                result = expressions.sequence(operands[i], result);
            }
            return result;
        }
        case NodeKind::any:          return any_of(expressions, node, nodes, written);
        case NodeKind::repeat:       return expressions.repeat(operands[0], node.min, node.max);
        case NodeKind::rule:         return operands[0];
        case NodeKind::intersection: return expressions.intersection(std::move(operands));
        case NodeKind::complement:   return expressions.complement(operands[0]);
        case NodeKind::members:
        case NodeKind::tokens:
        case NodeKind::mark:         break;
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
    WrittenProgram written = read_program(words);
    nodes                  = std::move(written.nodes);
    root                   = written.root;
    check_depth(nodes);
    Budget budget(max_load_steps);
    for (const NodeId id : regular_order(nodes)) {
        nodes[id].is_regular = true;
        nodes[id].expression = expression_of(expressions, id, nodes, written);
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
