// Text breakers as token sequences, for every way in which a text can begin inside a token. One pass over the vocabulary finds all
// texts at once (Aho and Corasick).
#include "sequence/repeats.h"

#include <algorithm>
#include <set>

namespace ggsl::c {

namespace {

// As in llama.cpp: longer breakers and longer tails are cut.
constexpr size_t max_text = 40;
constexpr size_t max_tail = 20;

constexpr size_t none = SIZE_MAX;

class Automaton {
public:
    explicit Automaton(const std::set<std::string> & texts) {
        states.emplace_back();
        for (const std::string & text : texts) {
            size_t state = 0;
            for (const char byte : text) {
                const auto [next, is_new] = states[state].next.try_emplace(byte, states.size());
                state                     = next->second;
                if (is_new) {
                    states.emplace_back();
                }
            }
            states[state].text = text;
        }
        link();
        for (const std::string & text : texts) {
            size_t state = 0;
            for (size_t i = 1; i < text.size(); ++i) {
                state = states[state].next.at(text[i - 1]);
                states[state].rests.emplace(text, text.substr(i));
            }
        }
    }

    struct State {
        std::map<char, size_t>             next;
        size_t                             suffix  = none; // the longest proper one that is a beginning too
        size_t                             shorter = none; // the longest proper one that is a text
        std::string                        text;           // that ends here
        std::map<std::string, std::string> rests;          // of the texts that go on here
    };

    // The state after a token, and the texts that it contains.
    size_t search(const std::string & piece, std::set<std::string> & contained) const {
        size_t state = 0;
        for (const char byte : piece) {
            state = step(state, byte);
            for (size_t at = states[state].text.empty() ? states[state].shorter : state; at != none;
                 at        = states[at].shorter) {
                if (!contained.insert(states[at].text).second) {
                    break; // it was found before, with all its suffixes
                }
            }
        }
        return state;
    }

    const State & at(size_t state) const { return states[state]; }

private:
    size_t step(size_t from, char byte) const {
        for (size_t state = from; state != none; state = states[state].suffix) {
            if (const auto next = states[state].next.find(byte); next != states[state].next.end()) {
                return next->second;
            }
        }
        return 0;
    }

    // Shorter states first: the suffixes of a state's children come from its own.
    void link() {
        std::vector<size_t> open{ 0 };
        for (size_t i = 0; i < open.size(); ++i) {
            const size_t state = open[i];
            for (const auto & [byte, next] : states[state].next) {
                states[next].suffix  = state == 0 ? 0 : step(states[state].suffix, byte);
                const size_t suffix  = states[next].suffix;
                states[next].shorter = states[suffix].text.empty() ? states[suffix].shorter : suffix;
                open.push_back(next);
            }
        }
    }

    std::vector<State> states;
};

using TailsPtr = std::shared_ptr<const Tails>;

class TailMaker {
public:
    TailMaker(const Automaton & automaton, const Vocabulary & vocabulary)
        : automaton(automaton), vocabulary(vocabulary) {}

    // The tails after a token that ends in a state and contains some texts, which are not looked for at its end.
    const std::vector<TailsPtr> & of(size_t end, const std::set<std::string> & contained) {
        const auto [found, is_new] = known.try_emplace({ end, contained });
        if (is_new) {
            if (!contained.empty()) {
                found->second.push_back(no_tail());
            }
            for (size_t state = end; state != 0 && state != none; state = automaton.at(state).suffix) {
                if (TailsPtr own = own_tails(state, contained)) {
                    found->second.push_back(std::move(own));
                }
            }
        }
        return found->second;
    }

    // For a token that is a breaker by itself, or contains one.
    static TailsPtr no_tail() {
        static const TailsPtr tails = [] {
            auto made = std::make_shared<Tails>();
            made->add({});
            return made;
        }();
        return tails;
    }

private:
    TailsPtr own_tails(size_t state, const std::set<std::string> & contained) {
        const auto &          rests = automaton.at(state).rests;
        std::set<std::string> skipped;
        for (const auto & [text, _] : rests) {
            if (contained.contains(text)) {
                skipped.insert(text);
            }
        }
        const auto [found, is_new] = made.try_emplace({ state, skipped });
        if (is_new && skipped.size() < rests.size()) {
            auto tails = std::make_shared<Tails>();
            for (const auto & [text, rest] : rests) {
                if (!skipped.contains(text)) {
                    tails->add(tokens_of(rest));
                }
            }
            found->second = std::move(tails);
        }
        return found->second;
    }

    const std::vector<int32_t> & tokens_of(const std::string & rest) {
        const auto [found, is_new] = tokens.try_emplace(rest);
        if (is_new) {
            found->second = vocabulary.tokenize(rest);
            found->second.resize(std::min(found->second.size(), max_tail));
        }
        return found->second;
    }

    using Key = std::pair<size_t, std::set<std::string>>;

    const Automaton &                           automaton;
    const Vocabulary &                          vocabulary;
    std::map<Key, std::vector<TailsPtr>>        known;
    std::map<Key, TailsPtr>                     made;
    std::map<std::string, std::vector<int32_t>> tokens;
};

} // namespace

Breakers make_breakers(const std::vector<Breaker> & given, const Vocabulary * vocabulary) {
    Breakers              found;
    std::set<std::string> texts;
    for (const Breaker & breaker : given) {
        if (const auto * text = std::get_if<std::string>(&breaker); text != nullptr && !text->empty()) {
            texts.insert(text->substr(0, max_text));
        }
    }
    if (!texts.empty() && vocabulary != nullptr) {
        const Automaton automaton(texts);
        TailMaker       maker(automaton, *vocabulary);
        int32_t         token = 0;
        for (const std::string & piece : vocabulary->pieces()) {
            std::set<std::string> contained;
            const size_t          end   = automaton.search(piece, contained);
            const auto &          tails = maker.of(end, contained);
            if (!tails.empty()) {
                found[token] = tails;
            }
            ++token;
        }
    }
    for (const Breaker & breaker : given) {
        if (const auto * token = std::get_if<int32_t>(&breaker)) {
            found[*token].push_back(TailMaker::no_tail());
        }
    }
    return found;
}

} // namespace ggsl::c
