// The engine of grammars: calls that end early, tokens that a grammar names, and several threads.
#include "automaton_tables.h"
#include "check.h"

#include <thread>

namespace ggsl::test {

namespace {

using namespace tables;

Words mask_of(const Position & position) {
    Words bits(position.vocabulary().words());
    position.allowed(bits);
    return bits;
}

// A random table; null for one that no text matches, or that needs too much.
std::shared_ptr<Grammar> opened(const Words & words, const std::shared_ptr<const Vocabulary> & vocabulary,
                                Limits limits = {}) {
    try {
        return std::make_shared<Grammar>(words, vocabulary, limits);
    } catch (const Failure &) {
        return nullptr;
    }
}

Words random_words(uint32_t seed) {
    Random      random{ std::mt19937(seed) };
    RandomTable made;
    return made.make(random);
}

struct Outcomes {
    int done     = 0;
    int not_done = 0;

    bool add(bool is_done) {
        (is_done ? done : not_done)++;
        return is_done;
    }
};

// The steps of a text by quick calls first, beside the same text in a grammar without them.
void check_quick(uint32_t seed, const Position & begin, const Position & plain, Random & random, Outcomes & masks,
                 Outcomes & tokens) {
    const auto count = static_cast<uint32_t>(begin.vocabulary().size());
    auto       at    = std::make_unique<Position>(begin);
    auto       other = std::make_unique<Position>(plain);
    for (int i = 0; at && i < 5; ++i) {
        const Words expected = mask_of(*other);
        Words       bits(expected.size());
        for (int tries = 0; tries < 3; ++tries) {
            const bool is_done = masks.add(at->allowed_quickly(bits));
            CHECK(!is_done || bits == expected, "seed %u: a quick mask is %x, expected %x", seed, bits[0], expected[0]);
        }
        const Words found = mask_of(*at);
        CHECK(found == expected, "seed %u: the mask after quick ones is %x, expected %x", seed, found[0], expected[0]);
        std::unique_ptr<Position> next;
        std::unique_ptr<Position> next_other;
        for (uint32_t from = random.below(count), n = 0; n < count; ++n) {
            const uint32_t token = (from + n) % count;
            const auto     quick = at->after_quickly(token);
            auto           after = at->after(token);
            auto           same  = other->after(token);
            const bool     is_in = same != nullptr;
            if (tokens.add(quick.has_value())) {
                CHECK((*quick != nullptr) == is_in, "seed %u: token %u is read otherwise by a quick call", seed, token);
                CHECK(!is_in || mask_of(**quick) == mask_of(*same), "seed %u: the mask after token %u", seed, token);
            }
            CHECK((after != nullptr) == is_in, "seed %u: token %u is read otherwise after quick calls", seed, token);
            if (is_in && token != 0) {
                next       = std::move(after);
                next_other = std::move(same);
            }
        }
        at    = std::move(next);
        other = std::move(next_other);
    }
}

void test_quick_calls() {
    const auto vocabulary = vocabulary_of(letters);
    Outcomes   masks;
    Outcomes   tokens;
    for (uint32_t seed = 0; seed < 100; ++seed) {
        const Words words = random_words(seed);
        Random      random{ std::mt19937(seed) };
        const auto  plain = opened(words, vocabulary);
        for (const uint64_t steps : { 0, 1, 3, 10, 30, 100, 1000 }) {
            const auto quick = opened(words, vocabulary, { .quick_steps = steps });
            if (!plain || !quick) {
                continue;
            }
            try {
                check_quick(seed, Position(quick), Position(plain), random, masks, tokens);
            } catch (const Failure & failure) {
                CHECK(std::string(failure.code) == code::limit_exceeded, "seed %u: %s", seed, failure.what());
            }
        }
    }
    CHECK(std::min({ masks.done, masks.not_done, tokens.done, tokens.not_done }) > 1000,
          "%d and %d quick masks, %d and %d quick tokens are done and not", masks.done, masks.not_done, tokens.done,
          tokens.not_done);
}

// A quick call does not begin anew with other tables; the next one that is not quick does.
void test_quick_is_not_cleaning() {
    Table          table;
    const uint32_t letter     = table.one_of('a', 'b');
    const auto     vocabulary = vocabulary_of(letters);
    const auto     grammar =
        std::make_shared<Grammar>(table.whole(table.repeat(letter, 2, endless)), vocabulary, Limits{ .bytes = 0 });
    const Position begin(grammar);
    Words          bits(vocabulary->words());
    CHECK(!begin.allowed_quickly(bits) && !begin.after_quickly(1), "a quick call has made new tables");
    const Words  expected = mask_of(begin);
    const size_t kept     = grammar->bytes_used();
    CHECK(kept > 0 && begin.allowed_quickly(bits) && bits == expected, "after new tables a quick call is not done");
    CHECK(begin.after_quickly(1)->get() != nullptr, "after new tables a token is not read quickly");
}

// What is made anew for a deep text is not paid for by the next call.
void test_quick_after_new_tables() {
    Table          table;
    const uint32_t rule       = table.add({ static_cast<uint32_t>(NodeKind::rule), 4 });
    const uint32_t a          = table.text("a");
    const uint32_t b          = table.text("b");
    const uint32_t outer      = table.list(NodeKind::all, { a, rule, b });
    const Words    words      = table.whole(table.list(NodeKind::any, { outer, b }));
    const auto     vocabulary = vocabulary_of(letters);
    const auto     at =
        read(Position(std::make_shared<Grammar>(words, vocabulary, Limits{ .quick_steps = 2000, .bytes = 0 })),
             std::string(3000, 'a'));
    const Words expected = mask_of(*at);
    Words       bits(vocabulary->words());
    CHECK(at->allowed_quickly(bits) && bits == expected, "a quick mask of a deep text pays for new tables");
    CHECK(at->after_quickly(1).has_value(), "a token of a deep text pays for new tables");
}

// Tokens that a grammar names: 1 has no text, 0 is the end.
void test_named_tokens() {
    const auto vocabulary = vocabulary_of({ "", "", "a", "b", "ab" });
    const auto mask       = [&](bool is_negated, const Words & tokens) {
        Table          table;
        const uint32_t named = table.add(
            { static_cast<uint32_t>(NodeKind::tokens), is_negated, static_cast<uint32_t>(tokens.size()) }, tokens);
        const uint32_t a = table.text("a");
        const Position begin(
            std::make_shared<Grammar>(table.whole(table.list(NodeKind::all, { named, a })), vocabulary));
        const Words bits = mask_of(begin);
        for (uint32_t token = 0; token < vocabulary->size(); ++token) {
            const auto next = begin.after(token);
            CHECK((next != nullptr) == ((bits[0] >> token & 1) != 0),
                        "token %u is allowed, and not read, or the reverse", token);
            CHECK(!next || mask_of(*next) == Words{ 0b00100 }, "after token %u the mask is %x", token,
                        mask_of(*next)[0]);
        }
        return bits[0];
    };
    CHECK(mask(false, { 1 }) == 0b00010, "a token without a text that is named");
    CHECK(mask(false, { 0, 1, 3, 99 }) == 0b01010, "ends and unknown tokens are named");
    CHECK(mask(true, { 3 }) == 0b10100, "all but a token have a text");
    CHECK(mask(true, {}) == 0b11100, "all tokens with a text");
}

// Nodes in nodes that are many ways to one: each level doubles them.
void test_doubled_nodes() {
    const auto vocabulary = vocabulary_of(letters);
    const auto doubled    = [&](NodeKind kind, bool is_recursive) {
        Table    table;
        uint32_t at = table.text("a");
        if (is_recursive) { // so that it is no regular expression
            const uint32_t rule = table.add({ static_cast<uint32_t>(NodeKind::rule), 3 });
            const uint32_t all  = table.list(NodeKind::all, { at, rule });
            at                  = table.list(NodeKind::any, { at, all });
        }
        for (int level = 0; level < 60; ++level) {
            at = table.list(kind, { at, at });
        }
        return table.whole(at);
    };
    const auto refused = [&](const char * what, const Words & words) {
        try {
            Position(std::make_shared<Grammar>(words, vocabulary)).after(1);
        } catch (const Failure & failure) {
            CHECK(std::string(failure.code) == code::limit_exceeded, "%s: %s", what, failure.what());
            return;
        }
        CHECK(false, "%s has no limit", what);
    };
    refused("a doubled sequence", doubled(NodeKind::all, false));
    refused("doubled alternatives", doubled(NodeKind::any, true));
    // an expression knows that they are one
    CHECK(Position(std::make_shared<Grammar>(doubled(NodeKind::any, false), vocabulary)).after(1), "no \"a\"");
}

} // namespace

void test_automaton_calls() {
    test_quick_calls();
    test_quick_is_not_cleaning();
    test_quick_after_new_tables();
    test_named_tokens();
    test_doubled_nodes();
}

// Texts of one grammar in several threads, while its tables begin anew all the time.
void test_automaton_threads() {
    const auto vocabulary = vocabulary_of(letters);
    for (uint32_t seed = 0; seed < 12; ++seed) {
        const Words words  = random_words(seed);
        const auto  shared = opened(words, vocabulary, { .quick_steps = 200, .bytes = 20'000 });
        if (!shared) {
            continue;
        }
        const auto use = [&](uint32_t thread) {
            Random random{ std::mt19937(100 * seed + thread) };
            // positions of one grammar in two threads are destroyed where they are used last
            const auto own = std::make_shared<Grammar>(words, vocabulary);
            for (int text = 0; text < 6; ++text) {
                Position at(shared);
                Position plain(own);
                auto     next  = std::make_unique<Position>(at);
                auto     other = std::make_unique<Position>(plain);
                for (int i = 0; i < 8 && next; ++i) {
                    const Words    expected = mask_of(*other);
                    Words          bits(expected.size());
                    const Position copy(*next);
                    CHECK(!copy.allowed_quickly(bits) || bits == expected, "seed %u: a quick mask of a thread", seed);
                    CHECK(mask_of(*next) == expected, "seed %u: the mask of a thread", seed);
                    CHECK(shared->bytes_used() > 0, "seed %u: nothing is kept", seed);
                    const uint32_t token = 1 + random.below(10);
                    auto           quick = copy.after_quickly(token);
                    next                 = quick ? std::move(*quick) : next->after(token);
                    other                = other->after(token);
                    CHECK((next != nullptr) == (other != nullptr), "seed %u: token %u in a thread", seed, token);
                }
            }
        };
        std::vector<std::thread> threads;
        for (uint32_t i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                try {
                    use(i);
                } catch (const Failure & failure) {
                    CHECK(std::string(failure.code) == code::limit_exceeded, "seed %u: %s", seed, failure.what());
                }
            });
        }
        for (std::thread & thread : threads) {
            thread.join();
        }
    }
}

} // namespace ggsl::test
