#include "grammar_rules.h"

#include "graph/failure.h"
#include "grammar_check.h"

#include <algorithm>
#include <stdexcept>

namespace ggsl {

namespace {

// Limits on the depth and steps of llama.cpp's search for left recursion, which is recursive and does not memoize.
constexpr size_t max_rule_depth = 4000;
constexpr double max_steps      = 1e7;

// The parser's errors end with the remaining text; a line number is more useful.
[[noreturn]] void refuse(const std::string & text, const std::string & said) {
    const size_t      split = said.find(" at ");
    const std::string rest  = split == std::string::npos ? "" : said.substr(split + 4);
    if (split == std::string::npos || rest.size() > text.size() || !text.ends_with(rest)) {
        fail(code::invalid_argument, "the grammar does not parse: %s", said.c_str());
    }
    const auto        line  = 1 + std::count(text.begin(), text.end() - static_cast<std::ptrdiff_t>(rest.size()), '\n');
    const std::string found = rest.substr(0, std::min<size_t>(rest.find('\n'), 40));
    fail(code::invalid_argument, "the grammar does not parse: line %td: %s at \"%s\"", line,
         said.substr(0, split).c_str(), found.c_str());
}

void parse(llama_grammar_parser & parser, const std::string & text) {
    const char * at = text.c_str();
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' || *at == '#') {
        const bool is_comment = *at == '#';
        for (++at; is_comment && *at != '\0' && *at != '\n'; ++at) {}
    }
    try {
        while (*at != '\0') {
            at = parser.parse_rule(at);
        }
    } catch (const std::out_of_range &) { // of std::stoul, without details
        fail(code::invalid_argument, "the grammar does not parse: a number is too large");
    } catch (const std::exception & e) {
        refuse(text, e.what());
    }
}

class Rules {
public:
    explicit Rules(const llama_grammar_parser & parser)
        : rules(parser.rules), names(rules.size()), can_be_empty(rules.size()), states(rules.size()),
          steps(rules.size()) {
        for (const auto & [name, id] : parser.symbol_ids) {
            names.resize(std::max<size_t>(names.size(), id + 1));
            names[id] = name;
        }
    }

    void check() {
        check_references();
        find_empty();
        double total = 0;
        for (size_t rule = 0; rule < rules.size(); ++rule) {
            total += visit(rule, 0);
        }
        if (total > max_steps) {
            fail(code::invalid_argument,
                 "the grammar is too large: too many paths lead through rules that begin with other rules");
        }
    }

private:
    enum class State : uint8_t { fresh, open, done };

    void check_references() const {
        for (size_t rule = 0; rule < names.size(); ++rule) {
            if (rule >= rules.size() || rules[rule].empty()) {
                fail(code::invalid_argument, "the grammar has no rule \"%s\"", names[rule].c_str());
            }
        }
    }

    // Calls `each(refs)` with the references of every alternative that consists of references only.
    template <typename Each> static void for_reference_lists(const llama_grammar_rule & rule, Each each) {
        std::vector<size_t> refs;
        bool                only_refs = true;
        for (const llama_grammar_element & element : rule) {
            if (is_end(element)) {
                if (only_refs) {
                    each(refs);
                }
                refs.clear();
                only_refs = true;
            } else if (element.type == LLAMA_GRETYPE_RULE_REF) {
                refs.push_back(element.value);
            } else {
                only_refs = false;
            }
        }
    }

    // Finds the rules that accept the empty text: those with an alternative of such rules only.
    void find_empty() {
        struct Alternative {
            size_t rule;
            size_t missing;
        };
        std::vector<Alternative>         alternatives;
        std::vector<std::vector<size_t>> users(rules.size()); // alternatives that refer to a rule
        std::vector<size_t>              found;
        for (size_t rule = 0; rule < rules.size(); ++rule) {
            for_reference_lists(rules[rule], [&](const std::vector<size_t> & refs) {
                for (const size_t ref : refs) {
                    users[ref].push_back(alternatives.size());
                }
                alternatives.push_back({ rule, refs.size() });
                if (refs.empty()) {
                    found.push_back(rule);
                }
            });
        }
        while (!found.empty()) {
            const size_t rule = found.back();
            found.pop_back();
            if (can_be_empty[rule]) {
                continue;
            }
            can_be_empty[rule] = true;
            for (const size_t user : users[rule]) {
                if (--alternatives[user].missing == 0) {
                    found.push_back(alternatives[user].rule);
                }
            }
        }
    }

    // The number of steps of a search through all rules that can come first in `rule`.
    double visit(size_t rule, size_t depth) {
        if (states[rule] == State::done) {
            return steps[rule];
        }
        if (states[rule] == State::open) {
            fail(code::invalid_argument, "the grammar's rule \"%s\" is left-recursive", names[rule].c_str());
        }
        if (depth > max_rule_depth) {
            fail(code::invalid_argument, "the grammar has more than %zu rules that each begin with the next",
                 max_rule_depth);
        }
        states[rule]    = State::open;
        double count    = 1;
        bool   is_first = true;
        for (const llama_grammar_element & element : rules[rule]) {
            if (is_end(element)) {
                is_first = true;
            } else if (element.type == LLAMA_GRETYPE_RULE_REF && is_first) {
                count += visit(element.value, depth + 1);
                is_first = can_be_empty[element.value];
            } else {
                is_first = false;
            }
        }
        states[rule] = State::done;
        steps[rule]  = count;
        return count;
    }

    const llama_grammar_rules & rules;
    std::vector<std::string>    names;
    std::vector<bool>           can_be_empty;
    std::vector<State>          states;
    std::vector<double>         steps;
};

} // namespace

GrammarRules parse_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root) {
    check_grammar_text(text);
    llama_grammar_parser parser(vocab);
    parse(parser, text);
    if (parser.rules.empty()) {
        fail(code::invalid_argument, "the grammar has no rules");
    }
    Rules(parser).check();
    const auto start = parser.symbol_ids.find(root);
    if (start == parser.symbol_ids.end()) {
        fail(code::invalid_argument, "the grammar has no start rule \"%s\"", root.c_str());
    }
    const size_t first = start->second;
    return { std::move(parser.rules), first, std::move(parser.symbol_ids) };
}

void check_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root) {
    parse_grammar(vocab, text, root);
}

} // namespace ggsl
