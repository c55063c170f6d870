// Uniform expressions: numbers that are computed once per token on the host (compiler/graph/uniform.ts).
#pragma once

#include "spec/tables.h"

#include <string>
#include <vector>

namespace ggsl::c {

// What a text may end with: bytes, or the ids of tokens.
struct Ending {
    std::string          text   = {};
    std::vector<int32_t> tokens = {};

    bool is_text() const { return !text.empty(); }
    bool operator==(const Ending &) const = default;
};

// What is computed of the values in a window.
enum class WindowFold { sum, min, max };

struct Expression {
    enum class Kind {
        number,
        param,
        draw,
        state,
        window,
        last,
        ends_with,
        since,
        member,
        in_rule,
        step,
        vocab,
        prompt_length,
        operation
    };

    Kind       kind   = Kind::number;
    double     number = 0;
    int32_t    index  = 0; // of the parameter, draw, state, window, ending, set or rule; for `last` how far back
    UniformOp  op     = UniformOp::add_;
    WindowFold of     = WindowFold::sum;   // of a window
    std::vector<Expression> operands = {}; // of an operation; the token of `member`
};

// The values of the leaves for one token.
class Environment {
public:
    virtual ~Environment() = default;

    virtual double param(int32_t index) const                 = 0;
    virtual double draw(int32_t index) const                  = 0;
    virtual double state(int32_t index) const                 = 0;
    virtual double window(int32_t index, WindowFold of) const = 0;
    virtual double last(int32_t k) const                      = 0; // -1 where the text is shorter
    virtual double since(int32_t ending) const                = 0; // `never` if the text never ended so
    virtual bool   is_member(double token, int32_t set) const = 0;
    virtual bool   is_in_rule(int32_t rule) const             = 0;
    virtual double step() const                               = 0;
    virtual double vocab() const                              = 0;
    virtual double prompt_length() const                      = 0;
};

// The count of `since` for a text that never ended so, and the largest.
inline constexpr double never = 16777216;

double evaluate(const Expression & expression, const Environment & environment);

// Clamped to the finite f32 numbers; NaN is 0.
double saturate(double x);

// Calls `visit` with each leaf, from left to right; that of a member's token before it.
template <typename Visit> void for_each_leaf(const Expression & expression, const Visit & visit) {
    for (const Expression & operand : expression.operands) {
        for_each_leaf(operand, visit);
    }
    if (expression.kind != Expression::Kind::operation) {
        visit(expression);
    }
}

// Whether it depends on the text so far.
bool reads_text(const Expression & expression);

} // namespace ggsl::c
