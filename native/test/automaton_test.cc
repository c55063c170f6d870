// The engine of grammars: random tables of nodes beside a matcher that tries everything, masks beside single tokens, and damage.
#include "automaton_tables.h"
#include "check.h"

namespace ggsl::test {

namespace {

using namespace tables;

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

// Rules without recursion that begin with others: as an expression they would be too deep.
void test_deep_rules() {
    const auto vocabulary = vocabulary_of(letters);
    Table      table;
    const auto a    = table.text("a");
    const auto b    = table.text("b");
    uint32_t   last = a;
    for (int i = 0; i < 5000; ++i) {
        const uint32_t rule = table.add({ static_cast<uint32_t>(NodeKind::rule), last });
        last                = table.list(NodeKind::any, { table.list(NodeKind::all, { rule, b }), a });
    }
    const Position begin(std::make_shared<Grammar>(table.whole(last), vocabulary));
    check_masks(begin, *vocabulary, 2);
    const auto at = read(begin, "abbb");
    CHECK(at && at->may_end(), "the text of many rules");
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

// a* b*, as many of both: each letter makes a text deeper.
void test_deep_texts() {
    const auto     vocabulary = vocabulary_of(letters);
    Table          table;
    const uint32_t rule  = table.add({ static_cast<uint32_t>(NodeKind::rule), 5 });
    const uint32_t a     = table.text("a");
    const uint32_t b     = table.text("b");
    const uint32_t inner = table.list(NodeKind::all, { a, rule, b });
    const uint32_t empty = table.text("");
    const uint32_t root  = table.list(NodeKind::any, { inner, empty });
    const auto     grammar =
        std::make_shared<Grammar>(table.whole(root), vocabulary, Limits{ .bytes = 1 << 14, .bytes_of_texts = 1 << 18 });
    const Position begin(grammar);
    auto           at    = std::make_unique<Position>(begin);
    int            depth = 0;
    check_limit("a deep text", [&] {
        for (; depth < 100'000; ++depth) {
            at = at->after(1);
        }
    });
    CHECK(depth > 1000, "the limit is at %d", depth);
    check_limit("a deep text that goes on", [&] { at->after(1); });
    at.reset();
    CHECK(read(begin, "ab")->may_end(), "no text is read after a deep one");
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
            const auto grammar = std::make_shared<Grammar>(
                words, vocabulary, Limits{ .steps_of_mask = 1 << 16, .steps_of_token = 1 << 14, .bytes = 1 << 20 });
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
    test_deep_rules();
    test_deep_stack();
    test_counts_of_lengths();
    test_limits();
    test_deep_texts();
    test_damage();
}

} // namespace ggsl::test
