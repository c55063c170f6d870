#include "bundles.h"

#include "piece.h"

#include <algorithm>
#include <bit>
#include <map>

namespace ggsl::bundles {

struct Work {
    struct Task {
        Piece * piece;
        int64_t first;
    };

    const Bundle *                                         bundle;
    std::map<int64_t, std::vector<std::unique_ptr<Piece>>> pieces; // by their number of rows
    std::map<int64_t, std::vector<Task>>                   tasks;  // by the rows of the node
};

struct Bundles::State {
    const BoundGraph &                 bound;
    const int                          threads;
    std::shared_ptr<const Machine>     machine;
    Plan                               planned;
    std::vector<std::unique_ptr<Work>> works{};
};

Bundles::Bundles(const BoundGraph & bound, int threads) {
    const auto machine = Machine::find();
    state              = std::make_unique<State>(
        State{ bound, threads, machine, machine == nullptr ? without_bundles(bound) : bundles::plan(bound) });
    for (const Bundle & bundle : state->planned.bundles) {
        state->works.push_back(std::make_unique<Work>(Work{ &bundle, {}, {} }));
    }
}

Bundles::~Bundles() = default;

const Plan & Bundles::plan() const {
    return state->planned;
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
    Work & work = *state->works[static_cast<size_t>(index)];
    if (work.tasks.count(rows) > 0) {
        return work;
    }
    std::vector<Work::Task>   tasks;
    std::map<int64_t, size_t> used;
    for (const Part & part : parts_of(rows, work.bundle->least_rows, state->threads)) {
        auto &       pieces = work.pieces[part.rows];
        const size_t at     = used[part.rows]++;
        if (at == pieces.size()) {
            pieces.push_back(std::make_unique<Piece>(state->machine, state->bound, *work.bundle, part.rows));
        }
        tasks.push_back({ pieces[at].get(), part.first });
    }
    work.tasks.emplace(rows, std::move(tasks));
    return work;
}

void run(ggml_tensor * dst, int thread, int threads, void * data) {
    const auto & tasks = static_cast<const Work *>(data)->tasks.at(dst->ne[1]);
    for (auto i = static_cast<size_t>(thread); i < tasks.size(); i += static_cast<size_t>(threads)) {
        tasks[i].piece->run(dst, tasks[i].first);
    }
}

} // namespace ggsl::bundles
