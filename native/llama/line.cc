#include "line.h"

#include <algorithm>
#include <iterator>

namespace ggsl {

Line::Line(const Context & context, const Model & model, Ahead text, size_t number)
    : context(context), model(model), text(std::move(text)), number(number) {}

void Line::begin(const Batch & batch, Sampler & sampler) {
    const int32_t source = batch.source_of(text.sequence);
    for (size_t i = 0; i < batch.sequences.size() && i < batch.positions.size(); ++i) {
        position = batch.sequences[i] == source ? std::max(position, batch.positions[i]) : position;
    }
    text.feeder->feed(sampler);
}

void Line::begin_with(int32_t last, int32_t at) {
    token    = last;
    position = at - 1;
}

void Line::add_to(Batch & batch, Sampler & sampler, std::vector<Written> & found) {
    forced.clear();
    while (std::optional<Feeder::Forced> only = text.feeder->forced()) {
        const End  full = limit(1 + forced.size());
        const auto move = text.feeder->accept(only->token, only->scalars);
        if (move == Feeder::Move::stops) {
            break;
        }
        Written next{ .text       = number,
                      .token      = only->token,
                      .is_forced  = true,
                      .is_written = only->is_written,
                      .is_refused = move == Feeder::Move::refused,
                      .is_end     = model.is_end(only->token),
                      .scalars    = std::move(only->scalars) };
        if (!next.is_end) {
            next.said = text.feeder->read(model.piece(next.token, false));
        }
        const End why = next.is_end ? End::token : next.said->stop ? End::stop : full;
        forced.push_back(std::move(next));
        if (why != End::none) {
            end_with_forced(why, found);
            return;
        }
    }
    text.feeder->feed(sampler);
    batch.add(token, ++position, text.sequence, forced.empty() ? 1 : 0);
    for (size_t i = 0; i < forced.size(); ++i) {
        batch.add(forced[i].token, ++position, text.sequence, i + 1 == forced.size() ? 1 : 0);
    }
}

void Line::take(const Results & results, std::vector<Written> & found) {
    if (!goes_on() || results.sampled.empty()) {
        stop();
        return;
    }
    written += forced.size() + 1;
    std::move(forced.begin(), forced.end(), std::back_inserter(found));
    const auto in_place = text.feeder->written();
    token               = in_place.value_or(results.sampled[0]);
    const auto move     = moved(results.states);
    Written    next{ .text       = number,
                     .token      = token,
                     .is_forced  = in_place.has_value(),
                     .is_written = in_place.has_value(),
                     .is_refused = move == Feeder::Move::refused,
                     .is_end     = model.is_end(token),
                     .scalars    = results.states };
    if (move != Feeder::Move::stops && !next.is_end) {
        next.said = text.feeder->read(model.piece(token, false));
    }
    ended = move == Feeder::Move::stops    ? End::feeder
            : next.is_end                  ? End::token
            : next.said && next.said->stop ? End::stop
            : text.feeder->ended()         ? End::chain
                                           : limit(0);
    found.push_back(std::move(next));
}

// Tokens that end the text are not read.
void Line::end_with_forced(End why, std::vector<Written> & found) {
    for (Written & each : forced) {
        each.is_over = true;
        found.push_back(std::move(each));
    }
    ended = why;
}

// What ends it before so many tokens more and one that is picked.
Line::End Line::limit(size_t more) const {
    const size_t most = std::max(text.most, std::min(text.room, text.most + context.allowed_tokens()));
    if (written + more > most) {
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
