#include "bundles.h"

#include <algorithm>
#include <bit>

namespace ggsl::bundles {

Bundles::Bundles(const BoundGraph & bound, int threads) : bound(bound), threads(threads), machine(Machine::find()) {
    if (machine == nullptr) {
        planned.units = units_of(bound, bound.fusion.get());
        planned.is_bundled.resize(bound.graph.nodes.size());
        return;
    }
    planned = bundles::plan(bound);
    works.resize(planned.bundles.size());
    for (size_t i = 0; i < works.size(); ++i) {
        works[i].bundle = &planned.bundles[i];
    }
}

std::vector<Part> parts_of(int64_t rows, int64_t least_rows, int threads) {
    std::vector<Part> parts;
    const int64_t     most = std::max<int64_t>(rows / threads, std::min(rows, least_rows));
    for (int64_t first = 0; first < rows;) {
        const auto size = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::min(most, rows - first))));
        parts.push_back({ first, size });
        first += size;
    }
    return parts;
}

Work & Bundles::prepare(int32_t index, int64_t rows) {
    Work & work  = works[static_cast<size_t>(index)];
    auto & parts = work.parts[rows];
    if (!parts.empty()) {
        return work;
    }
    std::map<int64_t, size_t> used;
    for (const Part & part : parts_of(rows, work.bundle->least_rows, threads)) {
        auto &       pieces = work.pieces[part.rows];
        const size_t at     = used[part.rows]++;
        if (at == pieces.size()) {
            pieces.push_back(std::make_unique<Piece>(machine, bound, *work.bundle, part.rows));
        }
        parts.emplace_back(part, pieces[at].get());
    }
    return work;
}

void run(ggml_tensor * dst, int thread, int threads, void * data) {
    const auto & parts = static_cast<const Work *>(data)->parts.at(dst->ne[1]);
    for (auto i = static_cast<size_t>(thread); i < parts.size(); i += static_cast<size_t>(threads)) {
        parts[i].second->run(dst, parts[i].first.first);
    }
}

} // namespace ggsl::bundles
