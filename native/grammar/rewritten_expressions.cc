// The same expressions with smaller counters, and in another table.
#include "expressions.h"

#include <algorithm>

namespace ggsl::grammar {

// The sequences that a sequence consists of, one in the other, down to one that `is_known`.
template <typename IsKnown> std::vector<Expression> Expressions::way_down(Expression e, IsKnown && is_known) const {
    std::vector<Expression> way;
    for (; nodes[e].kind == Kind::sequence && !is_known(e); e = nodes[e].b) {
        way.push_back(e);
    }
    return way;
}

Expression Expressions::capped(Expression e, uint32_t longest) {
    const auto key      = [&](Expression of) { return uint64_t{ longest } << 32 | of; };
    const auto is_known = [&](Expression of) { return !nodes[of].has_counter || caps.contains(key(of)); };
    // without recursion: sequences are long
    std::vector<Expression> way    = way_down(e, is_known);
    const Expression        last   = way.empty() ? e : nodes[way.back()].b;
    Expression              result = last;
    if (nodes[last].has_counter) {
        const auto known = caps.find(key(last));
        result           = known != caps.end() ? known->second : cap(last, longest);
        caps.emplace(key(last), result);
    }
    for (; !way.empty(); way.pop_back()) {
        result = sequence(capped(nodes[way.back()].a, longest), result);
        caps.emplace(key(way.back()), result);
    }
    return result;
}

// Of what has a counter and is no sequence.
Expression Expressions::cap(Expression e, uint32_t longest) {
    const Node node = nodes[e];
    switch (node.kind) {
        case Kind::any: {
            std::vector<Expression> parts;
            for (uint32_t i = 0; i < node.b; ++i) {
                parts.push_back(capped(lists[node.a + i], longest));
            }
            return any(std::move(parts));
        }
        case Kind::repeat: {
            const Expression of = capped(node.a, longest);
            return repeat(of, std::min(node.b, longest), node.c > longest ? endless : node.c);
        }
        default: return e; // whether an intersection is empty depends on all counts
    }
}

Expression Expressions::copied(const Expressions & from, Expression e,
                               std::unordered_map<Expression, Expression> & copies) {
    // without recursion: sequences are long
    std::vector<Expression> way    = from.way_down(e, [&](Expression of) { return copies.contains(of); });
    const Expression        last   = way.empty() ? e : from.nodes[way.back()].b;
    const auto              known  = copies.find(last);
    Expression              result = known != copies.end() ? known->second : copy(from, last, copies);
    copies.emplace(last, result);
    for (; !way.empty(); way.pop_back()) {
        result = sequence(copied(from, from.nodes[way.back()].a, copies), result);
        copies.emplace(way.back(), result);
    }
    return result;
}

// Of what is no sequence.
Expression Expressions::copy(const Expressions & from, Expression e,
                             std::unordered_map<Expression, Expression> & copies) {
    const Node node    = from.nodes[e];
    const auto operand = [&](Expression of) { return copied(from, of, copies); };
    const auto all     = [&] {
        std::vector<Expression> parts;
        for (uint32_t i = 0; i < node.b; ++i) {
            parts.push_back(operand(from.lists[node.a + i]));
        }
        return parts;
    };
    switch (node.kind) {
        case Kind::nothing:
        case Kind::sequence:     break;
        case Kind::empty:        return empty;
        case Kind::bytes:        return bytes(from.sets[node.a]);
        case Kind::text:         return text({ &from.characters_of_texts[node.a], node.b });
        case Kind::choice:       return choice_of(node.a, node.b, node.c); // the same texts are here
        case Kind::any:          return any(all());
        case Kind::intersection: return intersection(all());
        case Kind::complement:   return complement(operand(node.a));
        case Kind::repeat:       return repeat(operand(node.a), node.b, node.c);
    }
    return nothing;
}

} // namespace ggsl::grammar
