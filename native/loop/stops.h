// Texts that end a text, found across the borders of tokens in one pass over its bytes (Aho and Corasick); runtime/generation/stops.ts
// has the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ggsl::loop {

// What texts are looked for; any number of texts are read with it at once.
class Stops {
public:
    // Throws Failure (INVALID_ARGUMENT) for an empty text.
    explicit Stops(const std::vector<std::string> & texts);

    // What was read last, as far as a stop text can begin with it; 0 at the beginning.
    using State = uint32_t;

    State step(State state, uint8_t byte) const;
    // How many bytes of what was read last may be part of a stop text.
    size_t held(State state) const { return nodes[state].length; }
    // The longest stop text that ends here.
    struct Found {
        size_t index; // in the list; of equal ones the first
        size_t length;
    };
    std::optional<Found> found(State state) const;

private:
    static constexpr uint32_t none = UINT32_MAX;

    // The beginning of some texts.
    struct Node {
        uint32_t length  = 0;
        uint32_t child   = none; // the first of those that are a byte longer
        uint32_t sibling = none;
        uint32_t suffix  = 0;    // the longest proper one that is a beginning too
        uint32_t text    = none; // that ends here
        uint32_t shorter = none; // the longest proper suffix that is a text
        uint8_t  byte    = 0;    // its last
    };

    uint32_t child_of(uint32_t node, uint8_t byte) const;
    void     insert(std::string_view text, uint32_t index);

    std::vector<Node>         nodes;
    std::array<uint32_t, 256> first; // the nodes of one byte
};

// Looks for stop texts in a text that comes in parts.
class StopFinder {
public:
    // `stops` outlives it.
    explicit StopFinder(const Stops & stops) : stops(&stops) {}

    struct Stop {
        size_t index; // in the list
        size_t begin; // in bytes of the text
        size_t end;
    };
    // Reads more bytes, up to a stop text. Of those that are complete first it is the longest.
    std::optional<Stop> read(std::string_view bytes);

    // The first bytes so far, which cannot be part of a stop text.
    size_t settled() const { return length - stops->held(state); }

    // Goes on from so many bytes, none of them part of a stop text.
    void restart(size_t bytes) {
        state  = 0;
        length = bytes;
    }

private:
    const Stops * stops;
    Stops::State  state  = 0;
    size_t        length = 0; // bytes read so far
};

} // namespace ggsl::loop
