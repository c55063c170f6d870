#include "loop/places.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace ggsl::loop {

namespace {

// Places that are nearer to one with a text are computed with it at once, where each has a cache of its own (llama/runs.h).
constexpr int32_t near = 5;

} // namespace

size_t shared_length(std::span<const int32_t> a, std::span<const int32_t> b) {
    const size_t most = std::min(a.size(), b.size());
    return static_cast<size_t>(std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(most), b.begin()).first -
                               a.begin());
}

Places::Places(Context & context, int32_t count) : context(context) {
    for (int32_t sequence = 0; sequence < count; ++sequence) {
        places.push_back({ sequence });
    }
}

bool Places::has_free() const {
    return std::any_of(places.begin(), places.end(), [](const Place & place) { return place.job == nullptr; });
}

void Places::take(std::shared_ptr<Job> job) {
    Place & place = best(*job);
    give_chain(place, job->request.graph);
    job->text->feed(context.sampler(place.sequence));
    place.job       = std::move(job);
    place.has_begun = false;
}

// The free place whose tokens the prompt continues, if it keeps at least half of them. Otherwise of those near to others with a text, and
// with the same chain where there are some, the one that was not used for longest: what the prompt shares with others is copied.
Place & Places::best(const Job & job) {
    std::vector<Place *> free;
    for (Place & place : places) {
        if (place.job == nullptr) {
            free.push_back(&place);
        }
    }
    const bool is_fitting =
        std::any_of(free.begin(), free.end(), [&](const Place * place) { return place->graph == job.request.graph; });
    if (is_fitting) {
        std::erase_if(free, [&](const Place * place) { return place->graph != job.request.graph; });
    }
    const auto shared = [&](const Place * place) { return shared_length(place->tokens, job.beginning()); };
    Place *    nearest =
        *std::max_element(free.begin(), free.end(), [&](auto * a, auto * b) { return shared(a) < shared(b); });
    if (const size_t length = shared(nearest); length >= least_shared && 2 * length >= nearest->tokens.size()) {
        return *nearest;
    }
    const auto distance = [&](const Place * place) {
        int32_t least = INT32_MAX;
        for (const Place & other : places) {
            if (other.job != nullptr) {
                least = std::min(least, std::abs(other.sequence - place->sequence));
            }
        }
        return least <= near || least == INT32_MAX ? 0 : least;
    };
    return **std::min_element(free.begin(), free.end(), [&](auto * a, auto * b) {
        return std::tuple(distance(a), a->released) < std::tuple(distance(b), b->released);
    });
}

// llama.cpp reserves its memory again for another chain.
void Places::give_chain(Place & place, const std::shared_ptr<const Graph> & graph) {
    if (place.graph != graph) {
        place.graph = nullptr;
        context.set_chain(place.sequence, graph);
        place.graph = graph;
    }
}

void Places::release(Place & place) {
    place.job = nullptr;
    place.line.reset();
    place.released = ++releases;
}

bool Places::can_keep(const Place & place, size_t count) const {
    return context.can_keep(place.sequence, static_cast<int32_t>(count));
}

void Places::cut(Place & place, size_t count) {
    if (count != place.tokens.size() || count == 0) {
        const size_t kept = count <= place.tokens.size() && can_keep(place, count) ? count : 0;
        context.remove(place.sequence, static_cast<int32_t>(kept));
        place.tokens.resize(kept);
    }
}

bool Places::copy(Place & place, const Place & from, size_t count) {
    place.tokens.clear();
    try {
        context.copy(from.sequence, place.sequence);
    } catch (const Failure &) { // who needs them reads them
        context.remove(place.sequence, 0);
        return false;
    }
    place.tokens = from.tokens;
    cut(place, count);
    return true;
}

void Places::close_gaps() {
    const auto last =
        std::find_if(places.rbegin(), places.rend(), [](const Place & place) { return place.job != nullptr; });
    const auto width = places.rend() - last;
    const auto count =
        std::count_if(places.begin(), places.end(), [](const Place & each) { return each.job != nullptr; });
    if (count == 0 || count * 4 > width * 3 || !context.has_own_caches()) {
        return;
    }
    for (size_t gap = 0, from = static_cast<size_t>(width) - 1; gap < from; ++gap) {
        if (places[gap].job == nullptr) {
            while (places[from].job == nullptr) {
                --from;
            }
            if (from > gap && !move(places[from], places[gap])) {
                return;
            }
        }
    }
}

// False, and nothing has moved, where its chain cannot be there, or llama.cpp cannot copy the tokens.
bool Places::move(Place & from, Place & to) {
    try {
        give_chain(to, from.graph);
        from.job->text->feed(context.sampler(to.sequence));
    } catch (const Failure &) { // it goes on where it is
        return false;
    }
    if (!copy(to, from, from.tokens.size())) {
        return false;
    }
    to.job       = from.job;
    to.has_begun = from.has_begun;
    if (from.line) {
        to.line.emplace(*from.line);
        to.line->move_to(to.sequence);
    }
    release(from);
    cut(from, 0);
    return true;
}

} // namespace ggsl::loop
