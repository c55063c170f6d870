#include "bundles.h"

#include <algorithm>

namespace ggsl::bundles {

Bundles::Bundles(const BoundGraph & bound) : bound(bound), machine(Machine::find()) {
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

Work & Bundles::prepare(int32_t index, int64_t rows) {
    Work &         work   = works[static_cast<size_t>(index)];
    const Bundle & bundle = *work.bundle;
    const auto     reach  = [&](int64_t size, int64_t count) {
        auto & pieces = work.pieces[size];
        while (static_cast<int64_t>(pieces.size()) < count) {
            pieces.push_back(std::make_unique<Piece>(machine, bound, bundle, size));
        }
    };
    reach(bundle.rows_at_once, rows / bundle.rows_at_once);
    if (rows % bundle.rows_at_once != 0) {
        reach(rows % bundle.rows_at_once, 1);
    }
    return work;
}

int Bundles::parts_of(int32_t index, int64_t rows) const {
    const int64_t at_once = works[static_cast<size_t>(index)].bundle->rows_at_once;
    return static_cast<int>((rows + at_once - 1) / at_once);
}

void run(ggml_tensor * dst, int thread, int threads, void * data) {
    auto &        work    = *static_cast<Work *>(data);
    const int64_t at_once = work.bundle->rows_at_once;
    const int64_t rows    = dst->ne[1];
    for (int64_t part = thread; part * at_once < rows; part += threads) {
        const int64_t first = part * at_once;
        const bool    whole = first + at_once <= rows;
        work.pieces.at(whole ? at_once : rows - first)[whole ? static_cast<size_t>(part) : 0]->run(dst, first);
    }
}

} // namespace ggsl::bundles
