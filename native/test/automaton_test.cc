// The engine of grammars: random tables of nodes beside a matcher that tries everything, masks beside single tokens, and damage.
#include "check.h"
#include "grammar/grammar.h"

#include <algorithm>
#include <map>
#include <random>

namespace ggsl::test {

namespace {

using namespace grammar;
using Words = std::vector<uint32_t>;

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

// Every text over two letters up to a length.
std::vector<std::string> all_texts(size_t length) {
    std::vector<std::string> texts{ "" };
    for (size_t begin = 0, i = 0; i < length; ++i) {
        const size_t end = texts.size();
        for (; begin < end; ++begin) {
            texts.push_back(texts[begin] + "a");
            texts.push_back(texts[begin] + "b");
        }
    }
    return texts;
}

std::shared_ptr<const Vocabulary> vocabulary_of(const std::vector<std::string> & texts) {
    std::vector<uint8_t>  bytes;
    std::vector<uint32_t> offsets{ 0 };
    for (const std::string & text : texts) {
        bytes.insert(bytes.end(), text.begin(), text.end());
        offsets.push_back(static_cast<uint32_t>(bytes.size()));
    }
    return std::make_shared<Vocabulary>(bytes, offsets, Words{ 0 });
}

// An end of the text, both letters, and longer tokens.
const std::vector<std::string> letters = { "", "a", "b", "ab", "ba", "aa", "bb", "aab", "abab", "bbbb", "a" };

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
        switch (random.below(6)) {
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

std::unique_ptr<Position> read(const Position & from, const std::string & text) {
    auto at = std::make_unique<Position>(from);
    for (size_t i = 0; i < text.size() && at; ++i) {
        at = at->after(text[i] == 'a' ? 1 : 2);
    }
    return at;
}

bool may_begin(const std::vector<std::string> & whole, const std::string & text) {
    return std::any_of(whole.begin(), whole.end(), [&](const std::string & one) { return one.starts_with(text); });
}

// A token is allowed where the position after it is there, and some token is allowed at each.
void check_masks(const Position & position, const Vocabulary & vocabulary, int depth) {
    Words bits(vocabulary.words());
    position.allowed(bits);
    bool is_any = false;
    for (uint32_t token = 0; token < vocabulary.size(); ++token) {
        const bool is_set = (bits[token / 32] >> (token % 32)) & 1;
        const auto after  = position.after(token);
        CHECK(is_set == (after != nullptr), "token %u is %sallowed, and %sread", token, is_set ? "" : "not ",
              after ? "" : "not ");
        is_any = is_any || is_set;
        if (after && depth > 0 && token > 0) {
            check_masks(*after, vocabulary, depth - 1);
        }
    }
    CHECK(is_any, "no token is allowed");
}

void check_random(uint32_t seed, const std::shared_ptr<const Vocabulary> & vocabulary,
                  const std::vector<std::string> & texts) {
    Random                   random{ std::mt19937(seed) };
    RandomTable              made;
    const Words              words = made.make(random);
    std::shared_ptr<Grammar> grammar;
    try {
        grammar = std::make_shared<Grammar>(words, vocabulary);
    } catch (const Failure & failure) {
        CHECK(std::string(failure.what()) == "no text matches the grammar", "seed %u: %s", seed, failure.what());
        return;
    }
    const Program            program(words);
    std::vector<std::string> whole;
    for (const std::string & text : texts) {
        Matcher matcher(program, made.literals, text);
        if ((matcher.ends(program.root, 0) >> text.size()) & 1) {
            whole.push_back(text);
        }
    }
    // begins with new tables at each call
    const auto     forgetful = std::make_shared<Grammar>(words, vocabulary, Limits{ .bytes = 0 });
    const Position begin(grammar);
    const Position other(forgetful);
    for (const std::string & text : texts) {
        const auto at      = read(begin, text);
        const bool is_in   = std::find(whole.begin(), whole.end(), text) != whole.end();
        const bool may_end = at && at->may_end();
        CHECK(may_end == is_in, "seed %u: \"%s\" is %sin the language, and %saccepted", seed, text.c_str(),
              is_in ? "" : "not ", may_end ? "" : "not ");
        CHECK(at || !may_begin(whole, text), "seed %u: \"%s\" begins a text, and is refused", seed, text.c_str());
        if (text.size() <= 4) {
            const auto same = read(other, text);
            CHECK((same != nullptr) == (at != nullptr) && (!at || same->may_end() == at->may_end()),
                  "seed %u: \"%s\" after new tables", seed, text.c_str());
        }
    }
    check_masks(begin, *vocabulary, 2);
}

// GGSL_AUTOMATON_TABLES=20000 is the long form.
uint32_t tables_count() {
    const char * const given = std::getenv("GGSL_AUTOMATON_TABLES");
    return given == nullptr ? 100 : static_cast<uint32_t>(std::strtoul(given, nullptr, 10));
}

void test_random_tables() {
    const auto vocabulary = vocabulary_of(letters);
    const auto texts      = all_texts(6);
    int        limits     = 0;
    for (uint32_t seed = 0; seed < tables_count(); ++seed) {
        try {
            check_random(seed, vocabulary, texts);
        } catch (const Failure & failure) {
            CHECK(std::string(failure.code) == code::limit_exceeded, "seed %u: %s", seed, failure.what());
            ++limits; // it can be read in too many ways
        }
    }
    CHECK(limits <= static_cast<int>(tables_count() / 20), "%d tables exceed a limit", limits);
}

void test_counters() {
    Table          table;
    const uint32_t letter = table.one_of('a', 'b');
    const auto     grammar =
        std::make_shared<Grammar>(table.whole(table.repeat(letter, 16000, 16384)), vocabulary_of(letters));
    auto at = std::make_unique<Position>(grammar);
    for (int i = 0; i < 4096; ++i) {
        CHECK(!at->may_end() || i >= 4000, "ends after %d tokens", i);
        at = at->after(8); // abab
        CHECK(at != nullptr, "token %d", i);
    }
    CHECK(at->may_end() && !at->after(1), "the most are read");
}

// Large counters are alike for short tokens, not for long ones.
void test_long_tokens() {
    std::vector<std::string> texts = letters;
    for (const size_t length : { 15, 19, 20, 21, 22, 40, 99, 100, 101, 250 }) {
        texts.emplace_back(length, 'a');
    }
    const auto vocabulary = vocabulary_of(texts);
    for (const auto & [min, max] : { std::pair{ 0u, 100u }, { 30u, 41u }, { 99u, 102u }, { 120u, 400u } }) {
        Table          table;
        const uint32_t letter = table.one_of('a', 'b');
        const uint32_t end    = table.text("bb");
        const uint32_t all    = table.repeat(letter, min, max);
        auto           at     = std::make_unique<Position>(
            std::make_shared<Grammar>(table.whole(table.list(NodeKind::all, { all, end })), vocabulary));
        for (int i = 0; at && i < 120; ++i) {
            check_masks(*at, *vocabulary, 0);
            at = at->after(1);
        }
    }
}

void test_characters() {
    // each character of these ranges alone, and none beside them
    Table          table;
    const uint32_t one = table.add(
        { static_cast<uint32_t>(NodeKind::characters), 4, 'b', 'd', 0x7f0, 0x812, 0xd000, 0xe001, 0xfff0, 0x10003 });
    const Words              root = table.whole(one);
    std::vector<std::string> bytes{ "" };
    for (uint32_t byte = 1; byte < 256; ++byte) {
        bytes.emplace_back(1, static_cast<char>(byte));
    }
    const Position begin(std::make_shared<Grammar>(root, vocabulary_of(bytes)));
    const auto     reads = [&](uint32_t c) {
        std::string text;
        if (c < 0x80) {
            text = { static_cast<char>(c) };
        } else if (c < 0x800) {
            text = { static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 63)) };
        } else if (c < 0x10000) {
            text = { static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
                     static_cast<char>(0x80 | (c & 63)) };
        } else {
            text = { static_cast<char>(0xf0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
                     static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63)) };
        }
        auto at = std::make_unique<Position>(begin);
        for (size_t i = 0; i < text.size() && at; ++i) {
            at = at->after(static_cast<uint8_t>(text[i]));
        }
        return at && at->may_end();
    };
    for (uint32_t c = 1; c < 0x11000; ++c) {
        const bool is_in = (c >= 'b' && c <= 'd') || (c >= 0x7f0 && c <= 0x812) || (c >= 0xd000 && c <= 0xd7ff) ||
                           (c >= 0xe000 && c <= 0xe001) || (c >= 0xfff0 && c <= 0x10003);
        CHECK(reads(c) == is_in, "character %x", c);
    }
}

// A part many times in a row: what is done with all of it needs little of the thread's stack.
void check_long_sequence(const char * what, Table & table, uint32_t part) {
    const auto  vocabulary = vocabulary_of(letters);
    const Words words      = table.whole(table.list(NodeKind::all, Words(20'000, part)));
    // begins with new tables at each call, so that all is copied
    const Position begin(std::make_shared<Grammar>(words, vocabulary, Limits{ .bytes = 0 }));
    const auto     at = read(begin, "abab");
    CHECK(at && !at->may_end(), "%s: the beginning is refused", what);
    Words bits(vocabulary->words());
    at->allowed(bits);
    CHECK((bits[0] & 0b110) == 0b110, "%s: no letter is allowed", what);
}

void test_long_sequences() {
    Table counters;
    check_long_sequence("counters", counters, counters.repeat(counters.one_of('a', 'b'), 1, 2));
    Table          intersections;
    const uint32_t some = intersections.repeat(intersections.one_of('a', 'b'), 1, 2);
    const uint32_t not_bb =
        intersections.add({ static_cast<uint32_t>(NodeKind::complement), intersections.text("bb") });
    check_long_sequence("intersections", intersections, intersections.list(NodeKind::intersection, { some, not_bb }));
}

// A stack on which every level may be over inside of one token.
void test_deep_stack() {
    Table          table;
    const uint32_t rule       = table.add({ static_cast<uint32_t>(NodeKind::rule), 5 });
    const uint32_t a          = table.text("a");
    const uint32_t b          = table.text("b");
    const uint32_t many       = table.repeat(b, 0, endless);
    const uint32_t outer      = table.list(NodeKind::all, { a, rule, many });
    const uint32_t root       = table.list(NodeKind::any, { outer, b });
    const auto     vocabulary = vocabulary_of(letters);
    const Position begin(std::make_shared<Grammar>(table.whole(root), vocabulary));
    const auto     at = read(begin, std::string(4000, 'a') + "b");
    CHECK(at && at->may_end(), "a deep text is refused");
    Words bits(vocabulary->words());
    at->allowed(bits);
    // the end, "b", "bb" and "bbbb"
    CHECK(bits[0] == 0b10'0100'0101, "the mask of a deep stack is %x", bits[0]);
}

// A count between the lengths of a short and of a long token.
void test_counts_of_lengths() {
    const std::vector<std::string> texts      = { "", "a", "aa", std::string(40, 'a'), std::string(30, 'a') };
    const auto                     vocabulary = vocabulary_of(texts);
    Table                          table;
    const uint32_t                 letter = table.text("a");
    const Position begin(std::make_shared<Grammar>(table.whole(table.repeat(letter, 0, 35)), vocabulary));
    check_masks(begin, *vocabulary, 2);
}

void check_limit(const char * what, const std::function<void()> & work) {
    try {
        work();
    } catch (const Failure & failure) {
        CHECK(std::string(failure.code) == code::limit_exceeded, "%s: %s", what, failure.what());
        return;
    }
    CHECK(false, "%s has no limit", what);
}

void test_limits() {
    const auto vocabulary = vocabulary_of(letters);
    // a rule that begins with itself
    Table          left;
    const uint32_t self = left.add({ static_cast<uint32_t>(NodeKind::rule), 3 });
    const uint32_t a    = left.text("a");
    left.list(NodeKind::all, { self, a });
    left.list(NodeKind::any, { 2, a });
    check_limit("left recursion", [&] {
        Position at(std::make_shared<Grammar>(left.whole(3), vocabulary, Limits{ .steps_of_token = 1 << 14 }));
    });
    // a rule that is itself matches nothing
    check_fails("a rule that is itself", [&] {
        Table circle;
        circle.add({ static_cast<uint32_t>(NodeKind::rule), 0 });
        Grammar grammar(circle.whole(0), vocabulary);
    });
    // .*a.{n}: as many states as texts of n letters
    Table          wide;
    const uint32_t any  = wide.one_of('a', 'b');
    const uint32_t one  = wide.text("a");
    const uint32_t many = wide.repeat(any, 0, endless);
    const uint32_t last = wide.repeat(any, 4000, 4000);
    const Words    root = wide.whole(wide.list(NodeKind::all, { many, one, last }));
    const auto slow = std::make_shared<Grammar>(root, vocabulary, Limits{ .steps_of_token = 1000, .bytes = 1 << 20 });
    check_limit("many states", [&] {
        auto at = std::make_unique<Position>(slow);
        for (int i = 0; i < 4000; ++i) {
            at = at->after(1);
        }
    });
    Position(slow).after(1); // it is usable afterwards
}

void test_damage() {
    const auto vocabulary = vocabulary_of(letters);
    Random     random{ std::mt19937(11) };
    for (uint32_t seed = 0; seed < 5 * tables_count(); ++seed) {
        RandomTable made;
        Words       words = made.make(random);
        for (uint32_t changes = 1 + random.below(3); changes > 0; --changes) {
            const uint32_t at = random.below(static_cast<uint32_t>(words.size()));
            switch (random.below(4)) {
                case 0:  words.resize(at + 1); break;
                case 1:  words[at] = random.below(2) == 0 ? UINT32_MAX : random.below(1 << 30); break;
                default: words[at] = random.below(12); break;
            }
        }
        try {
            const auto     grammar = std::make_shared<Grammar>(words, vocabulary, Limits{ 1 << 16, 1 << 14, 1 << 20 });
            const Position begin(grammar);
            Words          bits(vocabulary->words());
            begin.allowed(bits);
            for (const uint32_t token : { 1, 2, 8 }) {
                begin.after(token);
            }
        } catch (const Failure & failure) {
            const std::string found = failure.code;
            CHECK(found == code::invalid_argument || found == code::limit_exceeded, "%s: %s", failure.code,
                  failure.what());
        }
    }
}

} // namespace

void test_automaton() {
    test_random_tables();
    test_counters();
    test_long_tokens();
    test_characters();
    test_long_sequences();
    test_deep_stack();
    test_counts_of_lengths();
    test_limits();
    test_damage();
}

} // namespace ggsl::test
