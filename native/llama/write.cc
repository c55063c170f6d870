// Context::write: decodes that go on with what the chains pick.
#include "context.h"

#include <algorithm>

namespace ggsl {

void Context::write(const Batch & first, const std::vector<Ahead> & texts,
                    const std::function<void(const std::vector<int32_t> &)> & on_tokens) {
    constexpr int32_t    none = -1;
    std::vector<int32_t> positions;
    for (const Ahead & text : texts) {
        sampler(text.sequence);
        int32_t last = none;
        for (size_t i = 0; i < first.sequences.size() && i < first.positions.size(); ++i) {
            last = first.sequences[i] == text.sequence ? std::max(last, first.positions[i]) : last;
        }
        positions.push_back(last);
    }
    std::vector<int32_t> tokens(texts.size(), none);
    std::vector<bool>    goes_on(texts.size(), true);
    Batch                batch = first;
    for (size_t step = 0;; ++step) {
        std::fill(tokens.begin(), tokens.end(), none);
        for (const Output & output : decode(batch)) {
            for (size_t i = 0; i < texts.size(); ++i) {
                if (texts[i].sequence == output.sequence && !output.results.sampled.empty()) {
                    tokens[i] = output.results.sampled[0];
                }
            }
        }
        on_tokens(tokens);
        batch = Batch();
        for (size_t i = 0; i < texts.size(); ++i) {
            const Ahead & text = texts[i];
            goes_on[i]         = goes_on[i] && tokens[i] >= 0 && step < text.most && !model->is_end(tokens[i]) &&
                         positions[i] + 1 < sequence_size();
            if (!goes_on[i]) {
                continue;
            }
            const size_t size  = text.uniforms.size() / text.most;
            const auto   begin = text.uniforms.begin() + static_cast<ptrdiff_t>(step * size);
            sampler(text.sequence).set_uniforms({ begin, begin + static_cast<ptrdiff_t>(size) });
            batch.add(tokens[i], ++positions[i], text.sequence, 1);
        }
        if (batch.tokens.empty() || pause_requested) {
            return;
        }
    }
}

} // namespace ggsl
