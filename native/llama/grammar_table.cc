#include "grammar_table.h"

#include "graph/failure.h"
#include "grammar/program.h"
#include "grammar_rules.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>

namespace ggsl {

namespace {

using grammar::CharacterRange;
using grammar::endless;
using grammar::NodeId;
using grammar::NodeKind;
using Elements = std::span<const llama_grammar_element>;
using Words    = std::vector<uint32_t>;

bool is_equal(Elements a, Elements b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto & x, const auto & y) { return x.type == y.type && x.value == y.value; });
}

// How many elements the first item takes: a class takes several.
size_t first_item(Elements elements) {
    size_t count = 1;
    while (count < elements.size() &&
           (elements[count].type == LLAMA_GRETYPE_CHAR_ALT || elements[count].type == LLAMA_GRETYPE_CHAR_RNG_UPPER)) {
        ++count;
    }
    return count;
}

// How many elements, one character each, a text takes at the beginning.
size_t first_text(Elements elements) {
    size_t count = 0;
    while (count < elements.size() && elements[count].type == LLAMA_GRETYPE_CHAR &&
           first_item(elements.subspan(count)) == 1) {
        ++count;
    }
    return count;
}

bool has_spelling(uint32_t character) {
    return character <= grammar::last_character && (character < 0xd800 || character > 0xdfff);
}

void append_utf8(std::string & text, uint32_t character) {
    const auto add = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (character < 0x80) {
        add(character);
        return;
    }
    const uint32_t more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    add((0xff00u >> (more + 1) & 0xffu) | character >> (6 * more));
    for (uint32_t i = more; i-- > 0;) {
        add(0x80u | (character >> (6 * i) & 0x3fu));
    }
}

// Sorted ranges that do not overlap.
std::vector<CharacterRange> ranges_of(Elements item) {
    // the zero character is in no text
    constexpr CharacterRange    all{ 1, grammar::last_character };
    std::vector<CharacterRange> given;
    for (size_t i = 0; i < item.size(); ++i) {
        const bool     is_any   = item[i].type == LLAMA_GRETYPE_CHAR_ANY;
        const bool     is_range = i + 1 < item.size() && item[i + 1].type == LLAMA_GRETYPE_CHAR_RNG_UPPER;
        const uint32_t from     = item[i].value;
        const uint32_t to       = std::min(is_range ? item[++i].value : from, grammar::last_character);
        if (is_any || from <= to) { // a range that ends before it begins has no characters
            given.push_back(is_any ? all : CharacterRange{ from, to });
        }
    }
    std::sort(given.begin(), given.end(), [](const auto & a, const auto & b) { return a.from < b.from; });
    std::vector<CharacterRange> ranges;
    for (const CharacterRange range : given) {
        if (!ranges.empty() && range.from <= ranges.back().to + 1) {
            ranges.back().to = std::max(ranges.back().to, range.to);
        } else {
            ranges.push_back(range);
        }
    }
    if (item[0].type != LLAMA_GRETYPE_CHAR_NOT) {
        return ranges;
    }
    std::vector<CharacterRange> others;
    uint32_t                    next = all.from;
    for (const CharacterRange range : ranges) {
        if (range.from > next) {
            others.push_back({ next, range.from - 1 });
        }
        next = std::max(next, range.to + 1);
    }
    if (next <= all.to) {
        others.push_back({ next, all.to });
    }
    return others;
}

// What a rule repeats: `r ::= x r |`, or `r ::= x |`, or `r ::= x s |` where `s` repeats the same.
struct Repetition {
    Elements of;      // empty: the rule is no repetition
    uint32_t max = 0; // times

    // Whether it is written where the rule is named, so that it is joined with what comes before: one text, class, token or rule.
    bool is_simple() const { return !of.empty() && (first_item(of) == of.size() || first_text(of) == of.size()); }
};

std::vector<Repetition> repetitions_of(const llama_grammar_rules & rules) {
    std::vector<Repetition> found(rules.size());
    for (size_t rule = 0; rule < rules.size(); ++rule) {
        const llama_grammar_rule & of = rules[rule];
        const auto                 at = static_cast<size_t>(std::find_if(of.begin(), of.end(), is_end) - of.begin());
        if (at == 0 || of[at].type != LLAMA_GRETYPE_ALT || of[at + 1].type != LLAMA_GRETYPE_END) {
            continue;
        }
        const Elements whole(of.data(), at);
        const Elements rest = whole.first(at - 1);
        const size_t   last = of[at - 1].type == LLAMA_GRETYPE_RULE_REF ? of[at - 1].value : rules.size();
        if (last == rule && !rest.empty()) {
            found[rule] = { rest, endless };
        } else if (last < rule && found[last].max != endless && !rest.empty() && is_equal(found[last].of, rest)) {
            found[rule] = { rest, found[last].max + 1 };
        } else if (last != rule) {
            found[rule] = { whole, 1 };
        }
    }
    return found;
}

class TableWriter {
public:
    // `marks`: by rule.
    TableWriter(const llama_grammar_rules & rules, std::map<size_t, uint32_t> marks)
        : rules(rules), repetitions(repetitions_of(rules)), nodes_of_rules(rules.size(), grammar::no_node),
          marks(std::move(marks)) {
        for (const auto & [rule, mark] : this->marks) { // it is not joined with what is around it
            repetitions[rule] = {};
        }
    }

    Words whole(size_t start) {
        words[2] = rule(start);
        for (size_t i = 0; i < named.size(); ++i) { // bodies name more of them
            const auto [id, place] = named[i];
            const NodeId of        = marked(id, body(id));
            words[place]           = of;
        }
        words[1] = count;
        return std::move(words);
    }

private:
    struct Part {
        NodeId   node;
        uint32_t min;
        uint32_t max;
    };

    NodeId add(const Words & node) {
        words.insert(words.end(), node.begin(), node.end());
        return count++;
    }

    NodeId shared(const Words & node) {
        const auto [found, is_new] = known.try_emplace(node, count);
        return is_new ? add(node) : found->second;
    }

    static Words head(NodeKind kind, size_t size) {
        return { static_cast<uint32_t>(kind), static_cast<uint32_t>(size) };
    }

    // The node that stands for a rule, which is filled in when the rule's own nodes are there.
    NodeId rule(size_t id) {
        if (nodes_of_rules[id] == grammar::no_node) {
            nodes_of_rules[id] = add({ static_cast<uint32_t>(NodeKind::rule), 0 });
            named.emplace_back(id, words.size() - 1);
        }
        return nodes_of_rules[id];
    }

    NodeId marked(size_t id, NodeId of) {
        const auto found = marks.find(id);
        return found == marks.end() ? of : add({ static_cast<uint32_t>(NodeKind::mark), of, found->second });
    }

    NodeId body(size_t id) {
        if (const Repetition & of = repetitions[id]; !of.of.empty()) {
            return times({ sequence(of.of), 0, of.max });
        }
        std::vector<NodeId>        alternatives;
        const llama_grammar_rule & elements = rules[id];
        for (size_t begin = 0, i = 0; begin < elements.size(); ++i) {
            if (is_end(elements[i])) {
                alternatives.push_back(sequence({ elements.data() + begin, i - begin }));
                begin = i + 1;
            }
        }
        return list(NodeKind::any, alternatives);
    }

    NodeId sequence(Elements elements) {
        std::vector<Part> parts;
        while (!elements.empty()) {
            const size_t size = std::max(first_text(elements), first_item(elements));
            add_part(parts, part(elements.first(size)));
            elements = elements.subspan(size);
        }
        std::vector<NodeId> nodes;
        for (const Part & one : parts) {
            nodes.push_back(times(one));
        }
        return list(NodeKind::all, nodes);
    }

    // Joins equal ones: `x x` is `x{2}`, and `x x*` is `x+`.
    static void add_part(std::vector<Part> & parts, const Part & part) {
        if (parts.empty() || parts.back().node != part.node) {
            parts.push_back(part);
            return;
        }
        Part & last = parts.back();
        last.min += part.min;
        last.max = last.max == endless || part.max == endless ? endless : last.max + part.max;
    }

    Part part(Elements item) {
        const llama_grammar_element & first = item[0];
        if (first.type == LLAMA_GRETYPE_RULE_REF) {
            const Repetition & of = repetitions[first.value];
            return of.is_simple() ? Part{ node(of.of), 0, of.max } : Part{ rule(first.value), 1, 1 };
        }
        return { node(item), 1, 1 };
    }

    // Of one text, class, token or rule.
    NodeId node(Elements item) {
        const llama_grammar_element & first = item[0];
        switch (first.type) {
            case LLAMA_GRETYPE_RULE_REF:  return rule(first.value);
            case LLAMA_GRETYPE_TOKEN:
            case LLAMA_GRETYPE_TOKEN_NOT: {
                const uint32_t is_negated = first.type == LLAMA_GRETYPE_TOKEN_NOT;
                return shared({ static_cast<uint32_t>(NodeKind::tokens), is_negated, 1, first.value });
            }
            default: return first_text(item) == item.size() ? text(item) : characters(item);
        }
    }

    NodeId text(Elements item) {
        std::string bytes;
        for (const llama_grammar_element & element : item) {
            if (!has_spelling(element.value)) { // no text matches
                return shared(head(NodeKind::characters, 0));
            }
            append_utf8(bytes, element.value);
        }
        Words node = head(NodeKind::text, bytes.size());
        for (size_t i = 0; i < bytes.size(); ++i) {
            if (i % 4 == 0) {
                node.push_back(0);
            }
            node.back() |= uint32_t{ static_cast<uint8_t>(bytes[i]) } << (8 * (i % 4));
        }
        return shared(node);
    }

    NodeId characters(Elements item) {
        const std::vector<CharacterRange> ranges = ranges_of(item);
        Words                             node   = head(NodeKind::characters, ranges.size());
        for (const CharacterRange range : ranges) {
            node.insert(node.end(), { range.from, range.to });
        }
        return shared(node);
    }

    NodeId times(const Part & part) {
        if (part.min == 1 && part.max == 1) {
            return part.node;
        }
        return shared({ static_cast<uint32_t>(NodeKind::repeat), part.node, part.min, part.max });
    }

    NodeId list(NodeKind kind, const std::vector<NodeId> & of) {
        if (of.size() == 1) {
            return of[0];
        }
        Words node = head(kind, of.size());
        node.insert(node.end(), of.begin(), of.end());
        return shared(node);
    }

    const llama_grammar_rules &            rules;
    std::vector<Repetition>                repetitions;
    Words                                  words{ grammar::words_version, 0, 0 };
    NodeId                                 count = 0;
    std::map<Words, NodeId>                known; // by their words
    std::vector<NodeId>                    nodes_of_rules;
    std::map<size_t, uint32_t>             marks;
    std::vector<std::pair<size_t, size_t>> named; // rules, and where the words of their nodes name what they are
};

} // namespace

std::vector<uint32_t> table_of(const GrammarRules & rules, const std::vector<std::string> & marked) {
    std::map<size_t, uint32_t> marks;
    for (size_t i = 0; i < marked.size(); ++i) {
        const auto found = rules.names.find(marked[i]);
        if (found == rules.names.end()) {
            fail(code::invalid_argument, "the grammar has no rule \"%s\", which the program asks about",
                 marked[i].c_str());
        }
        marks[found->second] = static_cast<uint32_t>(i);
    }
    return TableWriter(rules.rules, std::move(marks)).whole(rules.start);
}

} // namespace ggsl
