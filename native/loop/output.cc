#include "loop/output.h"

#include <algorithm>
#include <cstdint>

namespace ggsl::loop {

Output::Output(std::shared_ptr<const Stops> given) : stops(std::move(given)) {
    if (stops) {
        finder.emplace(*stops);
    }
}

void Output::push(std::string_view bytes, std::vector<TextPiece> & known) {
    length += bytes.size();
    if (!finder) {
        give(bytes, known);
        return;
    }
    waiting.push_back({ std::string(bytes), length });
    if (const auto stop = finder->read(bytes)) {
        stopped = stop->index;
        give(length, stop->begin, known);
    } else {
        give(finder->settled(), SIZE_MAX, known);
    }
}

void Output::flush(std::vector<TextPiece> & known) {
    give(length, SIZE_MAX, known);
}

void Output::restart(std::string_view rest) {
    waiting.clear();
    characters.restart(rest);
    stopped.reset();
    if (finder) {
        finder->restart(length);
    }
}

// The tokens that end up to `settled`, with their bytes up to `limit`.
void Output::give(size_t settled, size_t limit, std::vector<TextPiece> & known) {
    while (!waiting.empty() && waiting.front().end <= settled) {
        const Held &           first = waiting.front();
        const std::string_view bytes = first.bytes;
        const size_t           begin = first.end - bytes.size();
        give(bytes.substr(0, std::min(bytes.size(), limit - std::min(limit, begin))), known);
        waiting.pop_front();
    }
}

void Output::give(std::string_view bytes, std::vector<TextPiece> & known) {
    std::string text = characters.push(bytes);
    known.push_back({ std::move(text), characters.rest() });
}

} // namespace ggsl::loop
