// The steps of reading a spec whose shape is valid: each fills its part of the spec and adds the faults that it finds.
#pragma once

#include "spec/shape.h"
#include "spec/spec.h"

#include <map>

namespace ggsl::c {

struct Reading {
    const Json &                   json;
    Spec                           spec     = {};
    Faults                         faults   = {};
    std::map<std::string, int32_t> params   = {}; // by name
    std::map<std::string, int32_t> grammars = {};
    std::vector<std::string>       patterns = {}; // of all sets
    int64_t                        parts    = 0;  // of all expressions so far
    // Rules are asked about only at tokens: not by the initial value of a state, nor by the index of a draw.
    bool can_ask_rules = true;

    void fault(std::string text) { faults.push_back(std::move(text)); }
    // The parameter of type seed that `{"param": name}` names, if there is one.
    std::optional<int32_t> seed_param(const Json & value) const;
};

// The order is that of compiler/graph/verify.ts.
void read_nodes(Reading & reading);
void read_outputs(Reading & reading);
void read_params(Reading & reading);
void read_uniforms(Reading & reading);
void read_draws(Reading & reading);
void read_feeds(Reading & reading);
void read_sets(Reading & reading);
void read_grammars(Reading & reading);
void read_rules(Reading & reading);
void read_tail(Reading & reading);

// An expression, or its fault. `draws`: how many it may read.
Expression read_expression(Reading & reading, const Json & value, size_t draws, const std::string & where);

// The number of an ending in the spec's list.
int32_t ending_index(Spec & spec, Ending ending);

TokenSequence        token_sequence(const Json & value);
std::vector<Breaker> breaker_list(const Json & value);

// The limits of costs that the spec exceeds.
void check_cost(const Spec & spec, Faults & faults);

// The graph for the builder. Throws Failure.
Graph wire_graph(const Spec & spec);

inline Dim dim_of(const Json & value) {
    return value.is_string() ? dim_vocabulary : static_cast<Dim>(number_of(value));
}
inline Dtype dtype_of(const Json & value) {
    return value == "i32" ? Dtype::i32 : Dtype::f32;
}
inline std::string show_dim(Dim dim) {
    return dim == dim_vocabulary ? "V" : std::to_string(dim);
}
inline const char * show_dtype(Dtype dtype) {
    return dtype == Dtype::i32 ? "i32" : "f32";
}
inline std::optional<std::string> optional_text(const Json & object, const char * member) {
    const auto found = object.find(member);
    return found == object.end() ? std::nullopt : std::optional(found->get<std::string>());
}

} // namespace ggsl::c
