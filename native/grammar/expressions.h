// Regular expressions over bytes, with intersection, complement and counters, and their derivatives (Brzozowski, "Derivatives of
// regular expressions", 1964): the derivative by a byte is what may follow it. Equal expressions have one number.
#pragma once

#include "budget.h"
#include "bytes.h"
#include "interner.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ggsl::grammar {

using Expression = uint32_t;

constexpr uint32_t endless = UINT32_MAX; // the most of a repetition without bounds

class Expressions {
public:
    Expressions();

    static constexpr Expression nothing    = 0; // no text
    static constexpr Expression empty      = 1; // the empty text
    static constexpr Expression everything = 2; // all texts

    Expression bytes(const ByteSet & set);
    Expression text(std::string_view bytes);
    Expression characters(const std::vector<CharacterRange> & ranges);
    Expression sequence(Expression a, Expression b);
    Expression any(std::vector<Expression> of);
    Expression intersection(std::vector<Expression> of);
    Expression complement(Expression of);
    Expression repeat(Expression of, uint32_t min, uint32_t max);
    // One of several texts, sorted and without doubles.
    Expression choice(const std::vector<std::string_view> & sorted);

    // Whether the empty text matches.
    bool is_nullable(Expression e) const { return nodes[e].is_nullable; }
    // The bytes that texts can begin with, and maybe others.
    const ByteSet & first(Expression e) const { return sets[nodes[e].first]; }

    // Parts that were looked at to make expressions since the last call, to be paid: they can be more than derivatives.
    uint64_t taken_work() { return std::exchange(work, 0); }

    // What may follow a byte; `nothing` if no text does.
    Expression after(Expression e, uint8_t byte, Budget & budget);

    // Whether some text matches; valid once `make_classes` was called.
    bool is_alive(Expression e, Budget & budget);

    // The same for texts of at most `longest` bytes, with counters up to this: few expressions for all counts.
    Expression capped(Expression e, uint32_t longest);

    // Bytes with equal rows in all sets have one class; valid once all expressions of a grammar are made.
    void    make_classes();
    size_t  class_count() const { return representatives.size(); }
    uint8_t class_of(uint8_t byte) const { return classes[byte]; }
    // An expression of another table, which was made from the same grammar, here.
    Expression copied(const Expressions & from, Expression e, std::unordered_map<Expression, Expression> & copies);
    size_t     bytes_used() const;

private:
    enum class Kind : uint8_t { nothing, empty, bytes, text, choice, sequence, any, intersection, complement, repeat };
    struct Node {
        Kind     kind;
        bool     is_nullable;
        bool     has_intersection; // whether it may match no text although it is not `nothing`
        bool     has_counter;      // a bound above 1
        uint32_t a;                // bytes: the set; text: where it begins; lists: where they begin; else the operand
        uint32_t b;                // text, lists: the length; sequence: the second; repeat: min
        uint32_t c;                // repeat: max; choice: the bytes that all its texts share and that were read
        uint32_t first;            // a set
    };

    void             add_node(const Node & node);
    Expression       intern(Node node);
    Expression       intern_list(Kind kind, const std::vector<Expression> & of);
    uint32_t         set_number(const ByteSet & set);
    Expression       derivative(Expression e, uint8_t byte, Budget & budget);
    Expression       choice_of(uint32_t begin, uint32_t count, uint32_t read);
    std::string_view choice_text(uint32_t number) const;
    void             flatten(Kind kind, Expression e, std::vector<Expression> & into) const;
    bool             search(Expression e, Budget & budget);
    bool             is_sequence_alive(Expression e, Budget & budget);
    Expression       cap(Expression e, uint32_t longest);
    Expression       copy(const Expressions & from, Expression e, std::unordered_map<Expression, Expression> & copies);
    template <typename IsKnown> std::vector<Expression> way_down(Expression e, IsKnown && is_known) const;

    std::vector<Node>                          nodes;
    Numbers                                    numbers;
    std::vector<Expression>                    lists;
    std::vector<ByteSet>                       sets;
    Numbers                                    set_numbers;
    std::vector<char>                          characters_of_texts;
    std::vector<std::pair<uint32_t, uint32_t>> choices;  // texts: where each begins, and its length
    std::vector<uint8_t>                       liveness; // by expression: not known, alive, dead
    std::unordered_map<uint64_t, Expression>   caps;     // by length and expression
    std::array<uint8_t, 256>                   classes{};
    std::vector<uint8_t>                       representatives;
    uint64_t                                   work = 0;
};

} // namespace ggsl::grammar
