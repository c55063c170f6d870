#include "loop/chains.h"

#include "error.h"

#include <algorithm>

namespace ggsl::loop {

namespace {

// Chains that are looked up once.
constexpr size_t most_known = 16;

// Whether a context can write on by itself with what the chain picks.
void check_writes(const c::Spec & spec) {
    const auto refuse = [&](const std::string & why) {
        c::refuse(c::code::unsupported, "the chain `" + spec.name + "` " + why);
    };
    if (!spec.tail.empty()) {
        refuse("has a host tail, which a loop does not run: write its texts with ggsl_sampler_init");
    }
    if (spec.outputs.sampled < 0) {
        refuse("picks no token: end it with a stage that does, such as `dist` or `greedy`");
    }
    for (const c::Feature & feature : spec.features) {
        if (feature.from == c::Feature::From::guide) {
            refuse("reads the logits of another sequence, `" + feature.name +
                   "`, which a loop does not give it: write its texts with ggsl_sampler_init");
        }
    }
}

} // namespace

OpenChain Chains::open(const std::shared_ptr<const c::Spec> & spec) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const OpenChain & each) { return each.chain->spec() == spec; });
    if (found != known.end()) {
        std::rotate(found, found + 1, known.end());
        return known.back();
    }
    check_writes(*spec);
    auto chain = std::make_shared<const Chain>(place, spec);
    auto graph = chain->graph();
    for (const OpenChain & each : known) {
        graph = *each.graph == *graph ? each.graph : graph;
    }
    if (known.size() == most_known) {
        known.erase(known.begin());
    }
    known.push_back({ std::move(chain), std::move(graph) });
    return known.back();
}

} // namespace ggsl::loop
