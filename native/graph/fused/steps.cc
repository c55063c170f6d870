#include "steps.h"

#include <algorithm>
#include <map>

namespace ggsl::fused {

Kind elementwise(OpId op) {
    switch (op) {
        case OpId::abs:     return Kind::abs;
        case OpId::neg:     return Kind::neg;
        case OpId::sgn:     return Kind::sgn;
        case OpId::step:    return Kind::step;
        case OpId::exp:     return Kind::exp;
        case OpId::log:     return Kind::log;
        case OpId::sqrt:    return Kind::sqrt;
        case OpId::sqr:     return Kind::sqr;
        case OpId::sigmoid: return Kind::sigmoid;
        case OpId::tanh:    return Kind::tanh;
        case OpId::floor:   return Kind::floor;
        case OpId::ceil:    return Kind::ceil;
        case OpId::round:   return Kind::round;
        case OpId::scale:   return Kind::scale;
        case OpId::clamp:   return Kind::clamp;
        case OpId::add:     return Kind::add;
        case OpId::sub:     return Kind::sub;
        case OpId::mul:     return Kind::mul;
        case OpId::div:     return Kind::div;
        default:            return Kind::given;
    }
}

bool is_packed(const BoundGraph & bound, int32_t id) {
    const Node & node = bound.graph.nodes[static_cast<size_t>(id)];
    return id_of(node) == OpId::input && bound.graph.inputs[static_cast<size_t>(node.attrs[0])].is_packed;
}

namespace {

bool is_expensive(Kind kind) {
    return kind == Kind::power || kind == Kind::exp || kind == Kind::log || kind == Kind::sigmoid || kind == Kind::tanh;
}

class Maker {
public:
    Maker(const BoundGraph & bound, const Reads & reads)
        : bound(bound), nodes(bound.graph.nodes), n(bound.vocab_size), reads(reads), steps(nodes.size(), -1) {}

    Program run(const std::vector<int32_t> & computed) {
        program.n     = n;
        program.nodes = computed;
        for (const int32_t id : computed) {
            steps[static_cast<size_t>(id)] = add_node(id);
        }
        add_outputs();
        for (const Step & step : program.steps) {
            program.levels = std::max(program.levels, step.level + 1);
        }
        find_kept();
        return std::move(program);
    }

private:
    const Node & node_of(int32_t id) const { return nodes[static_cast<size_t>(id)]; }
    bool         is_column(int32_t id) const { return node_of(id).dim == n; }
    Step &       at(int32_t id) { return program.steps[static_cast<size_t>(id)]; }
    const Step & at(int32_t id) const { return program.steps[static_cast<size_t>(id)]; }

    // The step of an operand, which may be from outside.
    int32_t step_of(int32_t id) {
        int32_t & step = steps[static_cast<size_t>(id)];
        if (step < 0) {
            if (id_of(node_of(id)) == OpId::uniform) {
                program.reads_uniforms = true;
                step                   = add({ Kind::uniform, false, -1, -1, 0, 0, 0, node_of(id).attrs[0] });
            } else {
                program.inputs.push_back(id);
                const bool    is_i32 = node_of(id).dtype == Dtype::i32;
                const Kind    kind   = is_packed(bound, id) ? Kind::bits : Kind::given;
                const int32_t source = static_cast<int32_t>(program.inputs.size()) - 1;
                step                 = add({ kind, is_column(id), -1, -1, is_i32 ? 1.0f : 0.0f, 0, 0, source });
            }
        }
        return step;
    }

    int32_t add(Step step) {
        step.is_sorted = step.kind == Kind::order || step.kind == Kind::gather;
        for (const int32_t operand : { step.a, step.b, step.kind == Kind::put ? step.source : -1 }) {
            if (operand >= 0) {
                const Step & read = at(operand);
                step.level        = std::max(step.level, read.level + (is_reduction(read.kind) ? 1 : 0));
                step.is_sorted    = step.is_sorted || (step.is_column && read.is_sorted);
            }
        }
        program.steps.push_back(step);
        return static_cast<int32_t>(program.steps.size()) - 1;
    }

    int32_t add_node(int32_t id) {
        const Node & node   = node_of(id);
        const bool   column = node.dim == n;
        const auto   x      = [&](int32_t i) { return step_of(node.operands[i]); };
        switch (id_of(node)) {
            case OpId::sum_rows: return add({ Kind::sum, false, unsorted(x(0)) });
            case OpId::argmax:   return add({ Kind::argmax, false, x(0) });
            case OpId::top_k:    return add({ Kind::best, false, x(0), -1, 0, 0, 0, node.dim });
            case OpId::argsort:  return add({ Kind::order, true, stored(x(0)) });
            case OpId::get_rows: {
                const int32_t values = x(0);
                return column ? add({ Kind::gather, true, stored(values), x(1) })
                              : add({ Kind::at, false, values, x(1), 0, 0, 0, -1 });
            }
            case OpId::set_rows: {
                const int32_t values = x(0), number = x(1);
                return add({ Kind::put, true, values, number, 0, 0, 0, x(2) });
            }
            case OpId::view:     return add_view(node);
            case OpId::soft_max: return add_soft_max(node);
            case OpId::fill:     return add({ Kind::fill, true, -1, -1, node.attr_f32(0) });
            case OpId::arange:   return add({ Kind::positions, true });
            case OpId::repeat:   return add({ Kind::same, column, x(0) });
            case OpId::cast:     return add_cast(id);
            case OpId::cumsum:   return add_scan(x(0));
            default:             break;
        }
        const Kind    kind      = elementwise(id_of(node));
        const int32_t a         = x(0);
        const int32_t b         = node.operand_count > 1 ? x(1) : -1;
        const bool    has_attrs = kind == Kind::scale || kind == Kind::clamp;
        return add({ kind, column, a, b, has_attrs ? node.attr_f32(0) : 0, has_attrs ? node.attr_f32(1) : 0 });
    }

    // A position is cut to an integer within the bounds that it is read with.
    int32_t add_cast(int32_t id) {
        const Node &  node = node_of(id);
        const int32_t x    = step_of(node.operands[0]);
        if (node.dtype == Dtype::f32 || node_of(node.operands[0]).dtype == Dtype::i32) {
            return add({ Kind::same, node.dim == n, x });
        }
        const auto last = static_cast<float>(bound.row_limit[static_cast<size_t>(id)] - 1);
        return add({ Kind::floor, false, add({ Kind::clamp, false, x, -1, 0, last }) });
    }

    int32_t add_scan(int32_t x) {
        if (unsorted(x) != x) {
            return add({ Kind::scan, true, -1, x });
        }
        return add({ Kind::scan, true, add({ Kind::blocks, false, x }), x });
    }

    int32_t add_view(const Node & node) {
        const int32_t x        = step_of(node.operands[0]);
        const int32_t position = node.attrs[0] < 0 ? node.attrs[0] + n : node.attrs[0];
        const Step    read     = at(x);
        if (read.kind != Kind::scan || position != n - 1) {
            return add({ Kind::at, false, x, -1, 0, 0, 0, position });
        }
        // the last prefix sum is the sum
        return add({ Kind::same, false, read.a >= 0 ? read.a : add({ Kind::sum, false, unsorted(read.b) }) });
    }

    int32_t add_soft_max(const Node & node) {
        const float scale = node.attr_f32(0);
        int32_t     x     = step_of(node.operands[0]);
        if (scale != 1.0f) {
            x = add({ Kind::scale, true, x, -1, scale });
        }
        if (node.operand_count == 2) {
            x = add({ Kind::add, true, x, step_of(node.operands[1]) });
        }
        const int32_t powers = add({ Kind::power, true, x, add({ Kind::largest, false, unsorted(x) }) });
        return add({ Kind::mul, true, powers, add({ Kind::share, false, unsorted(powers) }) });
    }

    // The column as a whole, which is kept.
    int32_t stored(int32_t column) {
        for (size_t i = 0; i < program.steps.size(); ++i) {
            if (program.steps[i].kind == Kind::stored && program.steps[i].a == column) {
                return static_cast<int32_t>(i);
            }
        }
        at(column).is_kept = at(column).kind != Kind::given;
        return add({ Kind::stored, false, column });
    }

    // The same numbers in the vocabulary's order, for a reduction that is the same in any order; the column itself unless it is
    // computed from numbers, and columns in one order.
    int32_t unsorted(int32_t column) {
        int32_t order = -1;
        return is_of_one_order(column, order) && order >= 0 ? without_order(column) : column;
    }

    bool is_of_one_order(int32_t id, int32_t & order) const {
        const Step & s = at(id);
        if (!s.is_column || s.kind == Kind::fill) {
            return true;
        }
        if (s.kind == Kind::gather) {
            const bool is_same = order < 0 || order == s.b;
            order              = s.b;
            return is_same;
        }
        return is_elementwise(s.kind) && is_of_one_order(s.a, order) && (s.b < 0 || is_of_one_order(s.b, order));
    }

    int32_t without_order(int32_t id) {
        const Step s = at(id);
        if (!s.is_column || s.kind == Kind::fill) {
            return id;
        }
        if (s.kind == Kind::gather) {
            return at(s.a).a;
        }
        if (const auto known = twins.find(id); known != twins.end()) {
            return known->second;
        }
        Step twin        = s;
        twin.a           = without_order(s.a);
        twin.b           = s.b < 0 ? -1 : without_order(s.b);
        twin.level       = 0;
        twin.is_kept     = false;
        return twins[id] = add(twin);
    }

    // Columns first, so that they begin at round addresses.
    void add_outputs() {
        for (const bool column : { true, false }) {
            for (const int32_t id : program.nodes) {
                if (reads.is_output[static_cast<size_t>(id)] && is_column(id) == column) {
                    program.outputs.push_back(output_of(id));
                    program.numbers_per_row += node_of(id).dim;
                }
            }
        }
    }

    Output output_of(int32_t id) const {
        const int32_t step   = steps[static_cast<size_t>(id)];
        Output        output = { id, step, node_of(id).dim, node_of(id).dtype == Dtype::i32, program.numbers_per_row };
        output.level         = at(step).level;
        if (is_of_one_place(step)) {
            for (const int32_t place : reads.places[static_cast<size_t>(id)]) {
                output.places.push_back(steps[static_cast<size_t>(place)]);
                output.level = std::max(output.level, at(output.places.back()).level);
            }
        }
        return output;
    }

    // Whether each number depends on no other places of columns.
    bool is_of_one_place(int32_t id) const {
        const Step & s = at(id);
        if (!s.is_column || s.kind == Kind::given || s.kind == Kind::bits || s.kind == Kind::positions ||
            s.kind == Kind::fill) {
            return true;
        }
        return (s.kind == Kind::put || is_elementwise(s.kind)) && is_of_one_place(s.a) &&
               (s.b < 0 || is_of_one_place(s.b));
    }

    // A power or logarithm that is read in several levels.
    void find_kept() {
        std::vector<int32_t> level_of(program.steps.size(), -1);
        std::vector<bool>    is_read_again(program.steps.size());
        const auto           read = [&](int32_t column, int32_t level) {
            std::vector<bool> is_read(program.steps.size());
            is_read[static_cast<size_t>(column)] = true;
            for (int32_t id = column; id >= 0; --id) {
                const auto   i = static_cast<size_t>(id);
                const Step & s = program.steps[i];
                if (!is_read[i] || !s.is_column) {
                    continue;
                }
                is_read_again[i] = is_read_again[i] || (level_of[i] >= 0 && level_of[i] != level);
                level_of[i]      = level;
                for (const int32_t operand : { s.a, s.b }) {
                    if (operand >= 0) {
                        is_read[static_cast<size_t>(operand)] = true;
                    }
                }
            }
        };
        for (const Step & s : program.steps) {
            if (is_reduction(s.kind)) {
                read(s.a, s.level);
            } else if (s.kind == Kind::scan && s.a < 0) {
                read(s.b, s.level);
            }
        }
        for (const Output & output : program.outputs) {
            if (output.places.empty()) {
                read(output.step, at(output.step).level);
            }
        }
        for (size_t i = 0; i < program.steps.size(); ++i) {
            Step & s  = program.steps[i];
            s.is_kept = s.is_kept || (is_read_again[i] && is_expensive(s.kind));
        }
    }

    const BoundGraph &         bound;
    const std::vector<Node> &  nodes;
    const int32_t              n;
    const Reads &              reads;
    std::vector<int32_t>       steps; // of each node
    std::map<int32_t, int32_t> twins; // of a step, the same numbers in the vocabulary's order
    Program                    program;
};

} // namespace

Program make_program(const BoundGraph & bound, const std::vector<int32_t> & nodes, const Reads & reads) {
    return Maker(bound, reads).run(nodes);
}

} // namespace ggsl::fused
