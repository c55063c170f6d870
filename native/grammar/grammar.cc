#include "grammar.h"

#include <algorithm>

namespace ggsl::grammar {

Grammar::Grammar(std::span<const uint32_t> words, std::shared_ptr<const Vocabulary> vocabulary, Limits limits)
    : words(words.begin(), words.end()), of_tokens(std::move(vocabulary)), limits(limits),
      tables(std::make_unique<Tables>(words, *of_tokens)), most_bytes(limits.bytes) {}

size_t Grammar::used() const {
    return tables->program.expressions.bytes_used() + tables->stacks.bytes_used() + tables->masks.bytes_used();
}

size_t Grammar::bytes_used() const {
    const std::lock_guard guard(lock);
    return used();
}

void Grammar::clean() {
    if (used() <= most_bytes) {
        return;
    }
    auto                              fresh = std::make_unique<Tables>(words, *of_tokens);
    StackCopies                       copies;
    std::vector<std::vector<StackId>> stacks;
    for (Position * position : positions) {
        std::vector<StackId> & of = stacks.emplace_back();
        for (const StackId stack : position->heads.stacks) {
            of.push_back(fresh->stacks.copied(tables->stacks, stack, copies));
        }
        std::sort(of.begin(), of.end());
    }
    size_t i = 0;
    for (Position * position : positions) {
        position->heads.stacks = std::move(stacks[i++]);
    }
    tables = std::move(fresh);
    // so that it does not begin anew at each call where the present positions need much
    most_bytes = std::max(limits.bytes, 2 * used());
}

Position::Position(std::shared_ptr<Grammar> of) : grammar(std::move(of)) {
    const std::lock_guard guard(grammar->lock);
    grammar->clean();
    Budget budget(grammar->limits.steps_of_token);
    heads = grammar->tables->stacks.beginning(budget);
    grammar->positions.insert(this);
}

Position::Position(const Position & other) : grammar(other.grammar) {
    const std::lock_guard guard(grammar->lock);
    heads = other.heads;
    grammar->positions.insert(this);
}

// The grammar is locked.
Position::Position(std::shared_ptr<Grammar> of, Heads heads) : grammar(std::move(of)), heads(std::move(heads)) {
    grammar->positions.insert(this);
}

Position::~Position() {
    const std::lock_guard guard(grammar->lock);
    grammar->positions.erase(this);
}

void Position::allowed(std::span<uint32_t> bits) const {
    const std::lock_guard guard(grammar->lock);
    grammar->clean();
    std::fill(bits.begin(), bits.end(), 0);
    Budget budget(grammar->limits.steps_of_mask);
    grammar->tables->masks.add(heads.stacks, bits, budget);
    if (heads.may_end) {
        for (const uint32_t token : grammar->of_tokens->ends()) {
            bits[token / 32] |= 1u << (token % 32);
        }
    }
}

std::unique_ptr<Position> Position::after(uint32_t token) const {
    const std::lock_guard guard(grammar->lock);
    const Vocabulary &    vocabulary = *grammar->of_tokens;
    if (token >= vocabulary.size()) {
        return nullptr;
    }
    if (vocabulary.is_end(token)) {
        return heads.may_end ? std::unique_ptr<Position>(new Position(grammar, heads)) : nullptr;
    }
    const std::string_view text = vocabulary.text(token);
    if (text.empty()) {
        return nullptr;
    }
    grammar->clean();
    Budget   budget(grammar->limits.steps_of_token);
    Stacks & stacks = grammar->tables->stacks;
    Heads    next   = heads;
    for (const char byte : text) {
        next = stacks.after(next.stacks, static_cast<uint8_t>(byte), budget);
        if (next.stacks.empty() && !next.may_end) {
            break;
        }
    }
    stacks.after_token(heads.stacks, token, next, budget);
    if (next.stacks.empty() && !next.may_end) {
        return nullptr;
    }
    return std::unique_ptr<Position>(new Position(grammar, std::move(next)));
}

} // namespace ggsl::grammar
