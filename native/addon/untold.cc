#include "untold.h"

#include "loop/characters.h"

#include <algorithm>
#include <bit>

namespace ggsl::addon {

namespace {

using std::chrono::microseconds;

// The first group, after the batch that was told at once.
constexpr microseconds first_group{ 1000 };

int32_t flags_of(const Written & token) {
    return token.is_forced + 2 * token.is_refused + 4 * token.is_over + 8 * token.is_end + 16 * token.said.has_value() +
           32 * token.is_written;
}

// How many bytes, then these, from the lowest byte on.
int32_t packed(const std::string & rest) {
    uint32_t word = static_cast<uint32_t>(rest.size());
    for (size_t i = 0; i < rest.size(); ++i) {
        word |= static_cast<uint32_t>(static_cast<uint8_t>(rest[i])) << (8 * (i + 1));
    }
    return std::bit_cast<int32_t>(word);
}

} // namespace

Untold::Untold(microseconds most, size_t most_batches, size_t all) : most(most), most_batches(most_batches), all(all) {}

bool Untold::add(const std::vector<Written> & added) {
    const auto now  = Clock::now();
    const auto took = std::chrono::duration_cast<microseconds>(now - latest);
    latest          = now;
    oldest          = count == 0 ? now : oldest;
    ++count;
    ++batches;
    bool is_read = false;
    bool ends    = false; // who waits for the end of a text, or for its place, waits for no other
    for (const Written & token : added) {
        append(token);
        is_read = is_read || !token.is_over;
        ends    = ends || token.is_end || (token.said && token.said->stop);
    }
    if (is_read) {
        times.push_back(static_cast<int32_t>(std::min<int64_t>(took.count(), INT32_MAX)));
    }
    // with the next batch
    const auto waits = std::chrono::duration_cast<microseconds>(now - oldest) + took;
    return ends || batches + 1 == all || count >= most_batches || waits > patience;
}

WrittenWords Untold::take() {
    count    = 0;
    patience = std::min(most, std::max(first_group, 2 * patience));
    WrittenWords all;
    all.text = std::exchange(tokens.text, {});
    all.words.reserve(1 + times.size() + tokens.words.size());
    all.words.push_back(static_cast<int32_t>(times.size()));
    all.words.insert(all.words.end(), times.begin(), times.end());
    all.words.insert(all.words.end(), tokens.words.begin(), tokens.words.end());
    times.clear();
    tokens.words.clear();
    return all;
}

void Untold::append(const Written & token) {
    const size_t  pieces = token.said ? token.said->pieces.size() : 0;
    const int32_t stop   = token.said && token.said->stop ? static_cast<int32_t>(*token.said->stop) : -1;
    tokens.words.insert(tokens.words.end(),
                        { static_cast<int32_t>(token.text), token.token, flags_of(token), stop,
                          static_cast<int32_t>(token.scalars.size()), static_cast<int32_t>(pieces) });
    for (const float scalar : token.scalars) {
        tokens.words.push_back(std::bit_cast<int32_t>(scalar));
    }
    for (size_t i = 0; i < pieces; ++i) {
        const TextPiece & piece = token.said->pieces[i];
        const size_t      begin = tokens.text.size();
        loop::append_utf16(tokens.text, piece.text);
        tokens.words.push_back(static_cast<int32_t>(tokens.text.size() - begin));
        tokens.words.push_back(packed(piece.rest));
    }
}

} // namespace ggsl::addon
