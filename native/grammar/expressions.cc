#include "expressions.h"

#include <algorithm>
#include <cstring>

namespace ggsl::grammar {

namespace {

// Of a text's bytes: its hash is as quick for long ones.
constexpr size_t hashed_bytes = 16;
// For a new expression, which is mostly far from the others in memory.
constexpr uint64_t node_steps = 8;

} // namespace

Expressions::Expressions() {
    set_number({});
    nodes.push_back({ Kind::nothing, false, false, false, 0, 0, 0, 0 });
    nodes.push_back({ Kind::empty, true, false, false, 0, 0, 0, 0 });
    nodes.push_back({ Kind::complement, true, false, false, nothing, 0, 0, set_number(ByteSet::all()) });
}

uint32_t Expressions::set_number(const ByteSet & set) {
    const auto     next   = static_cast<uint32_t>(sets.size());
    const uint32_t number = set_numbers.find_or(set.hash(), next, [&](uint32_t i) { return sets[i] == set; });
    if (number == next) {
        sets.push_back(set);
    }
    return number;
}

void Expressions::add_node(const Node & node) {
    work += node_steps;
    nodes.push_back(node);
}

Expression Expressions::intern(Node node) {
    const uint64_t hash = mixed(mixed(mixed(static_cast<uint64_t>(node.kind), node.a), node.b), node.c);
    const auto     next = static_cast<Expression>(nodes.size());
    const auto     e    = numbers.find_or(hash, next, [&](uint32_t i) {
        const Node & other = nodes[i];
        return other.kind == node.kind && other.a == node.a && other.b == node.b && other.c == node.c;
    });
    if (e == next) {
        add_node(node);
    }
    return e;
}

Expression Expressions::intern_list(Kind kind, const std::vector<Expression> & of) {
    uint64_t hash = mixed(static_cast<uint64_t>(kind), of.size());
    for (const Expression e : of) {
        hash = mixed(hash, e);
    }
    const auto next  = static_cast<Expression>(nodes.size());
    const auto found = numbers.find_or(hash, next, [&](uint32_t i) {
        const Node & other = nodes[i];
        return other.kind == kind && other.b == of.size() && std::equal(of.begin(), of.end(), &lists[other.a]);
    });
    if (found != next) {
        return found;
    }
    const bool is_any = kind == Kind::any;
    Node    node{ kind, !is_any, !is_any, false, static_cast<uint32_t>(lists.size()), static_cast<uint32_t>(of.size()),
               0,    0 };
    ByteSet first = is_any ? ByteSet{} : ByteSet::all();
    for (const Expression e : of) {
        const Node & part     = nodes[e];
        node.is_nullable      = is_any ? node.is_nullable || part.is_nullable : node.is_nullable && part.is_nullable;
        node.has_intersection = node.has_intersection || part.has_intersection;
        node.has_counter      = node.has_counter || part.has_counter;
        first                 = is_any ? first | sets[part.first] : first & sets[part.first];
    }
    node.first = set_number(first);
    lists.insert(lists.end(), of.begin(), of.end());
    add_node(node);
    return found;
}

Expression Expressions::bytes(const ByteSet & set) {
    if (set.empty()) {
        return nothing;
    }
    const uint32_t number = set_number(set);
    return intern({ Kind::bytes, false, false, false, number, 0, 0, number });
}

Expression Expressions::text(std::string_view bytes_of) {
    if (bytes_of.empty()) {
        return empty;
    }
    const auto first = static_cast<uint8_t>(bytes_of[0]);
    if (bytes_of.size() == 1) {
        return bytes(ByteSet::range(first, first));
    }
    uint64_t hash = mixed(static_cast<uint64_t>(Kind::text), bytes_of.size());
    for (const char byte : bytes_of.substr(0, hashed_bytes)) {
        hash = mixed(hash, static_cast<uint8_t>(byte));
    }
    const auto next  = static_cast<Expression>(nodes.size());
    const auto found = numbers.find_or(hash, next, [&](uint32_t i) {
        const Node & other = nodes[i];
        return other.kind == Kind::text && other.b == bytes_of.size() &&
               (&characters_of_texts[other.a] == bytes_of.data() ||
                std::memcmp(&characters_of_texts[other.a], bytes_of.data(), bytes_of.size()) == 0);
    });
    if (found != next) {
        return found;
    }
    // a rest of a text is there already
    const char * const begin   = characters_of_texts.data();
    const bool         is_rest = bytes_of.data() >= begin && bytes_of.data() < begin + characters_of_texts.size();
    const auto         at =
        static_cast<uint32_t>(is_rest ? bytes_of.data() - begin : static_cast<ptrdiff_t>(characters_of_texts.size()));
    if (!is_rest) {
        characters_of_texts.insert(characters_of_texts.end(), bytes_of.begin(), bytes_of.end());
    }
    const uint32_t set = set_number(ByteSet::range(first, first));
    add_node({ Kind::text, false, false, false, at, static_cast<uint32_t>(bytes_of.size()), 0, set });
    return found;
}

std::string_view Expressions::choice_text(uint32_t number) const {
    const auto [begin, length] = choices[number];
    return { characters_of_texts.data() + begin, length };
}

Expression Expressions::choice(const std::vector<std::string_view> & sorted) {
    const auto begin = static_cast<uint32_t>(choices.size());
    for (const std::string_view one : sorted) {
        work += one.size() / step_bytes;
        choices.emplace_back(static_cast<uint32_t>(characters_of_texts.size()), static_cast<uint32_t>(one.size()));
        characters_of_texts.insert(characters_of_texts.end(), one.begin(), one.end());
    }
    return choice_of(begin, static_cast<uint32_t>(sorted.size()), 0);
}

Expression Expressions::choice_of(uint32_t begin, uint32_t count, uint32_t read) {
    if (count == 0) {
        return nothing;
    }
    if (count == 1) {
        return text(choice_text(begin).substr(read));
    }
    // sorted, so that one that is over comes first, and those with the same next byte together
    const bool is_nullable = choice_text(begin).size() == read;
    ByteSet    first;
    for (uint32_t i = begin + is_nullable; i < begin + count;) {
        const auto byte = static_cast<uint8_t>(choice_text(i)[read]);
        first           = first | ByteSet::range(byte, byte);
        uint32_t low    = i + 1;
        for (uint32_t high = begin + count; low < high;) {
            const uint32_t middle = low + (high - low) / 2;
            if (static_cast<uint8_t>(choice_text(middle)[read]) == byte) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        i = low;
    }
    return intern({ Kind::choice, is_nullable, false, false, begin, count, read, set_number(first) });
}

Expression Expressions::characters(const std::vector<CharacterRange> & ranges) {
    // what comes after the first byte, and the first bytes
    std::vector<std::pair<Expression, ByteSet>> by_rest;
    const auto                                  add = [&](Expression rest, const ByteSet & set) {
        const auto at =
            std::find_if(by_rest.begin(), by_rest.end(), [&](const auto & one) { return one.first == rest; });
        if (at == by_rest.end()) {
            by_rest.emplace_back(rest, set);
        } else {
            at->second = at->second | set;
        }
    };
    std::vector<std::pair<ByteSet, std::vector<std::vector<CharacterRange>>>> groups; // by first bytes
    for (const CharacterRange range : ranges) {
        each_spelling(range, [&](const std::vector<CharacterRange> & spelling) {
            const ByteSet set = ByteSet::range(spelling[0].from, spelling[0].to);
            if (spelling.size() == 1) {
                add(empty, set);
                return;
            }
            const std::vector<CharacterRange> rest(spelling.begin() + 1, spelling.end());
            if (!groups.empty() && groups.back().first == set) {
                groups.back().second.push_back(rest);
            } else {
                groups.push_back({ set, { rest } });
            }
        });
    }
    for (const auto & [set, rests] : groups) {
        std::vector<Expression> parts;
        for (const auto & rest : rests) {
            Expression e = empty;
            for (size_t i = rest.size(); i-- > 0;) {
                e = sequence(bytes(ByteSet::range(rest[i].from, rest[i].to)), e);
            }
            parts.push_back(e);
        }
        add(any(std::move(parts)), set);
    }
    std::vector<Expression> parts;
    for (const auto & [rest, set] : by_rest) {
        parts.push_back(sequence(bytes(set), rest));
    }
    return any(std::move(parts));
}

Expression Expressions::sequence(Expression a, Expression b) {
    if (a == nothing || b == nothing) {
        return nothing;
    }
    if (a == empty) {
        return b;
    }
    if (b == empty) {
        return a;
    }
    // to the right; the left parts of the left operand are few
    std::vector<Expression> left;
    while (nodes[a].kind == Kind::sequence) {
        left.push_back(nodes[a].a);
        a = nodes[a].b;
    }
    left.push_back(a);
    work += left.size() - 1;
    Expression result = b;
    while (!left.empty()) {
        const Node & x = nodes[left.back()];
        const Node & y = nodes[result];
        Node         node{ Kind::sequence,
                   x.is_nullable && y.is_nullable,
                   x.has_intersection || y.has_intersection,
                   x.has_counter || y.has_counter,
                   left.back(),
                   result,
                   0,
                   x.first };
        if (x.is_nullable) {
            node.first = set_number(sets[x.first] | sets[y.first]);
        }
        result = intern(node);
        left.pop_back();
    }
    return result;
}

void Expressions::flatten(Kind kind, Expression e, std::vector<Expression> & into) const {
    const Node & node = nodes[e];
    if (node.kind != kind) {
        into.push_back(e);
        return;
    }
    into.insert(into.end(), lists.begin() + node.a, lists.begin() + node.a + node.b);
}

Expression Expressions::any(std::vector<Expression> of) {
    if (of.size() == 1) {
        return of[0];
    }
    std::vector<Expression> parts;
    for (const Expression e : of) {
        flatten(Kind::any, e, parts);
    }
    work += parts.size();
    ByteSet single;
    bool    has_nullable = false;
    size_t  kept         = 0;
    for (const Expression e : parts) {
        const Node & node = nodes[e];
        if (e == everything) {
            return everything;
        }
        if (node.kind == Kind::bytes) {
            single = single | sets[node.a];
        } else if (e != nothing) {
            has_nullable  = has_nullable || (e != empty && node.is_nullable);
            parts[kept++] = e;
        }
    }
    parts.resize(kept);
    if (!single.empty()) {
        parts.push_back(bytes(single));
    }
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    if (has_nullable) {
        std::erase(parts, empty);
    }
    return parts.empty() ? nothing : parts.size() == 1 ? parts[0] : intern_list(Kind::any, parts);
}

Expression Expressions::intersection(std::vector<Expression> of) {
    std::vector<Expression> parts;
    for (const Expression e : of) {
        flatten(Kind::intersection, e, parts);
    }
    work += parts.size();
    std::erase(parts, everything);
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    if (parts.empty()) {
        return everything;
    }
    if (parts.size() == 1) {
        return parts[0];
    }
    bool    is_nullable = true;
    ByteSet first       = ByteSet::all();
    for (const Expression e : parts) {
        is_nullable = is_nullable && nodes[e].is_nullable;
        first       = first & sets[nodes[e].first];
    }
    if (first.empty()) {
        return is_nullable ? empty : nothing;
    }
    return intern_list(Kind::intersection, parts);
}

Expression Expressions::complement(Expression of) {
    const Node node = nodes[of];
    if (node.kind == Kind::complement) {
        return node.a;
    }
    return intern({ Kind::complement, !node.is_nullable, true, node.has_counter, of, 0, 0, nodes[everything].first });
}

Expression Expressions::repeat(Expression of, uint32_t min, uint32_t max) {
    const Node node = nodes[of];
    if (of == empty || max == 0) {
        return empty;
    }
    if (of == nothing) {
        return min == 0 ? empty : nothing;
    }
    if (node.is_nullable) {
        min = 0;
        if (node.kind == Kind::repeat && node.b == 0 && node.c == endless) {
            return of;
        }
    }
    if (min == 1 && max == 1) {
        return of;
    }
    const bool is_counter = node.has_counter || min > 1 || (max > 1 && max != endless);
    return intern({ Kind::repeat, min == 0, node.has_intersection, is_counter, of, min, max, node.first });
}

void Expressions::make_classes() {
    std::array<uint32_t, 256> numbers_of{};
    const auto                refine = [&](const ByteSet & set) {
        std::vector<std::pair<uint32_t, bool>> found;
        for (size_t byte = 0; byte < 256; ++byte) {
            const std::pair key{ numbers_of[byte], set.has(static_cast<uint8_t>(byte)) };
            auto            at = std::find(found.begin(), found.end(), key);
            if (at == found.end()) {
                at = found.insert(found.end(), key);
            }
            numbers_of[byte] = static_cast<uint32_t>(at - found.begin());
        }
    };
    ByteSet of_texts;
    for (const char byte : characters_of_texts) {
        of_texts.words[static_cast<uint8_t>(byte) >> 6] |= uint64_t{ 1 } << (static_cast<uint8_t>(byte) & 63);
    }
    for (uint32_t byte = 0; byte < 256; ++byte) {
        if (of_texts.has(static_cast<uint8_t>(byte))) {
            refine(ByteSet::range(byte, byte));
        }
    }
    std::vector<bool> is_known(sets.size());
    for (const Node & node : nodes) {
        if (node.kind == Kind::bytes && !is_known[node.a]) {
            is_known[node.a] = true;
            refine(sets[node.a]);
        }
    }
    representatives.clear();
    std::vector<uint32_t> order;
    for (size_t byte = 0; byte < 256; ++byte) {
        auto at = std::find(order.begin(), order.end(), numbers_of[byte]);
        if (at == order.end()) {
            at = order.insert(order.end(), numbers_of[byte]);
            representatives.push_back(static_cast<uint8_t>(byte));
        }
        classes[byte] = static_cast<uint8_t>(at - order.begin());
    }
}

size_t Expressions::bytes_used() const {
    return nodes.size() * sizeof(Node) + numbers.bytes() + lists.size() * sizeof(Expression) +
           sets.size() * sizeof(ByteSet) + characters_of_texts.size() + caps.size() * 32;
}

} // namespace ggsl::grammar
