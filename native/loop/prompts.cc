#include "loop/prompts.h"

#include <algorithm>

namespace ggsl::loop {

namespace {

// Whether it has a text with tokens left to read.
bool is_reading(const Place & place) {
    return place.job != nullptr && !place.line &&
           (!place.has_begun || place.tokens.size() < place.job->beginning().size());
}

// The tokens of a prompt that are shared with another place, which holds them now or will.
struct Shared {
    const Place * with   = nullptr;
    size_t        length = 0;
};

// What another place holds that can be copied.
Shared held_elsewhere(const Place & place, const Places & places, const std::vector<Place> & all) {
    Shared found;
    for (const Place & other : all) {
        const size_t length = &other == &place ? 0 : shared_length(other.tokens, place.job->beginning());
        if (length > found.length && places.can_keep(other, length)) {
            found = { &other, length };
        }
    }
    return found;
}

// What the prompts that are read before this one will hold.
size_t read_earlier(const Place & place, const std::vector<Place *> & earlier) {
    size_t found = 0;
    for (const Place * other : earlier) {
        found = std::max(found, shared_length(other->job->beginning(), place.job->beginning()));
    }
    return found;
}

// Whether the prompt of a place is read from now on, with what is there of it.
bool begin(Place & place, Places & places, const std::vector<Place *> & earlier) {
    const size_t held   = shared_length(place.tokens, place.job->beginning());
    const size_t own    = held >= least_shared && places.can_keep(place, held) ? held : 0;
    const Shared shared = held_elsewhere(place, places, places.all());
    const size_t now    = shared.length >= own + least_shared ? shared.length : own;
    if (read_earlier(place, earlier) >= now + least_shared) {
        return false;
    }
    if (now <= own || !places.copy(place, *shared.with, now)) {
        places.cut(place, std::min(own, place.tokens.size()));
    }
    return true;
}

} // namespace

void add_prompts(Batch & batch, Places & places, size_t most) {
    std::vector<Place *> reading;
    for (Place & place : places.all()) {
        if (is_reading(place)) {
            reading.push_back(&place);
        }
    }
    std::sort(reading.begin(), reading.end(), [](auto * a, auto * b) { return a->job->id < b->job->id; });
    std::vector<Place *> earlier;
    for (Place * place : reading) {
        place->has_begun   = place->has_begun || begin(*place, places, earlier);
        const auto   text  = place->job->beginning();
        const size_t first = place->tokens.size();
        const size_t count = place->has_begun ? std::min(text.size() - first, most - batch.tokens.size()) : 0;
        for (size_t i = first; i < first + count; ++i) {
            batch.add(text[i], static_cast<int32_t>(i), place->sequence, 0);
        }
        if (first + count < text.size() || count > 0) {
            earlier.push_back(place);
        }
    }
}

} // namespace ggsl::loop
