// Random and randomly damaged graphs: they may be rejected or give any result, but the process survives.
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/failure.h"
#include "llama/sampler.h"
#include "check.h"
#include "words.h"

#include <random>

namespace ggsl::test {

namespace {

class Generator {
public:
    explicit Generator(uint32_t seed) : random(seed) {}

    int32_t below(int32_t n) { return static_cast<int32_t>(random() % static_cast<uint32_t>(n)); }

    // Valid, and damaged in half of the cases.
    std::vector<int32_t> graph() {
        words = Words();
        nodes.clear();
        words.uniforms = 2;
        words.inputs   = { 0, V, 0, 1, 3, 0, 0, 3, 0, 0, V, 1 };
        note(words.the_logits(), Dtype::f32, V);
        note(words.i32(OpId::input, 3, {}, { 1, 1, 3 }), Dtype::i32, 3);
        note(words.f32(OpId::input, V, {}, { 3, 0, V }), Dtype::f32, V);
        for (int32_t count = 1 + below(40); count > 0; --count) {
            const Words before = words;
            add_node();
            if (!is_valid()) {
                words = before;
                nodes.pop_back();
            }
        }
        for (int32_t node = 0; node < words.node_count; ++node) {
            offer_as_output(node);
        }
        std::vector<int32_t> result = words.finish();
        if (below(2) == 0) {
            for (int32_t damage = below(3); damage >= 0; --damage) {
                result[static_cast<size_t>(below(static_cast<int32_t>(result.size())))] = odd_word();
            }
        }
        return result;
    }

    float number() {
        constexpr float numbers[] = { 0.0f, 1.0f, -1.0f, 0.5f, 3.0f, -1e30f, 3.4e38f, -3.4e38f, 1e-40f };
        return numbers[below(9)];
    }

private:
    struct Value {
        Dtype   dtype;
        int32_t dim;
    };

    void note(int32_t node, Dtype dtype, int32_t dim) {
        CHECK(static_cast<size_t>(node) == nodes.size(), "numbering");
        nodes.push_back({ dtype, dim });
    }

    bool is_valid() const {
        const std::vector<int32_t> wire = words.finish();
        try {
            bind_graph(decode_wire(wire.data(), wire.size()), 40);
            return true;
        } catch (const Failure &) {
            return false;
        }
    }

    int32_t some_dim() {
        constexpr int32_t dims[] = { V, V, 1, 2, 3 };
        return dims[below(5)];
    }

    int32_t odd_word() {
        constexpr int32_t odd[] = { 0, -1, 1, 2, 5, 100, INT32_MAX, INT32_MIN, 1 << 24, 65536 };
        return below(2) == 0 ? odd[below(10)] : static_cast<int32_t>(random());
    }

    // A random node of that dtype and dim; any node if a few tries find none.
    int32_t operand(OperandDtype dtype, int32_t dim) {
        int32_t found = 0;
        for (int i = 0; i < 30; ++i) {
            found              = below(words.node_count);
            const Value & node = nodes[static_cast<size_t>(found)];
            const bool fits = dtype == OperandDtype::any || (dtype == OperandDtype::i32) == (node.dtype == Dtype::i32);
            if (fits && (dim == 0 || node.dim == dim)) {
                break;
            }
        }
        return found;
    }

    int32_t attr(const Attr & rule, int32_t dim) {
        switch (rule.kind) {
            case AttrKind::f32:     return bits(below(20) == 0 ? INFINITY : number());
            case AttrKind::integer: return below(8) == 0 ? odd_word() : below(5) - 2;
            case AttrKind::count:   return dim;
            case AttrKind::choice:  return below(rule.choices);
        }
        return 0;
    }

    void add_node() {
        const auto    id   = static_cast<size_t>(below(static_cast<int32_t>(op_table().size())));
        const Op &    op   = op_table()[id];
        const int32_t rows = some_dim();

        std::vector<int32_t> operands, attrs;
        for (const Operand & rule : std::span(op.operands, static_cast<size_t>(op.operand_count))) {
            if (!rule.optional || below(2) == 0) {
                const bool same = rule.dim == OperandDim::rows || (rule.dim == OperandDim::broadcast && below(2) == 0);
                const bool one  = rule.dim == OperandDim::scalar || (rule.dim == OperandDim::broadcast && !same);
                operands.push_back(operand(rule.dtype, same ? rows : one ? 1 : 0));
            }
        }
        for (const Attr & rule : std::span(op.attrs, static_cast<size_t>(op.attr_count))) {
            attrs.push_back(attr(rule, rows));
        }

        const auto value_of = [&](int32_t i) { return nodes[static_cast<size_t>(operands[static_cast<size_t>(i)])]; };
        const auto dtype =
            static_cast<Dtype>(op.dtype.apply(attrs.data(), [&](int32_t i) { return value_of(i).dtype; }));
        const int32_t dim = op.dim.apply(attrs.data(), [&](int32_t i) { return value_of(i).dim; });
        words.nodes.insert(words.nodes.end(), { static_cast<int32_t>(id), static_cast<int32_t>(dtype), dim,
                                                static_cast<int32_t>(operands.size()) });
        words.nodes.insert(words.nodes.end(), operands.begin(), operands.end());
        words.nodes.insert(words.nodes.end(), attrs.begin(), attrs.end());
        note(words.node_count++, dtype, dim);
    }

    void offer_as_output(int32_t node) {
        const auto [dtype, dim] = nodes[static_cast<size_t>(node)];
        if (dtype == Dtype::i32 && dim == 1 && below(2) == 0) {
            words.sampled = node;
        } else if (dtype == Dtype::f32 && dim == V) {
            (below(2) == 0 ? words.logits : words.probs) = node;
        } else if (dtype == Dtype::f32 && dim == 1 && words.states.size() < 3) {
            words.states.push_back(node);
        }
    }

    std::mt19937       random;
    Words              words;
    std::vector<Value> nodes;
};

bool try_run(Generator & generator, const std::vector<int32_t> & words) {
    constexpr int32_t sizes[] = { 1, 2, 3, 5, 40, 600 }; // from 512 on, the CPU fuses
    const int32_t     size    = sizes[generator.below(6)];
    const int64_t     rows    = 1 + 2 * generator.below(2);
    try {
        const Graph graph   = decode_wire(words.data(), words.size());
        auto        sampler = Sampler(std::make_shared<SamplerGroup>(std::make_shared<Graph>(graph), size, 2),
                                      std::make_shared<SamplerCounters>(), 0, Role::picks);
        sampler.backend_init(ggml_backend_dev_buffer_type(device_by_name("CPU")));

        Evaluator          evaluator(graph, size, rows, device_by_name("CPU"), 1 + generator.below(2));
        const auto         count = static_cast<size_t>(rows);
        std::vector<float> logits(static_cast<size_t>(size) * count),
            uniforms(static_cast<size_t>(graph.uniform_count) * count);
        for (auto * values : { &logits, &uniforms }) {
            for (float & value : *values) {
                value = generator.number();
            }
        }
        const size_t         dim = static_cast<size_t>(std::min(3, size)) * count;
        std::vector<int32_t> ids(dim, 0);
        std::vector<float>   column(dim, 1.0f);
        std::vector<float>   guide(logits.size(), 1.0f);
        evaluator.run({ logits,
                        uniforms,
                        { std::monostate(), std::span<const int32_t>(ids), std::span<const float>(column),
                          std::span<const float>(guide) } });
        return true;
    } catch (const Failure &) {
        return false;
    }
}

} // namespace

void test_fuzz() {
    // for more of them: GGSL_FUZZ_GRAPHS=100000 npm run build:native -- --sanitize
    const char * wanted = std::getenv("GGSL_FUZZ_GRAPHS");
    const int    graphs = wanted == nullptr ? 6000 : std::atoi(wanted);
    CHECK(graphs > 0, "GGSL_FUZZ_GRAPHS: expected a number from 1 on, found %s", wanted);
    int ran = 0;
    for (int i = 0; i < graphs; ++i) {
        Generator generator(static_cast<uint32_t>(i));
        ran += try_run(generator, generator.graph()) ? 1 : 0;
    }
    std::printf("fuzz: %d of %d graphs ran\n", ran, graphs);
    CHECK(ran > graphs / 4, "too few random graphs are valid to test anything");
}

} // namespace ggsl::test
