#include "count.h"

#include "runner.h"
#include "work.h"

namespace ggsl::tools {

namespace {

Json side_json(const GraphRunner & runner, Family family) {
    const Work work = work_of(runner.graph(), family);
    return Json()
        .add("nodes", runner.nodes())
        .add("nodesWithoutViews", runner.nodes_without_views())
        .add("launches", work.launches)
        .add("bytes", work.bytes);
}

} // namespace

Json count_case(const Case & c, const Device & device) {
    Json                       json = Json().add("case", c.name).add("vocab", c.bound.vocab_size).add("rows", c.rows);
    const Logits               logits(device, c);
    std::optional<LlamaRunner> llama;
    if (!c.stages.empty()) {
        llama.emplace(device, logits, c);
        if (!llama->missing().empty()) {
            json.add("missingInLlama", llama->missing());
            llama.reset();
        }
    }
    for (const Family family : { Family::cuda, Family::vulkan }) {
        Json sides = Json().add("ggsl", side_json(GgslRunner(device, logits, c, family), family));
        if (llama) {
            sides.add("llama", side_json(*llama, family));
        }
        json.add(family_name(family), sides);
    }
    return json;
}

} // namespace ggsl::tools
