// Numbers by token, in the order in which the tokens were added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ggsl::c {

class Pairs {
public:
    double & operator[](int32_t token) {
        const auto [found, is_new] = places.try_emplace(token, entries.size());
        if (is_new) {
            entries.emplace_back(token, 0.0);
        }
        return entries[found->second].second;
    }
    bool   has(int32_t token) const { return places.contains(token); }
    size_t size() const { return entries.size(); }
    auto   begin() const { return entries.begin(); }
    auto   end() const { return entries.end(); }

private:
    std::vector<std::pair<int32_t, double>> entries;
    std::unordered_map<int32_t, size_t>     places;
};

} // namespace ggsl::c
