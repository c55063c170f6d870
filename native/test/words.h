// Writes wire graphs by hand.
#pragma once

#include "graph/ops.h"

#include <cstring>
#include <initializer_list>

namespace ggsl::test {

inline int32_t bits(float value) {
    int32_t word;
    std::memcpy(&word, &value, sizeof(word));
    return word;
}

constexpr int32_t V = dim_vocabulary;

struct Words {
    int32_t              uniforms = 0;
    std::vector<int32_t> inputs   = { 0, V, 0 }; // (dtype, dim, whether it is a guide)
    std::vector<int32_t> states;
    std::vector<int32_t> nodes;
    int32_t              node_count = 0;
    int32_t              sampled = -1, candidates = -1, logits = -1, probs = -1;

    int32_t add(OpId op, Dtype dtype, int32_t dim, std::initializer_list<int32_t> operands = {},
                std::initializer_list<int32_t> attrs = {}) {
        nodes.insert(nodes.end(), { static_cast<int32_t>(op), static_cast<int32_t>(dtype), dim,
                                    static_cast<int32_t>(operands.size()) });
        nodes.insert(nodes.end(), operands);
        nodes.insert(nodes.end(), attrs);
        return node_count++;
    }

    int32_t f32(OpId op, int32_t dim, std::initializer_list<int32_t> operands = {},
                std::initializer_list<int32_t> attrs = {}) {
        return add(op, Dtype::f32, dim, operands, attrs);
    }

    int32_t i32(OpId op, int32_t dim, std::initializer_list<int32_t> operands = {},
                std::initializer_list<int32_t> attrs = {}) {
        return add(op, Dtype::i32, dim, operands, attrs);
    }

    int32_t the_logits() { return f32(OpId::input, V, {}, { 0, 0, V }); }

    int32_t uniform() {
        const int32_t index = uniforms++;
        return f32(OpId::uniform, 1, {}, { index });
    }

    std::vector<int32_t> finish() const {
        std::vector<int32_t> words = { wire_magic,
                                       wire_version,
                                       uniforms,
                                       static_cast<int32_t>(inputs.size() / 3),
                                       static_cast<int32_t>(states.size()),
                                       0,
                                       node_count,
                                       sampled,
                                       candidates,
                                       logits,
                                       probs };
        for (const auto * part : { &inputs, &states, &nodes }) {
            words.insert(words.end(), part->begin(), part->end());
        }
        return words;
    }
};

} // namespace ggsl::test
