#include "grammar_states.h"

#include "graph/failure.h"
#include "grammar_rules.h"

#include <algorithm>

namespace ggsl {

namespace {

using Element = llama_grammar_element;

bool is_end(const Element * at) {
    return at->type == LLAMA_GRETYPE_END || at->type == LLAMA_GRETYPE_ALT;
}

bool is_token(const Element * at) {
    return at->type == LLAMA_GRETYPE_TOKEN || at->type == LLAMA_GRETYPE_TOKEN_NOT;
}

// The element after a set of characters, which takes several elements.
const Element * after_characters(const Element * at) {
    for (++at; at->type == LLAMA_GRETYPE_CHAR_ALT || at->type == LLAMA_GRETYPE_CHAR_RNG_UPPER; ++at) {}
    return at;
}

// Whether a character of the range [low, high] is listed at `at`, and so matches unless the list is inverted.
bool lists_between(const Element * at, uint32_t low, uint32_t high) {
    const Element * const end = after_characters(at);
    for (; at < end; ++at) {
        if (at->type == LLAMA_GRETYPE_CHAR_ANY) {
            return true;
        }
        const bool     is_range = at[1].type == LLAMA_GRETYPE_CHAR_RNG_UPPER;
        const uint32_t last     = is_range ? at[1].value : at->value;
        if (at->value <= high && low <= last) {
            return true;
        }
        at += is_range;
    }
    return false;
}

bool matches(const Element * at, uint32_t character) {
    return lists_between(at, character, character) == (at->type != LLAMA_GRETYPE_CHAR_NOT);
}

// Whether some character with these first bytes matches. Like llama.cpp, an inverted list matches only if it lists none of them.
bool may_match(const Element * at, const PartialCharacter & partial) {
    if (partial.remaining == 1 && partial.value < 2) {
        return false; // overlong
    }
    const int      bits = partial.remaining * 6;
    uint32_t       low  = partial.value << bits;
    const uint32_t high = low | ((1u << bits) - 1);
    if (low == 0) {
        low = partial.remaining == 2 ? 1u << 11 : partial.remaining == 3 ? 1u << 16 : 0;
    }
    return lists_between(at, low, high) == (at->type != LLAMA_GRETYPE_CHAR_NOT);
}

bool matches_token(const Element * at, int32_t token) {
    return at != nullptr && is_token(at) &&
           (at->value == static_cast<uint32_t>(token)) == (at->type == LLAMA_GRETYPE_TOKEN);
}

constexpr GrammarSearch::Set not_computed = UINT32_MAX;

[[noreturn]] void refuse_stacks() {
    fail(
        code::limit_exceeded,
        "the grammar has more than %zu open stacks of rules here (max_grammar_stacks): it is too ambiguous, or the text is "
        "nested too deeply",
        max_grammar_stacks);
}

} // namespace

size_t GrammarSearch::HeadsHash::operator()(const std::vector<uint32_t> & heads) const {
    size_t hash = heads.size();
    for (const uint32_t head : heads) {
        hash = (hash ^ head) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return hash;
}

GrammarSearch::GrammarSearch(const GrammarRules & rules, const GrammarState & from)
    : rules(rules), stacks(from.stacks), partial(from.partial) {
    for (uint32_t i = 0; i < stacks.size(); ++i) {
        numbers.emplace(stacks[i], i);
    }
    seen.assign(stacks.size(), 0);
    number({}); // `none`
    if (!stacks.empty()) {
        first = number(from.heads);
        return;
    }
    stacks.push_back({});
    seen.push_back(0);
    numbers.emplace(stacks[0], 0);
    begin_set();
    const Element start[] = { { LLAMA_GRETYPE_RULE_REF, static_cast<uint32_t>(rules.start) },
                              { LLAMA_GRETYPE_END, 0 } };
    add(push(start, 0));
    first = finish_set();
}

void GrammarSearch::spend(size_t more) {
    steps += more;
    if (steps > max_grammar_steps) {
        fail(code::limit_exceeded,
             "the grammar is too ambiguous here: the next token takes more than %zu steps (max_grammar_steps); "
             "rewrite the rules so that fewer of them can match the same text",
             max_grammar_steps);
    }
}

uint32_t GrammarSearch::push(const Element * top, uint32_t below) {
    const auto [found, is_new] = numbers.try_emplace({ top, below }, static_cast<uint32_t>(stacks.size()));
    if (is_new) {
        stacks.push_back({ top, below });
        seen.push_back(0);
    }
    return found->second;
}

uint32_t GrammarSearch::push_unless_end(const Element * top, uint32_t below) {
    return is_end(top) ? below : push(top, below);
}

void GrammarSearch::begin_set() {
    ++constructed;
    heads.clear();
}

void GrammarSearch::add(uint32_t given) {
    todo.push_back(given);
    while (!todo.empty()) {
        const uint32_t stack = todo.back();
        todo.pop_back();
        spend(1);
        if (seen[stack] == constructed) {
            continue;
        }
        seen[stack]          = constructed;
        const GrammarStack s = stacks[stack];
        if (s.top == nullptr || s.top->type != LLAMA_GRETYPE_RULE_REF) {
            heads.push_back(stack);
            if (heads.size() > max_grammar_stacks) {
                refuse_stacks();
            }
            continue;
        }
        const uint32_t rest = push_unless_end(s.top + 1, s.below);
        for (const Element * at = rules.rules[s.top->value].data();; ++at) {
            spend(1);
            todo.push_back(push_unless_end(at, rest));
            for (; !is_end(at); ++at) {
                ++steps;
            }
            if (at->type == LLAMA_GRETYPE_END) {
                break;
            }
        }
    }
}

GrammarSearch::Set GrammarSearch::finish_set() {
    std::sort(heads.begin(), heads.end());
    return number(heads);
}

GrammarSearch::Set GrammarSearch::number(std::vector<uint32_t> given) {
    spend(given.size());
    const auto [found, is_new] = known.try_emplace(std::move(given), static_cast<Set>(sets.size()));
    if (is_new) {
        sets.push_back(&found->first);
        ascii.emplace_back();
    }
    return found->second;
}

GrammarSearch::Set GrammarSearch::compute(Set set, uint32_t character) {
    begin_set();
    for (const uint32_t head : *sets[set]) {
        const GrammarStack stack = stacks[head];
        spend(1);
        if (stack.top == nullptr || is_token(stack.top)) {
            continue;
        }
        const Element * const next = after_characters(stack.top);
        spend(static_cast<size_t>(next - stack.top));
        if (matches(stack.top, character)) {
            add(push_unless_end(next, stack.below));
        }
    }
    return finish_set();
}

GrammarSearch::Set GrammarSearch::after(Set set, uint32_t character) {
    if (set == none) {
        return none;
    }
    if (character < 128) {
        if (ascii[set].empty()) {
            ascii[set].assign(128, not_computed);
        }
        if (ascii[set][character] == not_computed) {
            const Set next        = compute(set, character); // may move `ascii`
            ascii[set][character] = next;
        }
        return ascii[set][character];
    }
    const uint64_t key   = static_cast<uint64_t>(set) << 32 | character;
    const auto     found = others.find(key);
    if (found != others.end()) {
        return found->second;
    }
    return others[key] = compute(set, character);
}

GrammarSearch::Cursor GrammarSearch::begin() const {
    return { first, partial, partial.remaining > 0 };
}

void GrammarSearch::read(Cursor & cursor, uint8_t byte) {
    auto & [set, open, is_continued] = cursor;
    if (open.remaining > 0) {
        if (is_continued && byte >> 6 != 2) {
            set = none;
            return;
        }
        open = { open.value << 6 | (byte & 0x3fu), open.remaining - 1 };
    } else {
        static constexpr int lengths[] = { 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4 };
        const int            length    = lengths[byte >> 4];
        if (length == 0) {
            set = none;
            return;
        }
        open = { byte & ((1u << (8 - length)) - 1), length - 1 };
    }
    if (open.remaining == 0) {
        set          = after(set, open.value);
        open         = {};
        is_continued = false;
    }
}

bool GrammarSearch::may_end(const Cursor & cursor) {
    if (cursor.set == none || cursor.partial.remaining == 0) {
        return cursor.set != none;
    }
    const std::vector<uint32_t> & heads = *sets[cursor.set];
    return std::any_of(heads.begin(), heads.end(), [&](uint32_t head) {
        spend(1);
        const Element * top = stacks[head].top;
        return top != nullptr && !is_token(top) && may_match(top, cursor.partial);
    });
}

GrammarSearch::Set GrammarSearch::after_token(Set set, int32_t token) {
    begin_set();
    for (const uint32_t head : *sets[set]) {
        const GrammarStack stack = stacks[head];
        spend(1);
        if (matches_token(stack.top, token)) {
            add(push_unless_end(stack.top + 1, stack.below));
        }
    }
    return finish_set();
}

bool GrammarSearch::accepts_token(Set set, int32_t token) const {
    const std::vector<uint32_t> & heads = *sets[set];
    return std::any_of(heads.begin(), heads.end(),
                       [&](uint32_t head) { return matches_token(stacks[head].top, token); });
}

bool GrammarSearch::has_token_elements(Set set) const {
    const std::vector<uint32_t> & heads = *sets[set];
    return std::any_of(heads.begin(), heads.end(),
                       [&](uint32_t head) { return stacks[head].top != nullptr && is_token(stacks[head].top); });
}

bool GrammarSearch::is_complete(Set set) const {
    return !sets[set]->empty() && sets[set]->front() == 0;
}

GrammarSearch::Set GrammarSearch::unite(Set a, Set b) {
    if (a == none || b == none) {
        return a == none ? b : a;
    }
    std::vector<uint32_t> both;
    std::set_union(sets[a]->begin(), sets[a]->end(), sets[b]->begin(), sets[b]->end(), std::back_inserter(both));
    return number(std::move(both));
}

GrammarState GrammarSearch::state(Set set, PartialCharacter open) const {
    // Stacks have higher numbers than those below them, so one pass downwards finds all that are needed.
    std::vector<uint32_t> new_numbers(stacks.size(), 0);
    new_numbers[0] = 1;
    for (const uint32_t head : *sets[set]) {
        new_numbers[head] = 1;
    }
    for (size_t i = stacks.size(); i-- > 1;) {
        if (new_numbers[i] != 0) {
            new_numbers[stacks[i].below] = 1;
        }
    }
    GrammarState state;
    state.partial   = open;
    const auto live = static_cast<size_t>(std::count(new_numbers.begin(), new_numbers.end(), 1u));
    if (live > max_grammar_stacks) {
        refuse_stacks();
    }
    state.stacks.reserve(live);
    for (size_t i = 0; i < stacks.size(); ++i) {
        if (new_numbers[i] != 0) {
            new_numbers[i] = static_cast<uint32_t>(state.stacks.size());
            state.stacks.push_back({ stacks[i].top, new_numbers[stacks[i].below] });
        }
    }
    for (const uint32_t head : *sets[set]) {
        // a text cannot end inside a character
        if (head != 0 || open.remaining == 0) {
            state.heads.push_back(new_numbers[head]);
        }
    }
    return state;
}

} // namespace ggsl
