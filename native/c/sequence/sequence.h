// The state of one text: its parameters, streams of draws, states and history. The uniforms and inputs of the graph are computed from
// it. It knows nothing of llama.cpp. A copy is independent.
#pragma once

#include "sequence/lookups.h"
#include "sequence/random.h"

#include <deque>

namespace ggsl::c {

// An ending in a text.
struct Watch {
    size_t matched = 0; // how much of the ending the text ends with
    double since   = never;
};

// A column of the graph, as the host writes it: numbers, or ids and words of bits.
using Fed = std::variant<std::vector<float>, std::vector<int32_t>>;

class Sequence {
public:
    // Before its first token. Both must be of one chain.
    Sequence(std::shared_ptr<const Spec> spec, std::shared_ptr<const Lookups> lookups);

    // Sets a parameter by its number; the value must be valid. A seed restarts its streams.
    void set_param(size_t index, double value);
    // Sets a set of tokens, ascending. Throws Failure (INVALID_ARGUMENT).
    void set_tokens(size_t set, std::vector<int32_t> tokens);
    // Sets a grammar, which begins at the next token. Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    void set_grammar(size_t grammar, std::string gbnf);

    // A grammar that a feature follows, at the place where it is now: for a program that opens grammars itself.
    void               follow(size_t feature, GrammarPtr position);
    const GrammarPtr & grammar(size_t feature) const { return followed[feature].position; }

    // Another text, with the same parameters and new seeds in place of random ones.
    void restart();
    // Tokens of the prompt, or of text that something else wrote.
    void accept_prompt(std::span<const int32_t> tokens);
    // The next token; `scalars`: of the graph, in the order of Spec::scalars. A grammar waits at a
    // token that it does not allow, and where it is not asked. Throws Failure (LIMIT_EXCEEDED, INVALID_ARGUMENT); nothing is changed then.
    void accept(int32_t token, std::span<const float> scalars);

    // The token that comes next in place of the pick, of a text that the chain writes; none: the chain picks. Throws Failure.
    std::optional<int32_t> written() const;
    // The scalars of the next token (Spec::scalars), where they depend on no row and no pick; none: they do, or it has measures or stops.
    std::optional<std::vector<float>> known_scalars() const;

    // For the next token. Throw Failure (INVALID_ARGUMENT, MISSING_INPUT, MISSING_GRAMMAR, LIMIT_EXCEEDED).
    std::vector<float> uniforms() const;
    // A column for each input of the graph but the logits; empty for a constant one.
    std::vector<Fed> inputs() const;

    const Spec &               spec() const { return *chain; }
    const Lookups &            lookups() const { return *looked_up; }
    double                     param(size_t index) const { return params[index]; }
    const std::vector<float> & states() const { return state_values; }
    const std::vector<float> & measures() const { return measure_values; } // of the last token; empty before it
    // The first stop that holds at the last token; null: none does.
    const Stop * stop() const;
    int64_t      step() const { return steps; }
    int64_t      disallowed_tokens() const { return disallowed; } // that a grammar was asked about
    bool         has_prompt() const { return prompt_length > 0; }

    Given given;

private:
    friend class Saved; // writes and restores all of it

    class Leaves;
    friend class InputMaker;

    struct Followed {
        GrammarPtr           position; // null: a grammar was not given
        std::vector<int32_t> tokens;   // since it began
    };

    // The next token of a text that the chain writes.
    struct Writing {
        size_t write = 0; // the number of the text
        size_t at    = 0; // of its tokens
    };

    struct Present {
        std::optional<Writing> writing;
    };

    // What is written at the present place.
    std::optional<Writing> present_writing() const;
    // The text that begins there.
    std::optional<Writing> begun_writing() const;

    uint32_t seed_of(const Seed & seed) const;
    void     start_streams();
    void     start_grammars(int32_t only); // -1: all of them
    bool     is_asked(const Feature & feature) const;
    // The states whose expression is wanted get their initial values.
    template <typename Wanted> void init_states(const Wanted & wanted);
    void                            init_unless_begun();
    void                            keep_states(std::span<const float> values);
    void                            keep_windows(std::span<const float> values);
    void                            append(std::span<const int32_t> tokens);
    // The last tokens of the text, and of the prompt, as many as the chain needs.
    std::span<const int32_t> recent() const;
    std::span<const int32_t> recent_prompt() const;
    // The stream at the draw of the present token.
    double  present_draw(size_t index) const;
    int64_t present_count(size_t index) const;

    std::shared_ptr<const Spec>             chain;
    std::shared_ptr<const Lookups>          looked_up;
    std::vector<double>                     params;
    std::vector<bool>                       is_set; // of parameters: by the program
    std::vector<std::vector<int32_t>>       sets;
    std::vector<std::optional<std::string>> grammars;
    std::vector<Followed>                   followed; // by feature
    std::vector<Stream>                     streams;
    std::vector<float>                      state_values;
    std::vector<std::deque<float>>          windows;        // the last values, oldest first
    std::vector<float>                      measure_values; // and then those of the stops
    std::optional<Writing>                  writing;        // a text that has begun
    mutable std::optional<Present>          present;        // once it was asked for
    std::vector<Watch>                      watches;        // by ending
    std::vector<int32_t>                    history;        // at least the last tokens that the chain needs
    std::vector<int32_t>                    prompt;
    size_t                                  history_needed = 0;
    size_t                                  prompt_needed  = 0;
    int64_t                                 steps          = 0;
    int64_t                                 prompt_length  = 0;
    int64_t                                 disallowed     = 0;
};

} // namespace ggsl::c
