#include "bits.h"

#include "columns.h"
#include "failure.h"

#include <map>
#include <mutex>
#include <vector>

namespace ggsl {

namespace {

constexpr int64_t word_count = int64_t{ max_word } + 1;

std::vector<float> all_words() {
    std::vector<float> bits(static_cast<size_t>(word_count * word_bits));
    for (size_t i = 0; i < bits.size(); ++i) {
        bits[i] = (i / word_bits >> i % word_bits & 1) != 0 ? 1.0f : 0.0f;
    }
    return bits;
}

} // namespace

BitTable::BitTable(ggml_backend_buffer_type_t type) : context(ggml_init({ ggml_tensor_overhead(), nullptr, true })) {
    if (!context) {
        fail(code::out_of_memory, "no memory for a table of bits");
    }
    table = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, word_bits, word_count);
    ggml_set_name(table, "bits");
    buffer.reset(ggml_backend_buft_alloc_buffer(type, ggml_backend_buft_get_alloc_size(type, table)));
    if (!buffer) {
        fail(code::out_of_memory, "no memory for a table of bits on %s", ggml_backend_buft_name(type));
    }
    ggml_backend_tensor_alloc(buffer.get(), table, ggml_backend_buffer_get_base(buffer.get()));
    ggml_backend_tensor_set(table, all_words().data(), 0, ggml_nbytes(table));
}

std::shared_ptr<BitTable> bit_table(ggml_backend_buffer_type_t type, size_t & uploaded) {
    static std::mutex                                                    mutex;
    static std::map<ggml_backend_buffer_type_t, std::weak_ptr<BitTable>> tables;
    const std::lock_guard                                                lock(mutex);
    std::weak_ptr<BitTable> &                                            known = tables[type];
    std::shared_ptr<BitTable>                                            table = known.lock();
    if (!table) {
        table = std::make_shared<BitTable>(type);
        known = table;
        uploaded += ggml_nbytes(table->tensor());
    }
    return table;
}

ggml_tensor * bits_by_table(Builder & b, ggml_tensor * words, int64_t n) {
    ggml_tensor * table = b.columns == nullptr ? nullptr : b.columns->bits();
    if (table == nullptr) {
        table = b.made(ggml_new_tensor_2d(b.context, GGML_TYPE_F32, word_bits, word_count));
        ggml_set_input(table);
    }
    const int64_t padded = words->ne[0] * word_bits;
    ggml_tensor * list   = b.rows == 1 ? words : b.made(ggml_reshape_1d(b.context, words, ggml_nelements(words)));
    ggml_tensor * bits   = b.column(b.made(ggml_get_rows(b.context, table, list)), padded);
    return padded == n ? bits : b.made(ggml_view_2d(b.context, bits, n, b.rows, bits->nb[1], 0));
}

} // namespace ggsl
