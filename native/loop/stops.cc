#include "loop/stops.h"

#include "graph/failure.h"

namespace ggsl::loop {

Stops::Stops(const std::vector<std::string> & texts) : nodes(1) {
    first.fill(none);
    for (size_t i = 0; i < texts.size(); ++i) {
        if (texts[i].empty()) {
            fail(code::invalid_argument, "stop text %zu is empty: a text has an empty text everywhere", i);
        }
        insert(texts[i], static_cast<uint32_t>(i));
    }
    // shorter ones first: the suffixes of a node's children come from its own
    std::vector<uint32_t> open;
    for (const uint32_t node : first) {
        if (node != none) {
            open.push_back(node);
        }
    }
    for (size_t i = 0; i < open.size(); ++i) {
        for (uint32_t child = nodes[open[i]].child; child != none; child = nodes[child].sibling) {
            const uint32_t suffix = step(nodes[open[i]].suffix, nodes[child].byte);
            nodes[child].suffix   = suffix;
            nodes[child].shorter  = nodes[suffix].text == none ? nodes[suffix].shorter : suffix;
            open.push_back(child);
        }
    }
}

void Stops::insert(std::string_view text, uint32_t index) {
    uint32_t node = 0;
    for (const char letter : text) {
        const auto byte = static_cast<uint8_t>(letter);
        uint32_t   next = child_of(node, byte);
        if (next == none) {
            next            = static_cast<uint32_t>(nodes.size());
            const Node made = { .length = nodes[node].length + 1, .sibling = nodes[node].child, .byte = byte };
            nodes.push_back(made);
            if (node == 0) {
                nodes[next].sibling = none;
                first[byte]         = next;
            } else {
                nodes[node].child = next;
            }
        }
        node = next;
    }
    if (nodes[node].text == none) {
        nodes[node].text = index;
    }
}

uint32_t Stops::child_of(uint32_t node, uint8_t byte) const {
    if (node == 0) {
        return first[byte];
    }
    uint32_t child = nodes[node].child;
    while (child != none && nodes[child].byte != byte) {
        child = nodes[child].sibling;
    }
    return child;
}

Stops::State Stops::step(State state, uint8_t byte) const {
    for (;;) {
        const uint32_t next = child_of(state, byte);
        if (next != none) {
            return next;
        }
        if (state == 0) {
            return 0;
        }
        state = nodes[state].suffix;
    }
}

std::optional<Stops::Found> Stops::found(State state) const {
    const uint32_t node = nodes[state].text == none ? nodes[state].shorter : state;
    if (node == none) {
        return std::nullopt;
    }
    return Found{ nodes[node].text, nodes[node].length };
}

std::optional<StopFinder::Stop> StopFinder::read(std::string_view bytes) {
    for (const char byte : bytes) {
        state = stops->step(state, static_cast<uint8_t>(byte));
        ++length;
        if (const auto found = stops->found(state)) {
            return Stop{ found->index, length - found->length, length };
        }
    }
    return std::nullopt;
}

} // namespace ggsl::loop
