// Tests of the C++ core: ggsl_test FOLDER_OF_LIBRARIES, run in the repository's root, which has the demo model.
#include "graph/backend.h"
#include "check.h"

int main(int count, char ** arguments) {
    CHECK(count == 2, "usage: ggsl_test FOLDER_OF_LIBRARIES");
    ggsl::capture_logs();
    ggsl::load_backends(arguments[1]);
    ggsl::test::test_ops();
    ggsl::test::test_bundles();
    ggsl::test::test_kernels();
    ggsl::test::test_sorter();
    ggsl::test::test_ranges();
    ggsl::test::test_wire();
    ggsl::test::test_columns();
    ggsl::test::test_bits();
    ggsl::test::test_runs();
    ggsl::test::test_cases();
    ggsl::test::test_fuzz();
    ggsl::test::test_automaton();
    ggsl::test::test_automaton_calls();
    ggsl::test::test_automaton_threads();
    ggsl::test::test_host();
    ggsl::test::test_grammar("examples/model/demo-q8_0.gguf");
    ggsl::test::test_rows("examples/model/demo-q8_0.gguf");
    std::puts("all C++ tests passed");
    return 0;
}
