// Packed inputs: the words of each row become numbers 0 and 1, by the kernel of the CPU and by the table of other devices.
#include "graph/backend.h"
#include "graph/columns.h"
#include "graph/evaluate.h"
#include "graph/failure.h"
#include "check.h"
#include "words.h"

#include <random>

namespace ggsl::test {

namespace {

// logits * bits + bits: both nodes read the same input, and none may overwrite it.
Graph packed_graph() {
    Words words;
    words.inputs.insert(words.inputs.end(), { 0, V, 3 });
    const int32_t mask              = words.f32(OpId::input, V, {}, { 1, 0, V });
    const int32_t again             = words.f32(OpId::input, V, {}, { 1, 0, V });
    const int32_t kept              = words.f32(OpId::mul, V, { words.the_logits(), mask });
    words.logits                    = words.f32(OpId::add, V, { kept, again });
    const std::vector<int32_t> wire = words.finish();
    return decode_wire(wire.data(), wire.size());
}

void check_rows(int32_t size, int64_t rows, Family family) {
    std::mt19937  random(static_cast<uint32_t>(size));
    Evaluator     evaluator(packed_graph(), size, rows, device_by_name("CPU"), 2, family);
    const int32_t count = (size + word_bits - 1) / word_bits;
    for (int run = 0; run < 2; ++run) {
        std::vector<float> logits(static_cast<size_t>(size * rows));
        for (float & logit : logits) {
            logit = static_cast<float>(random() % 1000);
        }
        // bits beyond the vocabulary mean nothing
        std::vector<int32_t> words(static_cast<size_t>(count * rows));
        for (int32_t & word : words) {
            word = static_cast<int32_t>(random() % (max_word + 1));
        }
        words[0]              = max_word;
        const Results results = evaluator.run({ logits, {}, { {}, std::span<const int32_t>(words) } });
        for (int64_t row = 0; row < rows; ++row) {
            for (int32_t token = 0; token < size; ++token) {
                const auto  i        = static_cast<size_t>(row * size + token);
                const int   word     = words[static_cast<size_t>(row * count + token / 16)];
                const bool  is_set   = (word >> token % 16 & 1) != 0;
                const float expected = is_set ? logits[i] + 1.0f : 0.0f;
                CHECK(results.logits[i] == expected, "%s, token %d of %d in row %lld: %g, expected %g",
                      family_name(family), token, size, static_cast<long long>(row),
                      static_cast<double>(results.logits[i]), static_cast<double>(expected));
            }
        }
    }
}

void check_refused(std::vector<int32_t> words) {
    Evaluator                evaluator(packed_graph(), 20, 1, device_by_name("CPU"), 1);
    const std::vector<float> logits(20);
    try {
        evaluator.run({ logits, {}, { {}, std::span<const int32_t>(words) } });
    } catch (const Failure & failure) {
        CHECK(std::string(failure.code) == code::invalid_argument, "%s", failure.what());
        return;
    }
    CHECK(false, "%zu words were accepted", words.size());
}

} // namespace

void test_bits() {
    for (const Family family : { Family::cpu, Family::other }) {
        for (const int32_t size : { 1, 15, 16, 17, 48, 1000 }) {
            check_rows(size, 1, family);
            check_rows(size, 3, family);
        }
    }
    check_refused({ 0 });
    check_refused({ 0, 65536 });
    check_refused({ -1, 0 });

    // one table for all graphs on a device
    auto *     type     = ggml_backend_dev_buffer_type(device_by_name("CPU"));
    size_t     uploaded = 0;
    const auto first    = bit_table(type, uploaded);
    CHECK(bit_table(type, uploaded) == first, "a second table");
    CHECK(uploaded == ggml_nbytes(first->tensor()), "%zu bytes were uploaded", uploaded);
}

} // namespace ggsl::test
