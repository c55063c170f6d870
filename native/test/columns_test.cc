// Columns of constant inputs: given with the graph, on the device for every run and every row.
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "check.h"
#include "words.h"

#include <cmath>

namespace ggsl::test {

namespace {

constexpr int32_t size = 4;

Column column(std::vector<float> values) {
    return { std::make_shared<const std::vector<float>>(std::move(values)) };
}

// logits * a + b, with two constant inputs. Reading a twice must not let a node overwrite it.
Graph two_columns() {
    Words words;
    words.inputs.insert(words.inputs.end(), { 0, V, 2, 0, V, 2 });
    const int32_t a                 = words.f32(OpId::input, V, {}, { 1, 0, V });
    const int32_t again             = words.f32(OpId::input, V, {}, { 1, 0, V });
    const int32_t b                 = words.f32(OpId::input, V, {}, { 2, 0, V });
    const int32_t twice             = words.f32(OpId::scale, V, { again }, { bits(2.0f), bits(0.0f) });
    const int32_t left              = words.f32(OpId::mul, V, { words.the_logits(), a });
    words.logits                    = words.f32(OpId::add, V, { words.f32(OpId::add, V, { left, b }), twice });
    const std::vector<int32_t> wire = words.finish();
    return decode_wire(wire.data(), wire.size());
}

void check_rows(int64_t rows) {
    Graph graph   = two_columns();
    graph.columns = { column({ 1, 0, 1, 0 }), column({ 0, 10, 20, 30 }) };
    Evaluator evaluator(graph, size, rows, device_by_name("CPU"), 1);
    for (int run = 0; run < 3; ++run) {
        std::vector<float> logits;
        for (int64_t i = 0; i < rows * size; ++i) {
            logits.push_back(static_cast<float>(i + 100 * run));
        }
        const Results results = evaluator.run({ logits, {}, { {}, {}, {} } });
        for (size_t i = 0; i < logits.size(); ++i) {
            const size_t token    = i % size;
            const float  mask     = token % 2 == 0 ? 1.0f : 0.0f;
            const float  expected = logits[i] * mask + 10.0f * static_cast<float>(token) + 2.0f * mask;
            CHECK(results.logits[i] == expected, "row %zu, run %d: %g, expected %g", i / size, run,
                  static_cast<double>(results.logits[i]), static_cast<double>(expected));
        }
    }
}

} // namespace

void test_columns() {
    check_rows(1);
    check_rows(3);

    Graph                    graph  = two_columns();
    const std::vector<float> logits = { 1, 2, 3, 4 };
    Evaluator                looked(graph, size, 1, device_by_name("CPU"), 1);
    check_fails("a run without columns", [&] { looked.run({ logits, {}, { {}, {}, {} } }); });
    const auto open = [&](std::vector<Column> columns) {
        graph.columns = std::move(columns);
        Evaluator(graph, size, 1, device_by_name("CPU"), 1);
    };
    check_fails("one column of two", [&] { open({ column({ 1, 2, 3, 4 }) }); });
    check_fails("a short column", [&] { open({ column({ 1, 2, 3, 4 }), column({ 1, 2, 3 }) }); });
    check_fails("a NaN", [&] { open({ column({ 1, 2, 3, 4 }), column({ 1, 2, 3, NAN }) }); });

    // equal columns are equal, wherever they lie: sequences with equal chains share one subgraph
    Graph other   = two_columns();
    graph.columns = { column({ 1, 0, 1, 0 }), column({ 1, 1, 1, 1 }) };
    other.columns = { column({ 1, 0, 1, 0 }), column({ 1, 1, 1, 1 }) };
    CHECK(graph == other, "equal columns");
    other.columns[1] = column({ 1, 1, 1, 0 });
    CHECK(!(graph == other), "different columns");
}

} // namespace ggsl::test
