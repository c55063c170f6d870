// Shapes of untrusted JSON: the members of objects and their types.
#pragma once

#include "spec/json.h"

#include <functional>
#include <memory>
#include <vector>

namespace ggsl::c {

using Faults = std::vector<std::string>;

inline constexpr size_t max_faults = 20;

struct Shape;

struct Member {
    const char *                 name;
    std::shared_ptr<const Shape> shape;
    bool                         is_optional = false;
};

struct Kind {
    const char *        name;
    std::vector<Member> members; // besides `kind`
};

// A test of a value, a list, an object with a `kind`, or an object's members.
struct Shape {
    std::string                       what    = {}; // of a test: what is expected
    std::function<bool(const Json &)> is      = {};
    std::shared_ptr<const Shape>      entry   = {}; // of a list
    std::vector<Kind>                 kinds   = {};
    std::vector<Member>               members = {};
};

// Adds the faults of a value; `where` is its path. Lists end after `max_faults`.
void check_shape(const Json & value, const Shape & shape, const std::string & where, Faults & faults);

// The shape of a graph spec.
const Shape & spec_shape();

} // namespace ggsl::c
