// A valid graph spec: what a chain's host part needs, and the graph for the builder.
#pragma once

#include "spec/expression.h"
#include "spec/features.generated.h"

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ggsl::c {

using Dim = int32_t; // or dim_vocabulary

struct SpecNode {
    int32_t                       op    = 0;
    Dtype                         dtype = Dtype::f32;
    Dim                           dim   = 1;
    std::vector<int32_t>          inputs;
    std::array<double, max_attrs> attrs = {}; // a dim, the index of a choice, or a number
};

struct Range {
    std::optional<double> min, max;
    bool                  is_min_excluded = false, is_max_excluded = false;

    bool has(double x) const {
        return (!min || (is_min_excluded ? x > *min : x >= *min)) && (!max || (is_max_excluded ? x < *max : x <= *max));
    }
    std::string describe() const;
};

struct Param {
    enum class Type { f32, i32, boolean, seed };

    std::string                name;
    Type                       type = Type::f32;
    std::optional<double>      standard; // absent: a random seed
    Range                      range;
    std::optional<std::string> doc;

    // What a value must be, if this one is invalid; else empty.
    std::string expected(double value) const;
};

struct Random {};
struct ParamRef {
    int32_t index;
};
using Seed = std::variant<uint32_t, Random, ParamRef>;

struct Draw {
    enum class Kind { f64, f32, seed };

    Kind                      kind = Kind::f64;
    Seed                      seed;
    std::optional<uint32_t>   stream;
    std::optional<Expression> at;
};

struct State {
    std::string name;
    bool        is_integer = false;
    Expression  init;
    int32_t     next = 0;
};

// The last values of a scalar, one for each token that was generated.
struct Window {
    std::string name;
    int32_t     size = 1;
    int32_t     next = 0;
};

struct Measure {
    std::string name;
    int32_t     node = 0;
};

// The text ends with the picked token where the node's value is not 0.
struct Stop {
    std::string name;
    int32_t     node = 0;
};

// A text that comes where the expression begins to be other than 0, in place of picks.
struct Write {
    std::string text;
    Expression  when;
};

// A rule of a grammar that the program asks about.
struct GrammarRule {
    std::string name;
    size_t      feature = 0; // that follows its grammar
    uint32_t    mark    = 0; // its bit there
};

struct SpecInput {
    enum class Part { logits, dense, bits, ids, values };

    Dtype   dtype   = Dtype::f32;
    Dim     dim     = 1;
    Part    part    = Part::logits;
    int32_t feature = -1;

    // How many numbers the host writes.
    int32_t fed_size(int32_t vocab_size) const;
};

// A text, or token ids.
using TokenSequence = Ending;
// A token id or a text.
using Breaker = std::variant<int32_t, std::string>;

struct TextSource {
    enum class Kind { all, prompt, generated, input };

    Kind        kind     = Kind::all;
    std::string name     = {}; // of an input
    Dim         capacity = 0;
};

struct Feature {
    using Form = FeatureForm;
    using From = FeatureKind;
    enum class Type { any, i32, boolean };

    Form                       form       = Form::dense;
    Dim                        capacity   = 0;
    double                     fill       = 0;
    From                       from       = From::bias;
    Expression                 last       = {}; // of occurrences and repeat_len
    TextSource                 in         = {};
    std::vector<Breaker>       breakers   = {};
    std::vector<TokenSequence> sequences  = {};
    std::string                gbnf       = {}; // of `allowed`, unless its grammar is a parameter
    int32_t                    grammar    = -1;
    std::optional<Expression>  when       = {};    // its grammar is asked where this is not 0; absent: at each token
    bool                       is_first   = false; // what its grammar allows is kept before any other row is dropped
    int32_t                    set        = -1;
    bool                       is_negated = false;
    std::string                name       = {}; // of an input or a guide
    Type                       type       = Type::any;

    bool has_window() const { return from == From::occurrences || from == From::repeat_len; }
};

struct TokenClass {
    bool is_end; // else control tokens
};
using TokenItem = std::variant<int32_t, std::string, TokenClass>;

struct TokenSet {
    std::vector<TokenItem>     of;
    std::optional<std::string> name; // of a parameter
    int32_t                    capacity = 0;
    std::optional<std::string> doc;
};

struct GrammarParam {
    std::string                name;
    std::optional<std::string> standard, doc;
};

using TailArg = std::variant<double, std::string, std::vector<Breaker>, ParamRef>;

struct TailStage {
    std::string                                  name;
    std::vector<std::pair<std::string, TailArg>> args;
};

struct Cost {
    uint64_t nodes, work, sorts, device_bytes, host_bytes, upload_bytes, readback_bytes;
};

struct Spec {
    std::string               name;
    std::vector<SpecNode>     nodes;
    std::vector<Param>        params;
    std::vector<Draw>         draws;
    std::vector<State>        states;
    std::vector<Window>       windows;
    std::vector<Measure>      measures;
    std::vector<Stop>         stops;
    std::vector<Write>        writes;
    std::vector<GrammarRule>  rules;
    std::vector<Expression>   uniforms;
    std::vector<SpecInput>    inputs;
    std::vector<Feature>      features;
    std::vector<TokenSet>     sets;
    std::vector<GrammarParam> grammars;
    std::vector<TailStage>    tail;
    std::vector<Ending>       endings; // of all expressions
    Outputs                   outputs;
    size_t                    stage_count = 0;
    Graph                     graph; // without columns

    bool picks() const;
    // The nodes that are read with each token: the next values of the states and of the windows, the measures, the
    // stops.
    std::vector<int32_t> scalars() const;
    // The uniforms that are these, where no measure, no stop, and none but uniforms are among them.
    std::optional<std::vector<int32_t>> known_uniforms() const;
    bool                                is_constant(const SpecInput & input) const {
        return input.part == SpecInput::Part::dense &&
               features[static_cast<size_t>(input.feature)].from == Feature::From::set;
    }
    Cost cost(int32_t vocab_size) const;
};

// Reads and checks a spec. Throws Failure (INVALID_SPEC, LIMIT_EXCEEDED, WRONG_VERSION, UNSUPPORTED).
Spec read_spec(const char * text, size_t length);

inline int32_t bind_dim(Dim dim, int32_t vocab_size) {
    return dim == dim_vocabulary || dim > vocab_size ? vocab_size : dim;
}

} // namespace ggsl::c
