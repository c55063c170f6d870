// Context::write: decodes that go on with what the chains pick.
#include "line.h"

namespace ggsl {

void Context::write(const Batch & first, const std::vector<Ahead> & texts,
                    const std::function<void(const std::vector<Written> &)> & on_tokens) {
    std::vector<Line> lines;
    lines.reserve(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
        lines.emplace_back(*this, *model, texts[i], i);
        lines.back().begin(first, sampler(texts[i].sequence));
    }
    Batch                batch = first;
    std::vector<Written> found;
    for (;;) {
        for (const Output & output : decode(batch)) {
            for (Line & line : lines) {
                if (line.sequence() == output.sequence) {
                    line.take(output.results, found);
                }
            }
        }
        on_tokens(found);
        if (pause_requested) {
            return;
        }
        found.clear();
        batch = Batch();
        for (size_t i = 0; i < texts.size(); ++i) {
            Line & line = lines[i];
            if (!line.goes_on()) {
                continue;
            }
            try {
                line.add_to(batch, sampler(texts[i].sequence), found);
            } catch (const Failure &) { // who goes on with the text gets it
                line.stop();
            }
        }
        if (batch.tokens.empty()) {
            if (!found.empty()) {
                on_tokens(found);
            }
            return;
        }
    }
}

} // namespace ggsl
