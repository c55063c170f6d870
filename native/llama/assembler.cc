#include "assembler.h"

namespace ggsl {

namespace {

struct Assembler {
    std::function<std::vector<GroupToBuild>()> groups;
};

llama_sampler_i assembler_interface = {
    /* name              */ [](const llama_sampler *) { return "ggsl-assembler"; },
    /* accept            */ nullptr,
    /* apply             */ [](llama_sampler *, llama_token_data_array *) {},
    /* reset             */ nullptr,
    /* clone             */ nullptr,
    /* free              */ [](llama_sampler * s) { delete static_cast<Assembler *>(s->ctx); },
    /* backend_init      */ [](llama_sampler *, ggml_backend_buffer_type_t, uint32_t) { return true; },
    /* backend_accept    */ nullptr,
    /* backend_apply     */
    [](llama_sampler * s, ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data * data) {
        // the probe's logits are their own tensor
        ggml_tensor * const padded              = std::exchange(data->logits, nullptr)->view_src;
        if (padded == nullptr) {
            return;
        }
        for (const GroupToBuild & each : static_cast<Assembler *>(s->ctx)->groups()) {
            each.group->build(context, cgraph, padded, each.is_active);
        }
    },
    /* backend_set_input */ nullptr,
    /* backend_reset     */ nullptr,
    /* copy_state        */ nullptr,
};

} // namespace

SamplerPtr make_assembler(std::function<std::vector<GroupToBuild>()> groups) {
    SamplerPtr chain(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(chain.get(), llama_sampler_init(&assembler_interface, new Assembler{ std::move(groups) }));
    return chain;
}

} // namespace ggsl
