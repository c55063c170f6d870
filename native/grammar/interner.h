// Numbers for values: equal values have the same number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ggsl::grammar {

inline uint64_t mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ (hash >> 29);
}

// The numbers of a list that its owner keeps; it knows their hashes alone.
class Numbers {
public:
    // The number of the value with this hash for which `is_same` is true, or `next` after it was entered.
    template <typename IsSame> uint32_t find_or(uint64_t hash, uint32_t next, IsSame && is_same) {
        if (2 * (count + 1) > slots.size()) {
            grow();
        }
        const auto tag = static_cast<uint32_t>(hash >> 32);
        for (size_t at = hash & (slots.size() - 1);; at = (at + 1) & (slots.size() - 1)) {
            Slot & slot = slots[at];
            if (slot.number == none) {
                slot = { hash, next };
                ++count;
                return next;
            }
            if (static_cast<uint32_t>(slot.hash >> 32) == tag && slot.hash == hash && is_same(slot.number)) {
                return slot.number;
            }
        }
    }
    size_t bytes() const { return slots.size() * sizeof(Slot); }

private:
    static constexpr uint32_t none = UINT32_MAX;
    struct Slot {
        uint64_t hash;
        uint32_t number = none;
    };

    void grow() {
        std::vector<Slot> before(slots.empty() ? 64 : 2 * slots.size(), Slot{ 0, none });
        before.swap(slots);
        for (const Slot & slot : before) {
            if (slot.number == none) {
                continue;
            }
            size_t at = slot.hash & (slots.size() - 1);
            while (slots[at].number != none) {
                at = (at + 1) & (slots.size() - 1);
            }
            slots[at] = slot;
        }
    }

    std::vector<Slot> slots;
    size_t            count = 0;
};

} // namespace ggsl::grammar
