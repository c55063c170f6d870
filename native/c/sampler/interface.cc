// The members of llama_sampler_i.
#include "error.h"
#include "sampler/chain_sampler.h"

namespace ggsl::c {

namespace {

ChainSampler & self(const llama_sampler * sampler) {
    return *static_cast<ChainSampler *>(sampler->ctx);
}

llama_sampler_i interface = {
    /* name              */ [](const llama_sampler * s) { return self(s).spec().name.c_str(); },
    /* accept            */ [](llama_sampler * s, llama_token token) { self(s).accept(token); },
    /* apply             */ [](llama_sampler * s, llama_token_data_array * candidates) { self(s).apply(*candidates); },
    /* reset             */ [](llama_sampler * s) { self(s).restart(); },
    /* clone             */
    [](const llama_sampler * s) {
        return guarded<llama_sampler *>(nullptr, [&] { return to_llama(self(s).clone()); });
    },
    /* free              */ [](llama_sampler * s) { delete &self(s); },
    /* backend_init      */
    [](llama_sampler * s, ggml_backend_buffer_type_t type, uint32_t outputs) {
        return self(s).backend_init(type, outputs);
    },
    /* backend_accept    */ nullptr,
    /* backend_apply     */
    [](llama_sampler * s, ggml_context * context, ggml_cgraph * cgraph, llama_sampler_data * data) {
        self(s).backend_apply(context, cgraph, *data);
    },
    /* backend_set_input */ [](llama_sampler * s) { self(s).backend_set_input(); },
    /* backend_reset     */ [](llama_sampler * s) { self(s).backend_reset(); },
    /* copy_state        */ [](const llama_sampler * from, llama_sampler * to) { self(to).copy_state(self(from)); },
};

} // namespace

llama_sampler * to_llama(std::unique_ptr<ChainSampler> sampler) {
    llama_sampler * const made = llama_sampler_init(&interface, sampler.get());
    sampler.release();
    return made;
}

const ChainSampler & sampler_of(const llama_sampler * sampler) {
    if (sampler == nullptr || sampler->iface != &interface) {
        refuse(code::invalid_argument, "expected a sampler that ggsl_sampler_init returned, found " +
                                           std::string(sampler == nullptr ? "NULL" : "another one, called ") +
                                           (sampler == nullptr ? "" : llama_sampler_name(sampler)));
    }
    return self(sampler);
}

ChainSampler & sampler_of(llama_sampler * sampler) {
    sampler_of(static_cast<const llama_sampler *>(sampler));
    return self(sampler);
}

} // namespace ggsl::c
