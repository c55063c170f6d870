#include "loop/followed.h"

#include <bit>

namespace ggsl::loop {

Followed::Followed(loop::GrammarPosition given, Patience patience)
    : position(std::move(given)), patience(patience), bits(position->vocabulary().words()) {
    if (patience == Patience::quick) {
        is_known = position->allowed_quickly(bits);
    } else {
        position->allowed(bits);
    }
}

std::optional<int32_t> Followed::only_token() const {
    std::optional<int32_t> found;
    for (size_t i = 0; i < bits.size(); ++i) {
        const uint32_t word = bits[i];
        if (word != 0 && (found || (word & (word - 1)) != 0)) {
            return std::nullopt;
        }
        if (word != 0) {
            found = static_cast<int32_t>(32 * i) + std::countr_zero(word);
        }
    }
    return found;
}

std::vector<int32_t> Followed::words() const {
    return c::words_of(bits, position->vocabulary().size());
}

c::GrammarPtr Followed::accept(int32_t token) const {
    const auto id = static_cast<uint32_t>(token);
    if (((bits[id / 32] >> (id % 32)) & 1) == 0) {
        return nullptr;
    }
    if (position->vocabulary().is_end(id)) { // the text may go on after it, as if that were not there
        return std::make_shared<const Followed>(*this);
    }
    auto next = std::make_shared<const Followed>(after(id), patience);
    if (!next->is_ready()) {
        throw TooLong();
    }
    return next;
}

// After a token that can come next.
loop::GrammarPosition Followed::after(uint32_t token) const {
    if (patience == Patience::patient) {
        return position->after(token);
    }
    auto read = position->after_quickly(token);
    if (!read || !*read) {
        throw TooLong();
    }
    return std::move(*read);
}

} // namespace ggsl::loop
