// What may follow a byte, and whether anything may.
#include "expressions.h"

namespace ggsl::grammar {

namespace {

enum : uint8_t { open, alive, dead }; // what is known of an expression

} // namespace

Expression Expressions::after(Expression e, uint8_t byte, Budget & budget) {
    const Expression next = derivative(e, byte, budget);
    return nodes[next].has_intersection && !is_alive(next, budget) ? nothing : next;
}

Expression Expressions::derivative(Expression e, uint8_t byte, Budget & budget) {
    budget.spend(1 + taken_work());
    const Node node = nodes[e];
    if (!sets[node.first].has(byte)) {
        return nothing;
    }
    switch (node.kind) {
        case Kind::nothing:
        case Kind::empty:   return nothing;
        case Kind::bytes:   return empty;
        case Kind::text:    return text(std::string_view(&characters_of_texts[node.a], node.b).substr(1));
        case Kind::choice:  {
            const auto less = [&](uint32_t number, uint8_t than) {
                const std::string_view one = choice_text(number);
                return one.size() == node.c || static_cast<uint8_t>(one[node.c]) < than;
            };
            const auto bound = [&](uint32_t from, auto && is_before) {
                uint32_t high = node.a + node.b;
                while (from < high) {
                    const uint32_t middle = from + (high - from) / 2;
                    if (is_before(middle)) {
                        from = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                return from;
            };
            const uint32_t begin = bound(node.a, [&](uint32_t i) { return less(i, byte); });
            const uint32_t end =
                bound(begin, [&](uint32_t i) { return static_cast<uint8_t>(choice_text(i)[node.c]) == byte; });
            return choice_of(begin, end - begin, node.c + 1);
        }
        case Kind::sequence: {
            std::vector<Expression> parts;
            Expression              rest = e;
            for (;;) {
                const Node part = nodes[rest];
                if (part.kind != Kind::sequence) {
                    parts.push_back(derivative(rest, byte, budget));
                    break;
                }
                budget.spend(1);
                if (sets[nodes[part.a].first].has(byte)) {
                    const Expression first = derivative(part.a, byte, budget);
                    parts.push_back(sequence(first, part.b));
                }
                if (!nodes[part.a].is_nullable) {
                    break;
                }
                rest = part.b;
            }
            return any(std::move(parts));
        }
        case Kind::any:
        case Kind::intersection: {
            budget.spend(node.b);
            std::vector<Expression> parts;
            for (uint32_t i = 0; i < node.b; ++i) {
                const Expression next = derivative(lists[node.a + i], byte, budget);
                if (next != nothing) {
                    parts.push_back(next);
                } else if (node.kind == Kind::intersection) {
                    return nothing;
                }
            }
            return node.kind == Kind::any ? any(std::move(parts)) : intersection(std::move(parts));
        }
        case Kind::complement: return complement(derivative(node.a, byte, budget));
        case Kind::repeat:     {
            const Expression first = derivative(node.a, byte, budget);
            const uint32_t   min   = node.b == 0 ? 0 : node.b - 1;
            return sequence(first, repeat(node.a, min, node.c == endless ? endless : node.c - 1));
        }
    }
    return nothing;
}

bool Expressions::is_alive(Expression e, Budget & budget) {
    const Node node = nodes[e];
    if (!node.has_intersection) {
        return e != nothing;
    }
    if (node.is_nullable) {
        return true;
    }
    liveness.resize(nodes.size(), open);
    if (liveness[e] != open) {
        return liveness[e] == alive;
    }
    budget.spend(1);
    bool result = false;
    switch (node.kind) {
        case Kind::sequence: return is_sequence_alive(e, budget);
        case Kind::any:
            for (uint32_t i = 0; i < node.b && !result; ++i) {
                result = is_alive(lists[node.a + i], budget);
            }
            break;
        case Kind::repeat: result = is_alive(node.a, budget); break;
        default:           return search(e, budget);
    }
    liveness[e] = result ? alive : dead;
    return result;
}

// Without recursion: sequences are long.
bool Expressions::is_sequence_alive(Expression e, Budget & budget) {
    std::vector<Expression> way;
    bool                    result = true;
    for (; result && nodes[e].kind == Kind::sequence && nodes[e].has_intersection && liveness[e] == open;
         e = nodes[e].b) {
        budget.spend(1);
        way.push_back(e);
        result = is_alive(nodes[e].a, budget);
    }
    result = result && is_alive(e, budget);
    for (const Expression one : way) {
        liveness[one] = result ? alive : dead;
    }
    return result;
}

// Whether some text matches, by the derivatives in depth: what is on the way to one that matches is alive, and if there is none all
// that were seen are dead.
bool Expressions::search(Expression start, Budget & budget) {
    struct Step {
        Expression e;
        size_t     next; // a class
    };
    std::vector<Step>       way{ { start, 0 } };
    std::vector<Expression> seen{ start };
    std::vector<bool>       is_seen(nodes.size());
    is_seen[start] = true;
    while (!way.empty()) {
        Step & step = way.back();
        if (step.next == class_count()) {
            way.pop_back();
            continue;
        }
        const uint8_t byte = representatives[step.next++];
        if (!first(step.e).has(byte)) {
            continue;
        }
        const Expression next = derivative(step.e, byte, budget);
        is_seen.resize(nodes.size());
        liveness.resize(nodes.size(), open);
        if (next == nothing || is_seen[next] || liveness[next] == dead) {
            continue;
        }
        if (nodes[next].is_nullable || !nodes[next].has_intersection || liveness[next] == alive) {
            for (const Step & one : way) {
                liveness[one.e] = alive;
            }
            return true;
        }
        is_seen[next] = true;
        seen.push_back(next);
        way.push_back({ next, 0 });
    }
    for (const Expression e : seen) {
        liveness[e] = dead;
    }
    return false;
}

} // namespace ggsl::grammar
