#include "runner.h"
#include "timing.h"
#include "work.h"

#include <algorithm>

namespace ggsl::tools {

namespace {

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// A one-node graph per node: each is timed alone, in the order and the memory of the whole graph.
struct Step {
    ggml_tensor *       node;
    ContextPtr          context;
    ggml_cgraph *       graph;
    std::vector<double> times{};
};

std::vector<Step> split(ggml_cgraph * graph) {
    std::vector<Step> steps;
    for (int i = 0; i < ggml_graph_n_nodes(graph); ++i) {
        Step step{ ggml_graph_node(graph, i),
                   ContextPtr(ggml_init({ ggml_graph_overhead_custom(1, false), nullptr, true })), nullptr };
        step.graph = ggml_new_graph_custom(step.context.get(), 1, false);
        ggml_graph_add_node(step.graph, step.node);
        steps.push_back(std::move(step));
    }
    return steps;
}

Json profile_side(const char * side, const Case & c, const Device & device, const Logits & logits, GraphRunner & runner,
                  int rounds) {
    std::vector<Step>   steps = split(runner.graph());
    std::vector<double> whole;
    for (int round = 0; round < rounds; ++round) {
        logits.restore();
        whole.push_back(runner.run().compute);
        logits.restore();
        runner.upload();
        for (Step & step : steps) {
            const double start = now();
            device.compute(step.graph);
            step.times.push_back(now() - start);
        }
    }

    // A view does nothing, so its time is the overhead of starting a graph.
    std::vector<double> starts{ 0.0 };
    std::vector<Json>   nodes;
    for (const Step & step : steps) {
        const double us = median(step.times);
        if (bytes_moved(step.node) == 0) {
            starts.push_back(us);
        } else {
            nodes.push_back(Json()
                                .add("op", ggml_op_desc(step.node))
                                .add("name", step.node->name)
                                .add("us", us)
                                .add("bytes", bytes_moved(step.node)));
        }
    }
    return Json()
        .add("case", c.name)
        .add("side", side)
        .add("device", ggml_backend_dev_name(device.device))
        .add("threads", device.threads)
        .add("wholeUs", median(whole))
        .add("startUs", median(starts))
        .add("nodes", nodes);
}

} // namespace

std::vector<Json> profile_case(const Case & c, const Device & device, int rounds) {
    const Logits      logits(device, c);
    GgslRunner        ours(device, logits, c, false); // each op is a node
    std::vector<Json> lines{ profile_side("ggsl", c, device, logits, ours, rounds) };
    if (!c.stages.empty()) {
        LlamaRunner llama(device, logits, c);
        if (llama.missing().empty()) {
            lines.push_back(profile_side("llama", c, device, logits, llama, rounds));
        }
    }
    return lines;
}

} // namespace ggsl::tools
