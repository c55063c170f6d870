// Grammars: rejected and damaged texts, and random tokens of a model's vocabulary.
#include "graph/failure.h"
#include "llama/grammar_check.h"
#include "llama/model.h"
#include "llama/tail.h"
#include "check.h"

#include <random>

namespace ggsl::test {

namespace {

const std::string json = R"(# a subset of JSON
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
array  ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= "-"? [0-9]{1,15} ("." [0-9]+)? ws
ws     ::= | " " | "\n" [ \t]{0,20}
)";

void check_refused(const char * expected, const std::string & text) {
    try {
        check_grammar(nullptr, text, "root");
    } catch (const Failure & failure) {
        CHECK(std::string(failure.what()).find(expected) != std::string::npos, "\"%s\" does not say \"%s\"",
              failure.what(), expected);
        return;
    }
    CHECK(false, "was accepted: %s", expected);
}

std::string repeated(const std::string & text, size_t count) {
    std::string result;
    for (size_t i = 0; i < count; ++i) {
        result += text;
    }
    return result;
}

void test_texts() {
    check_grammar(nullptr, json, "root");
    check_grammar(nullptr, "root ::= a{0,2000} b{3,}\na ::= [a-z] \"x\"?\nb ::= \"b\"", "root");
    check_refused("line 2: expecting ::= at \"oops\"", "root ::= \"a\"\nb oops\n");
    check_refused("unexpected end of input", "root ::= \"a");
    check_refused("no rule \"b\"", "root ::= b");
    check_refused("no start rule \"root\"", "a ::= \"a\"");
    check_refused("no rules", "# nothing\n");
    check_refused("maximum is below its minimum", "root ::= \"a\"{3,1}");
    check_refused("a number is too large", "root ::= <[99999999999999999999]>");
    check_refused("too large", "root ::= \"" + repeated("long ", 10000) + "\"{2000}");
    check_refused("groups", "root ::= " + repeated("(", 100000));
    check_refused("\"root\" is left-recursive", "root ::= root \"a\" | \"b\"");
    // Only the empty `b` makes it left-recursive, which llama.cpp overlooks: its stacks would grow without bound.
    check_refused("\"root\" is left-recursive", "root ::= a root \"x\" | \"y\"\na ::= b\nb ::= \"\"");

    std::string chain    = "root ::= r0\n";
    std::string doubling = "root ::= r0\n";
    for (int i = 0; i < 30000; ++i) {
        const std::string rule = "r" + std::to_string(i) + " ::= ";
        const std::string next = "r" + std::to_string(i + 1);
        chain += rule + next + "\n";
        if (i < 60) {
            doubling += rule + "| " + next + " " + next + "\n";
        }
    }
    check_refused("rules that each begin with the next", chain + "r30000 ::= \"a\"");
    check_refused("too many paths", doubling + "r60 ::= \"a\"");
}

void test_damage() {
    std::mt19937      random(11);
    const std::string marks = "\"[](){}*+?|<>!.\\-,0129 \n#:=az^";
    for (int round = 0; round < 20000; ++round) {
        std::string text = json;
        for (size_t count = 1 + random() % 4; count > 0; --count) {
            const size_t at   = random() % text.size();
            const char   mark = marks[random() % marks.size()];
            switch (random() % 3) {
                case 0:  text[at] = mark; break;
                case 1:  text.insert(at, 1, mark); break;
                default: text.erase(at, 1 + random() % 5);
            }
        }
        try {
            check_grammar(nullptr, text, "root");
        } catch (const Failure & failure) {
            CHECK(failure.code == std::string(code::invalid_argument), "%s", failure.what());
        }
    }
}

// By token: whether it may come next.
std::vector<bool> mask_of(const Grammar & grammar) {
    const std::vector<uint32_t> bits = grammar.bits();
    std::vector<bool>           mask(grammar.vocab_size());
    for (size_t token = 0; token < mask.size(); ++token) {
        mask[token] = (bits[token / 32] >> (token % 32)) & 1;
    }
    return mask;
}

bool try_accept(Grammar & grammar, int32_t token) {
    try {
        grammar.accept(token);
        return true;
    } catch (const Failure & failure) {
        CHECK(failure.code == std::string(code::invalid_argument), "%s", failure.what());
        return false;
    }
}

// A random walk: `accept` agrees with `allowed`, a rejection changes nothing, and a clone is independent.
void walk(const Model & model, const std::string & text, uint32_t seed) {
    std::mt19937 random(seed);
    Grammar      grammar(model, text, "root");
    for (int step = 0; step < 25; ++step) {
        const std::vector<bool> flags = mask_of(grammar);
        std::vector<int32_t>    open;
        for (size_t token = 0; token < flags.size(); ++token) {
            if (flags[token]) {
                open.push_back(static_cast<int32_t>(token));
            }
        }
        for (int i = 0; i < 5; ++i) {
            const auto token = static_cast<int32_t>(random() % flags.size());
            Grammar    copy  = grammar;
            const bool fits  = try_accept(copy, token);
            CHECK(fits == flags[static_cast<size_t>(token)], "token %d in step %d", token, step);
            if (fits) {
                copy.undo();
            }
            CHECK(mask_of(copy) == flags, "the state changed");
        }
        CHECK(!try_accept(grammar, -1) && !try_accept(grammar, INT32_MAX), "tokens outside the vocabulary");
        if (open.empty() || !try_accept(grammar, open[random() % open.size()])) {
            break;
        }
    }
    grammar.reset();
    Grammar fresh(model, text, "root");
    CHECK(mask_of(grammar) == mask_of(fresh), "a reset grammar is not a new one");
}

// Whether all characters of a text are whole. Bytes that are in no text make none.
bool is_whole(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
        const auto   byte   = static_cast<uint8_t>(text[i++]);
        const size_t length = byte < 0x80   ? 0
                              : byte < 0xc2 ? 4
                              : byte < 0xe0 ? 1
                              : byte < 0xf0 ? 2
                              : byte < 0xf5 ? 3
                                            : 4;
        if (length == 4 || i + length > text.size()) {
            return false;
        }
        for (const size_t end = i + length; i < end; ++i) {
            if ((static_cast<uint8_t>(text[i]) & 0xc0) != 0x80) {
                return false;
            }
        }
    }
    return true;
}

// By token: whether both must judge it alike (docs/grammars.md).
std::vector<bool> comparable(const Model & model) {
    const std::vector<uint8_t> classes = model.classes();
    std::vector<bool>          result;
    for (size_t token = 0; token < classes.size(); ++token) {
        result.push_back((classes[token] & 1) == 0 && is_whole(model.piece(static_cast<llama_token>(token), true)));
    }
    return result;
}

// llama.cpp's sampler allows the same tokens, step by step.
void walk_beside_llama(const Model & model, const std::vector<bool> & is_compared, const char * text, uint32_t seed) {
    std::mt19937     random(seed);
    const SamplerPtr llama = make_grammar(model.vocab(), text, "root");
    Grammar          grammar(model, text, "root");
    for (int step = 0; step < 12; ++step) {
        const std::vector<bool>       flags = mask_of(grammar);
        std::vector<llama_token_data> rows;
        std::vector<int32_t>          open;
        for (size_t i = 0; i < flags.size(); ++i) {
            rows.push_back({ static_cast<llama_token>(i), 0.0f, 0.0f });
        }
        llama_token_data_array array{ rows.data(), rows.size(), -1, false };
        llama_sampler_apply(llama.get(), &array);
        for (size_t i = 0; i < flags.size(); ++i) {
            const auto token      = static_cast<llama_token>(i);
            const bool is_allowed = rows[i].logit == 0.0f;
            const bool is_same    = is_allowed == flags[i];
            // llama.cpp lets some texts end inside a character
            CHECK(is_same || (is_allowed && model.is_end(token)) || !is_compared[i], "token %zu in step %d of %s", i,
                  step, text);
            if (is_allowed && flags[i] && !model.is_end(token)) {
                open.push_back(token);
            }
        }
        if (open.empty()) {
            break;
        }
        const int32_t token = open[random() % open.size()];
        CHECK(try_accept(grammar, token), "token %d", token);
        llama_sampler_accept(llama.get(), token);
    }
}

constexpr const char * parity_grammars[] = {
    "root ::= [^a-m]* \"\u00e9\"? .*",
    "root ::= ([\u4e00-\u9fff] | [\u00e0-\u00ff])+ \"!\"",
    "root ::= \"a\" root | [a-z ] root \"b\" | \"\"",
    "root ::= (\"(\" root \")\" | [0-9]{1,3})*",
    "root ::= [a-z]* [a-e]? [^x]{2,5} \"end\"",
    "root ::= x \",\" x\nx ::= y? z*\ny ::= \"ab\" | \"abc\" | \"a\"\nz ::= [bc] | \" \"",
    // repetitions of each kind, which llama.cpp's parser writes as rules, and rules that are written like them
    "root ::= \"ab\"{2,4} [c-e]{3} \"f\"* \"g\"+ (\"h\" \"i\"){0,2} \"j\"? [^k]{2,} .{1,3}",
    "root ::= (x y)* z\nx ::= \"a\"{0,3}\ny ::= \"b\" | \"c\" x y\nz ::= \"d\"{2,} \"e\"{1,2} | z1\nz1 ::= \"f\" x x?",
    "root ::= \"[\" (item (\",\" item)*)? \"]\"\nitem ::= [a-c]{1,2} | root root?",
    "root ::= a b \"z\"\na ::= \"x\" a | \"\"\nb ::= \"y\" c | \"\"\nc ::= \"y\" d | \"\"\nd ::= \"y\" | \"\"",
    "root ::= a a\na ::= \"y\" b | \"\"\nb ::= \"x\" | \"\"",
    "root ::= <[70]> \"b\" [c-e]* | !<[71]> \"\\x41\\u00e9\\U0001F600\"",
};

// Short grammars whose stacks or paths double with each token in a search that forgets what it has seen.
void test_ambiguous(const Model & model) {
    const int32_t a = model.tokenize("a", false, false)[0];
    for (const std::string & text : { std::string("root ::= \"a\" root | [a-zA-Z ] root root | \"\""),
                                      "root ::= " + repeated("[a-zA-Z ]* ", 200) }) {
        Grammar grammar(model, text, "root");
        try {
            for (int i = 0; i < 200; ++i) {
                grammar.bits();
                grammar.accept(a);
            }
        } catch (const Failure & failure) {
            CHECK(failure.code == std::string(code::limit_exceeded), "%s", failure.what());
        }
    }
}

} // namespace

void test_grammar(const char * model_path) {
    test_texts();
    test_damage();

    const auto model       = std::make_shared<Model>(model_path, ModelOptions());
    const auto is_compared = comparable(*model);
    for (uint32_t seed = 0; seed < 20; ++seed) {
        walk(*model, json, seed);
        walk(*model, "root ::= .{0,6}", seed);
        walk(*model, "root ::= [^a-m]* \"é\"? <[5]>", seed);
        for (const char * text : parity_grammars) {
            walk_beside_llama(*model, is_compared, text, seed);
        }
    }

    // llama.cpp allows this token after the "a" that it begins with, and does not accept it then.
    int32_t two = 0;
    while (model->piece(two, true).size() != 2 || model->piece(two, true)[0] != 'a') {
        ++two;
    }
    Grammar odd(*model, "root ::= \"a\" <[" + std::to_string(two) + "]>", "root");
    CHECK(!mask_of(odd)[static_cast<size_t>(two)] && !try_accept(odd, two), "the odd token");

    test_ambiguous(*model);

    // If the second of two grammars rejects a token, the first is unchanged.
    const auto stage = [](const char * text) {
        return SamplerSpec{ "grammar", { { "text", { std::string(text) } } } };
    };
    Tail          both({ stage("root ::= [a-z]+"), stage("root ::= [A-Z]+") }, model);
    const int32_t a = model->tokenize("a", false, false)[0];
    try {
        both.accept(a);
        CHECK(false, "was accepted");
    } catch (const Failure &) {}
    try {
        both.apply(std::vector<int32_t>{ a }, std::vector<float>{ 1.0f });
        CHECK(false, "was applied");
    } catch (const Failure & failure) {
        CHECK(failure.code == std::string(code::no_candidate), "%s", failure.what());
    }
    for (const char * name : { "infill", "dry" }) {
        Tail chain({ { name, {} } }, model);
        CHECK(
            chain.clone().apply(std::vector<int32_t>{ a, 0, 1 }, std::vector<float>{ 1.0f, 2.0f, 0.5f }).tokens.size() >
                0,
            "%s", name);
    }
}

} // namespace ggsl::test
