#include "line.h"

#include <algorithm>

namespace ggsl {

Line::Line(const Context & context, const Model & model, Ahead text, size_t number)
    : context(context), model(model), text(std::move(text)), number(number) {}

void Line::begin(const Batch & batch, Sampler & sampler) {
    for (size_t i = 0; i < batch.sequences.size() && i < batch.positions.size(); ++i) {
        position = batch.sequences[i] == text.sequence ? std::max(position, batch.positions[i]) : position;
    }
    text.feeder->feed(sampler);
}

void Line::begin_with(int32_t last, int32_t at) {
    token    = last;
    position = at - 1;
}

void Line::add_to(Batch & batch, Sampler & sampler, std::vector<Written> & found) {
    forced.clear();
    while (limit(1 + forced.size()) == End::none) {
        const std::optional<int32_t> only = text.feeder->only_token();
        if (only && model.is_end(*only)) {
            forced.push_back(*only);
            for (const int32_t each : forced) {
                found.push_back({ number, each, true, false, true, {} });
            }
            ended = End::token;
            return;
        }
        if (!only || text.feeder->accept(*only, {}) != Feeder::Move::goes_on) {
            break;
        }
        forced.push_back(*only);
    }
    text.feeder->feed(sampler);
    batch.add(token, ++position, text.sequence, forced.empty() ? 1 : 0);
    for (size_t i = 0; i < forced.size(); ++i) {
        batch.add(forced[i], ++position, text.sequence, i + 1 == forced.size() ? 1 : 0);
    }
}

void Line::take(const Results & results, std::vector<Written> & found) {
    if (!goes_on() || results.sampled.empty()) {
        stop();
        return;
    }
    for (const int32_t each : forced) {
        found.push_back({ number, each, true, false, false, {} });
    }
    written += forced.size() + 1;
    token           = results.sampled[0];
    const auto move = moved(results.states);
    found.push_back({ number, token, false, move == Feeder::Move::refused, false, results.states });
    ended = move == Feeder::Move::stops ? End::feeder : model.is_end(token) ? End::token : limit(0);
}

// What ends it before so many tokens more and one that is picked.
Line::End Line::limit(size_t more) const {
    if (written + more > text.most) {
        return End::count;
    }
    return position + static_cast<int32_t>(more) + 1 < context.sequence_size() ? End::none : End::context;
}

Feeder::Move Line::moved(const std::vector<float> & scalars) {
    try {
        return text.feeder->accept(token, scalars);
    } catch (const Failure & failure) { // who goes on with the text gets it
        failed = failure;
        return Feeder::Move::stops;
    }
}

} // namespace ggsl
