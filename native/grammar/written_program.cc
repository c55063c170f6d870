#include "written_program.h"

#include <algorithm>

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

ProgramNode read_node(Reader & reader, NodeId id, NodeId count, WrittenProgram & written) {
    ProgramNode    node;
    const size_t   at   = reader.place();
    const uint32_t kind = reader.next("expected a node");
    if (kind > static_cast<uint32_t>(NodeKind::mark)) {
        damaged("unknown kind of node", at);
    }
    node.kind = static_cast<NodeKind>(kind);
    switch (node.kind) {
        case NodeKind::text:       written.texts[id] = read_text(reader); break;
        case NodeKind::characters: written.ranges[id] = read_ranges(reader); break;
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
        case NodeKind::mark:
            node.nodes = { reader.node(id) };
            node.mark  = reader.next("expected the number of a mark");
            if (node.mark >= max_marks) {
                damaged("expected the number of a mark", reader.place() - 1);
            }
            break;
    }
    return node;
}

} // namespace

WrittenProgram read_program(std::span<const uint32_t> words) {
    if (words.size() > max_words) {
        fail(code::limit_exceeded, "the grammar exceeds a limit: its table has %zu words, expected at most %zu",
             words.size(), max_words);
    }
    Reader reader(words);
    if (reader.next("expected the version") != words_version) {
        damaged("unknown version", 0);
    }
    const uint32_t count = reader.count("expected the number of nodes", 1);
    WrittenProgram written;
    written.root = reader.next("expected the root");
    if (written.root >= count) {
        damaged("expected a node of this table", 2);
    }
    written.ranges.resize(count);
    written.texts.resize(count);
    for (NodeId id = 0; id < count; ++id) {
        written.nodes.push_back(read_node(reader, id, count, written));
    }
    if (!reader.is_over()) {
        damaged("expected the end", reader.place());
    }
    return written;
}

} // namespace ggsl::grammar
