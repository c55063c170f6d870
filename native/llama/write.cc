// Context::write: decodes that go on with what the chains pick.
#include "line.h"

namespace ggsl {

namespace {

// The tokens of a text for the next batch. Where that fails, who goes on with the text gets the failure.
void add(Line & line, Batch & batch, Sampler & sampler, std::vector<Written> & found) {
    try {
        line.add_to(batch, sampler, found);
    } catch (const Failure &) {
        line.stop();
    }
}

// Gives the texts what is theirs of the outputs, and leaves the others.
void take(std::vector<Output> & outputs, std::vector<Line> & lines, std::vector<Written> & found) {
    std::erase_if(outputs, [&](const Output & output) {
        bool is_taken = false;
        for (Line & line : lines) {
            if (line.sequence() == output.sequence) {
                line.take(output.results, found);
                is_taken = true;
            }
        }
        return is_taken;
    });
}

} // namespace

std::vector<Output> Context::write(const Batch & first, const std::vector<Ahead> & texts,
                                   const std::function<void(const std::vector<Written> &)> & on_tokens) {
    std::vector<Line> lines;
    lines.reserve(texts.size());
    Batch                batch = first;
    std::vector<Written> found;
    for (size_t i = 0; i < texts.size(); ++i) {
        Line & line = lines.emplace_back(*this, *model, texts[i], i);
        if (texts[i].last < 0) {
            line.begin(first, sampler(texts[i].sequence));
        }
    }
    for (size_t i = 0; i < texts.size(); ++i) {
        if (texts[i].last >= 0) {
            lines[i].begin_with(texts[i].last, texts[i].position);
            add(lines[i], batch, sampler(texts[i].sequence), found);
        }
    }
    std::vector<Output> others;
    for (bool is_first = true; !batch.tokens.empty(); is_first = false) {
        std::vector<Output> outputs = decode(batch);
        take(outputs, lines, found);
        if (is_first) {
            others = std::move(outputs);
        }
        on_tokens(found);
        found.clear();
        if (pause_requested) {
            return others;
        }
        batch = Batch();
        for (size_t i = 0; i < texts.size(); ++i) {
            if (lines[i].goes_on()) {
                add(lines[i], batch, sampler(texts[i].sequence), found);
            }
        }
    }
    if (!found.empty()) {
        on_tokens(found);
    }
    return others;
}

} // namespace ggsl
