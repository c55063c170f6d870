#include "timing.h"

#include "graph/cpu_variant.h"
#include "graph/failure.h"
#include "runner.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ggsl::tools {

namespace {

constexpr int warm_up_rounds = 2;
// Rounds of a slow case end after this time, but not before a minimum number.
constexpr double enough_us   = 5e5;
constexpr int    min_rounds  = 3;
constexpr int    max_repeats = 1000;

// Linear between neighbours. `q` in [0, 1]; `values` are not empty.
double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    const double place = q * static_cast<double>(values.size() - 1);
    const auto   below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (values[above] - values[below]) * (place - std::floor(place));
}

Json spread(const std::vector<double> & values) {
    return Json()
        .add("q1", quantile(values, 0.25))
        .add("median", quantile(values, 0.5))
        .add("q3", quantile(values, 0.75));
}

// One side of the comparison and its measurements: for each round, the median over the round's tokens.
struct Side {
    const char *        name;
    Runner &            runner;
    int                 repeats = 1;
    std::vector<double> totals{}, uploads{}, computes{}, downloads{};

    void round(const std::function<void()> & restore) {
        std::vector<double> total, upload, compute, download;
        for (int i = 0; i < repeats; ++i) {
            restore();
            const Phases phases = runner.run();
            total.push_back(phases.total());
            upload.push_back(phases.upload);
            compute.push_back(phases.compute);
            download.push_back(phases.download);
        }
        totals.push_back(quantile(total, 0.5));
        uploads.push_back(quantile(upload, 0.5));
        computes.push_back(quantile(compute, 0.5));
        downloads.push_back(quantile(download, 0.5));
    }

    void forget() {
        for (auto * list : { &totals, &uploads, &computes, &downloads }) {
            list->clear();
        }
    }

    Json json() const {
        return Json()
            .add("us", spread(totals))
            .add("uploadUs", quantile(uploads, 0.5))
            .add("computeUs", quantile(computes, 0.5))
            .add("downloadUs", quantile(downloads, 0.5))
            .add("uploadBytes", runner.upload_bytes())
            .add("readbackBytes", runner.readback_bytes());
    }
};

// Returns the number of rounds.
int run_rounds(std::vector<Side> & sides, const TimingOptions & options, const std::function<void()> & restore) {
    const double warm_up = now();
    for (int i = 0; i < warm_up_rounds && (i == 0 || now() - warm_up < enough_us); ++i) {
        for (Side & side : sides) {
            side.round(restore);
        }
    }
    for (Side & side : sides) {
        side.repeats = std::clamp(static_cast<int>(options.round_us / side.totals.back()), 1, max_repeats);
        side.forget();
    }
    const double start = now();
    int          round = 0;
    for (; round < options.rounds && (round < min_rounds || now() - start < enough_us); ++round) {
        for (size_t i = 0; i < sides.size(); ++i) {
            sides[(i + static_cast<size_t>(round)) % sides.size()].round(restore);
        }
    }
    return round;
}

Json ratio(const std::vector<double> & ours, const std::vector<double> & theirs) {
    std::vector<double> ratios(ours.size());
    std::transform(ours.begin(), ours.end(), theirs.begin(), ratios.begin(), [](double a, double b) { return a / b; });
    return spread(ratios);
}

int64_t same(const std::vector<int32_t> & a, const std::vector<int32_t> & b) {
    int64_t count = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        count += a[i] == b[i] ? 1 : 0;
    }
    return count;
}

void add_nodes(Json & json, const GraphRunner & runner) {
    json.add("nodes", runner.nodes()).add("nodesWithoutViews", runner.nodes_without_views());
}

Json side_json(const Side & side, const GraphRunner & runner) {
    Json json = side.json();
    add_nodes(json, runner);
    return json;
}

} // namespace

Json time_case(const Case & c, const Device & device, const TimingOptions & options) {
    if (c.stages.empty()) {
        fail(code::invalid_argument, "case \"%s\" has no chain of llama.cpp to compare with: it is for `check`",
             c.name.c_str());
    }
    const Logits logits(device, c);
    GgslRunner   ours(device, logits, c);
    LlamaRunner  llama(device, logits, c);
    HostRunner   host(device, logits, c);
    // small ops one by one, which only the CPU bundles
    std::optional<GgslRunner> alone;
    if (family_of(device.device) == Family::cpu) {
        alone.emplace(device, logits, c, false);
    }
    const bool has_llama = llama.missing().empty();
    const bool is_dirty  = ours.writes_logits() || (has_llama && llama.writes_logits());
    const auto restore   = [&] {
        if (is_dirty) {
            logits.restore();
        }
    };

    Json json;
    json.add("case", c.name).add("device", ggml_backend_dev_name(device.device)).add("threads", device.threads);
    if (family_of(device.device) == Family::cpu) {
        json.add("variant", loaded_cpu_variant());
    }
    json.add("vocab", c.bound.vocab_size).add("rows", c.rows);

    // The first tokens are drawn from the same random numbers, so they show that all sides do the same work.
    ours.run();
    const std::vector<int32_t> tokens = ours.tokens();
    restore();
    host.run();
    json.add("sameAsHost", same(tokens, host.tokens()));
    if (has_llama) {
        restore();
        llama.run();
        json.add("sameAsLlama", same(tokens, llama.tokens()));
    }

    std::vector<Side> sides{ { "ggsl", ours }, { "host", host } };
    if (has_llama) {
        sides.push_back({ "llama", llama });
    }
    if (alone) {
        sides.push_back({ "alone", *alone });
    }
    json.add("rounds", run_rounds(sides, options, restore));
    if (alone) {
        json.add("alone", side_json(sides.back(), *alone));
        json.add("ratioToAlone", ratio(sides[0].totals, sides.back().totals));
    }

    json.add("ggsl", side_json(sides[0], ours));
    json.add("host", sides[1].json()).add("ratioToHost", ratio(sides[0].totals, sides[1].totals));
    if (!has_llama) {
        return json.add("missingInLlama", llama.missing());
    }
    json.add("llama", side_json(sides[2], llama));
    json.add("ratioToLlama", ratio(sides[0].totals, sides[2].totals));
    // Without the copies to the host that llama.cpp makes beside the token.
    return json.add("computeRatioToLlama", ratio(sides[0].computes, sides[2].computes));
}

} // namespace ggsl::tools
