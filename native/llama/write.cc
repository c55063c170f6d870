// Context::write: decodes that go on with what the chains pick.
#include "graph/failure.h"
#include "context.h"

#include <algorithm>
#include <iterator>

namespace ggsl {

namespace {

// A text, and what the next batch reads of it.
class Line {
public:
    Line(const Context & context, const Model & model, const Ahead & text, size_t number,
         const std::atomic<size_t> & allowed)
        : context(context), model(model), text(text), number(number), allowed(allowed) {}

    // The last token that it has in the first batch, and what the chain gets for the next one. Throws Failure.
    void begin(const Batch & batch, Sampler & sampler) {
        for (size_t i = 0; i < batch.sequences.size() && i < batch.positions.size(); ++i) {
            position = batch.sequences[i] == text.sequence ? std::max(position, batch.positions[i]) : position;
        }
        text.feeder->feed(sampler);
    }

    bool is_of(int32_t sequence) const { return text.sequence == sequence; }
    bool goes_on() const { return is_on; }
    void stop() { is_on = false; }

    // Adds the token that was picked last, and those that can only follow; `found` gets those of a text that ends with them. Throws
    // Failure.
    void add_to(Batch & batch, Sampler & sampler, std::vector<Written> & found) {
        forced.clear();
        while (has_room(1 + forced.size())) {
            const std::optional<int32_t> only = text.feeder->only_token();
            if (!only) {
                break;
            }
            Written next{ .text = number, .token = *only, .is_forced = true, .is_end = model.is_end(*only) };
            if (!next.is_end) {
                if (text.feeder->accept(*only, {}) != Feeder::Move::goes_on) {
                    break;
                }
                next.said = text.feeder->read(model.piece(*only, false));
            }
            forced.push_back(std::move(next));
            if (forced.back().is_end || forced.back().said->stop) {
                end_with_forced(found);
                return;
            }
        }
        text.feeder->feed(sampler);
        batch.add(token, ++position, text.sequence, forced.empty() ? 1 : 0);
        for (size_t i = 0; i < forced.size(); ++i) {
            batch.add(forced[i].token, ++position, text.sequence, i + 1 == forced.size() ? 1 : 0);
        }
    }

    void take(const Results & results, std::vector<Written> & found) {
        if (!is_on || results.sampled.empty()) {
            is_on = false;
            return;
        }
        written += forced.size() + 1;
        std::move(forced.begin(), forced.end(), std::back_inserter(found));
        token           = results.sampled[0];
        const auto move = moved(results.states);
        Written    next{ .text       = number,
                         .token      = token,
                         .is_refused = move == Feeder::Move::refused,
                         .is_end     = model.is_end(token),
                         .scalars    = results.states };
        if (move != Feeder::Move::stops && !next.is_end) {
            next.said = text.feeder->read(model.piece(token, false));
        }
        is_on = next.said && !next.said->stop && !text.feeder->ended() && has_room(0);
        found.push_back(std::move(next));
    }

private:
    // Tokens that end the text are not read.
    void end_with_forced(std::vector<Written> & found) {
        for (Written & each : forced) {
            each.is_over = true;
            found.push_back(std::move(each));
        }
        stop();
    }

    // Whether so many tokens more, and one that is picked, are within its limits.
    bool has_room(size_t more) const {
        const size_t most = std::max(text.most, std::min(text.room, text.most + allowed));
        return written + more <= most && position + static_cast<int32_t>(more) + 1 < context.sequence_size();
    }

    Feeder::Move moved(const std::vector<float> & scalars) const {
        try {
            return text.feeder->accept(token, scalars);
        } catch (const Failure &) { // who goes on with the text gets it
            return Feeder::Move::stops;
        }
    }

    const Context &             context;
    const Model &               model;
    const Ahead &               text;
    const size_t                number;
    const std::atomic<size_t> & allowed;
    int32_t                     position = -1; // of the last token in a batch
    int32_t                     token    = -1;
    size_t                      written  = 0;
    bool                        is_on    = true;
    std::vector<Written>        forced;
};

} // namespace

void Context::write(const Batch & first, const std::vector<Ahead> & texts,
                    const std::function<void(const std::vector<Written> &)> & on_tokens) {
    std::vector<Line> lines;
    lines.reserve(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
        lines.emplace_back(*this, *model, texts[i], i, allowed);
        lines.back().begin(first, sampler(texts[i].sequence));
    }
    Batch                batch = first;
    std::vector<Written> found;
    for (;;) {
        for (const Output & output : decode(batch)) {
            for (Line & line : lines) {
                if (line.is_of(output.sequence)) {
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
