#include "grammar.h"

#include <algorithm>

namespace ggsl::grammar {

Grammar::Grammar(std::span<const uint32_t> words, std::shared_ptr<const Vocabulary> vocabulary, Limits limits)
    : words(words.begin(), words.end()), of_tokens(std::move(vocabulary)), limits(limits),
      tables(std::make_unique<Tables>(words, *of_tokens)), most_bytes(limits.bytes) {
    Budget budget(limits.steps_of_token);
    beginning          = tables->stacks.beginning(budget);
    marks_of_beginning = tables->stacks.marks(beginning.stacks);
    kept               = tables->bytes_used();
}

Grammar::Call::Call(Grammar & grammar) : grammar(grammar), guard(grammar.lock) {
    grammar.clean();
}

Grammar::Call::Call(Grammar & grammar, std::try_to_lock_t) : grammar(grammar), guard(grammar.lock, std::try_to_lock) {}

Grammar::Call::~Call() {
    if (guard.owns_lock()) {
        grammar.kept = grammar.tables->bytes_used();
    }
}

void Grammar::clean() {
    if (!is_full()) {
        return;
    }
    auto                 fresh = std::make_unique<Tables>(words, *of_tokens);
    StackCopies          copies;
    std::vector<StackId> needed;
    {
        const std::lock_guard guard(lock_of_positions);
        needed = beginning.stacks;
        for (const Position * position : positions) {
            needed.insert(needed.end(), position->heads.stacks.begin(), position->heads.stacks.end());
        }
    }
    const auto renumber = [&](StackId stack) { return fresh->stacks.copied(tables->stacks, stack, copies); };
    std::for_each(needed.begin(), needed.end(), renumber);
    fresh->program.expressions.taken_work(); // no call pays for it
    {
        // those that came meanwhile are copies of others: all is known
        const std::lock_guard guard(lock_of_positions);
        const auto            renumber_all = [&](std::vector<StackId> & stacks) {
            std::transform(stacks.begin(), stacks.end(), stacks.begin(), renumber);
            std::sort(stacks.begin(), stacks.end());
        };
        renumber_all(beginning.stacks);
        for (Position * position : positions) {
            renumber_all(position->heads.stacks);
        }
        tables.swap(fresh);
    }
    // so that it does not begin anew at each call where the present positions need much
    const size_t used = tables->bytes_used();
    most_bytes        = std::max(limits.bytes, std::min(2 * used, limits.bytes_of_texts));
    if (used > limits.bytes_of_texts) {
        fail(
            code::limit_exceeded,
            "the grammar exceeds a limit: its present texts need %zu bytes, expected at most %zu: they are nested too deeply",
            used, limits.bytes_of_texts);
    }
}

Position::Position(std::shared_ptr<Grammar> of) : grammar(std::move(of)), marked(grammar->marks_of_beginning) {
    const std::lock_guard guard(grammar->lock_of_positions);
    heads = grammar->beginning;
    grammar->positions.insert(this);
}

Position::Position(const Position & other) : grammar(other.grammar), marked(other.marked) {
    const std::lock_guard guard(grammar->lock_of_positions);
    heads = other.heads;
    grammar->positions.insert(this);
}

// The tables are locked.
Position::Position(std::shared_ptr<Grammar> of, Heads heads, uint32_t marked)
    : grammar(std::move(of)), heads(std::move(heads)), marked(marked) {
    const std::lock_guard guard(grammar->lock_of_positions);
    grammar->positions.insert(this);
}

Position::~Position() {
    const std::lock_guard guard(grammar->lock_of_positions);
    grammar->positions.erase(this);
}

void Position::fill(std::span<uint32_t> bits, Budget budget) const {
    std::fill(bits.begin(), bits.end(), 0);
    grammar->tables->masks.add(heads.stacks, bits, budget);
    if (heads.may_end) {
        for (const uint32_t token : grammar->of_tokens->ends()) {
            bits[token / 32] |= 1u << (token % 32);
        }
    }
}

std::unique_ptr<Position> Position::read(uint32_t token, Budget budget) const {
    const std::string_view text   = grammar->of_tokens->text(token);
    Stacks &               stacks = grammar->tables->stacks;
    Heads                  next   = text.empty() ? Heads{} : heads;
    for (const char byte : text) {
        next = stacks.after(next.stacks, static_cast<uint8_t>(byte), budget);
        if (next.stacks.empty() && !next.may_end) {
            break;
        }
    }
    stacks.after_token(heads.stacks, token, !text.empty(), next, budget);
    if (next.stacks.empty() && !next.may_end) {
        return nullptr;
    }
    const uint32_t marked = stacks.marks(next.stacks);
    return std::unique_ptr<Position>(new Position(grammar, std::move(next), marked));
}

void Position::allowed(std::span<uint32_t> bits) const {
    const Grammar::Call call(*grammar);
    fill(bits, Budget(grammar->limits.steps_of_mask));
}

bool Position::allowed_quickly(std::span<uint32_t> bits) const {
    const Grammar::Call call(*grammar, std::try_to_lock);
    if (!call.has_begun()) {
        return false;
    }
    try {
        fill(bits, Budget(std::min(grammar->limits.quick_steps, grammar->limits.steps_of_mask)));
        return true;
    } catch (const Failure &) { // it is a limit: what was worked out up to it is kept
        return false;
    }
}

// The position after a token that is no part of the text; nullopt for one that is.
std::optional<std::unique_ptr<Position>> Position::after_other(uint32_t token) const {
    const Vocabulary & vocabulary = *grammar->of_tokens;
    if (token < vocabulary.size() && !vocabulary.is_end(token)) {
        return std::nullopt;
    }
    return token < vocabulary.size() && may_end() ? std::make_unique<Position>(*this) : nullptr;
}

std::unique_ptr<Position> Position::after(uint32_t token) const {
    if (auto known = after_other(token)) {
        return std::move(*known);
    }
    const Grammar::Call call(*grammar);
    return read(token, Budget(grammar->limits.steps_of_token));
}

std::optional<std::unique_ptr<Position>> Position::after_quickly(uint32_t token) const {
    if (auto known = after_other(token)) {
        return known;
    }
    const Grammar::Call call(*grammar, std::try_to_lock);
    if (!call.has_begun()) {
        return std::nullopt;
    }
    try {
        return read(token, Budget(std::min(grammar->limits.quick_steps, grammar->limits.steps_of_token)));
    } catch (const Failure &) {
        return std::nullopt;
    }
}

} // namespace ggsl::grammar
