// Types of the tables in tables.generated.h, whose sources are compiler/graph and compiler/limits.
#pragma once

#include "graph/wire.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace ggsl::c {

struct AttrNames {
    std::string_view name;
    std::string_view choices[2];
    bool             has_default;
    double           default_value;
};

// What ops.h does not say of an op.
struct OpNames {
    std::string_view name;
    bool             launches;
    std::string_view operands[max_operands];
    AttrNames        attrs[max_attrs];
};

// With an underscore: some of the words are those of C++.
enum class UniformOp {
    add_,
    sub_,
    mul_,
    div_,
    mod_,
    pow_,
    min_,
    max_,
    neg_,
    abs_,
    sign_,
    exp_,
    log_,
    log2_,
    sqrt_,
    floor_,
    ceil_,
    round_,
    sigmoid_,
    tanh_,
    f32_,
    above_,
    below_,
    gt_,
    ge_,
    eq_,
    and_,
    or_,
    not_,
    select_,
    hash_,
    clamp_,
};

// A member of a spec, and the first version that has it.
struct MemberSince {
    std::string_view name;
    int32_t          version;
};

struct UniformOpName {
    std::string_view name;
    int32_t          arity;
    UniformOp        op;
};

} // namespace ggsl::c
