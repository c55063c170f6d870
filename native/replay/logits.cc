#include "logits.h"

#include <random>

namespace ggsl::tools {

void fill_logits(Case & c) {
    if (!c.made) {
        return;
    }
    std::mt19937                           random(c.made->seed);
    std::normal_distribution<float>        noise(0.0f, c.made->is_flat ? 1.0f : 2.0f);
    std::uniform_int_distribution<int32_t> any_token(0, c.bound.vocab_size - 1);

    c.logits.resize(static_cast<size_t>(c.rows) * static_cast<size_t>(c.bound.vocab_size));
    for (int64_t row = 0; row < c.rows; ++row) {
        float * logits = c.logits.data() + row * c.bound.vocab_size;
        for (int32_t token = 0; token < c.bound.vocab_size; ++token) {
            logits[token] = noise(random);
        }
        for (int peak = 0; !c.made->is_flat && peak < 8; ++peak) {
            logits[any_token(random)] = 12.0f + static_cast<float>(peak);
        }
    }
}

} // namespace ggsl::tools
