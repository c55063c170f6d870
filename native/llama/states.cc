#include "states.h"

#include "graph/failure.h"

#include <algorithm>
#include <vector>

namespace ggsl {

namespace {

std::vector<uint8_t> state_of(llama_context * context, int32_t sequence) {
    std::vector<uint8_t> state(llama_state_seq_get_size(context, sequence));
    if (llama_state_seq_get_data(context, state.data(), state.size(), sequence) != state.size()) {
        fail(code::compute_failed, "llama.cpp cannot copy the tokens of sequence %d", sequence);
    }
    return state;
}

void give_state(llama_context * context, int32_t sequence, const std::vector<uint8_t> & state) {
    if (llama_state_seq_set_data(context, state.data(), state.size(), sequence) != state.size()) {
        fail(code::compute_failed, "llama.cpp cannot copy tokens to sequence %d", sequence);
    }
}

// A state has a mark, the sequence, how many caches there are, and for each of them the number of its cells; the cells follow where
// there are some. All numbers have four bytes.
constexpr size_t word  = 4;
constexpr size_t words = 3;

// The state of a sequence with a cache of its own, as that of the same sequence in one cache for all.
std::vector<uint8_t> as_in_one_cache(const std::vector<uint8_t> & state, int32_t sequence, size_t caches) {
    const auto begin = state.begin();
    const auto at    = words * word + word * static_cast<size_t>(sequence);
    const auto after = word * (caches - 1 - static_cast<size_t>(sequence));
    if (state.size() < at + word + after) {
        fail(code::compute_failed, "llama.cpp's state of sequence %d has %zu bytes", sequence, state.size());
    }
    std::vector<uint8_t> one(begin, begin + (words - 1) * word);
    const uint32_t       single = 1;
    const auto * const   bytes  = reinterpret_cast<const uint8_t *>(&single);
    one.insert(one.end(), bytes, bytes + word);
    one.insert(one.end(), begin + static_cast<ptrdiff_t>(at), state.end() - static_cast<ptrdiff_t>(after));
    return one;
}

} // namespace

void copy_sequence(llama_context * context, int32_t from, int32_t to) {
    give_state(context, to, state_of(context, from));
}

void swap_sequences(llama_context * context, int32_t a, int32_t b) {
    const llama_memory_t memory = llama_get_memory(context);
    const auto           held   = [&](int32_t sequence) {
        return llama_memory_seq_pos_max(memory, sequence) < 0 ? std::vector<uint8_t>() : state_of(context, sequence);
    };
    const std::vector<uint8_t> of_a = held(a);
    const std::vector<uint8_t> of_b = held(b);
    for (const int32_t sequence : { a, b }) {
        llama_memory_seq_rm(memory, sequence, -1, -1);
    }
    if (!of_a.empty()) {
        give_state(context, b, of_a);
    }
    if (!of_b.empty()) {
        give_state(context, a, of_b);
    }
}

void copy_sequences(llama_context * from, bool is_shared, llama_context * to, bool becomes_shared) {
    if (is_shared == becomes_shared) {
        std::vector<uint8_t> state(llama_state_get_size(from));
        if (llama_state_get_data(from, state.data(), state.size()) != state.size() ||
            llama_state_set_data(to, state.data(), state.size()) != state.size()) {
            fail(code::compute_failed, "llama.cpp cannot copy the sequences to another context");
        }
        return;
    }
    const auto count = static_cast<int32_t>(llama_n_seq_max(from));
    for (int32_t sequence = 0; sequence < count; ++sequence) {
        if (llama_memory_seq_pos_max(llama_get_memory(from), sequence) >= 0) {
            give_state(to, sequence, as_in_one_cache(state_of(from, sequence), sequence, static_cast<size_t>(count)));
        }
    }
}

} // namespace ggsl
