// ggsl.h: samplers, and what is set.
#include "arguments.h"
#include "sampler/chain_sampler.h"
#include "settings.h"

using namespace ggsl::c;

llama_sampler * ggsl_sampler_init(const ggsl_chain * chain, const llama_model * model) {
    return guarded<llama_sampler *>(nullptr, [&] {
        check_pointer(chain, "chain");
        check_pointer(model, "model");
        if (llama_vocab_type(llama_model_get_vocab(model)) == LLAMA_VOCAB_TYPE_NONE) {
            refuse(code::invalid_argument, "the model has no vocabulary");
        }
        // it is only read, though llama.cpp's functions take pointers that are not const
        return to_llama(std::make_unique<ChainSampler>(chain->prepared(const_cast<llama_model *>(model))));
    });
}

bool ggsl_sampler_set(llama_sampler * sampler, const char * param, double value) {
    return guarded(false, [&] {
        ChainSampler & own = sampler_of(sampler);
        own.set_param(param_that_takes(own.spec(), param, value), value);
        return true;
    });
}

bool ggsl_sampler_get(const llama_sampler * sampler, const char * param, double * value) {
    return guarded(false, [&] {
        const ChainSampler & own = sampler_of(sampler);
        check_pointer(value, "value");
        *value = own.sequence.param(param_index(own.spec(), param));
        return true;
    });
}

bool ggsl_sampler_set_tokens(llama_sampler * sampler, const char * set, const int32_t * tokens, size_t count) {
    return guarded(false, [&] {
        set_tokens(sampler_of(sampler).sequence, set, tokens, count);
        return true;
    });
}

bool ggsl_sampler_set_grammar(llama_sampler * sampler, const char * grammar, const char * gbnf, size_t length) {
    return guarded(false, [&] {
        set_grammar(sampler_of(sampler).sequence, grammar, gbnf, length);
        return true;
    });
}

bool ggsl_sampler_set_input(llama_sampler * sampler, const char * input, const float * values, size_t count) {
    return guarded(false, [&] {
        set_input(sampler_of(sampler).sequence, input, values, count);
        return true;
    });
}

bool ggsl_sampler_set_pairs(llama_sampler * sampler, const char * input, const int32_t * tokens, const float * values,
                            size_t count) {
    return guarded(false, [&] {
        set_pairs(sampler_of(sampler).sequence, input, tokens, values, count);
        return true;
    });
}

bool ggsl_sampler_set_text(llama_sampler * sampler, const char * text, const int32_t * tokens, size_t count) {
    return guarded(false, [&] {
        set_text(sampler_of(sampler).sequence, text, tokens, count);
        return true;
    });
}

bool ggsl_sampler_set_bias(llama_sampler * sampler, const int32_t * tokens, const float * values, size_t count) {
    return guarded(false, [&] {
        set_bias(sampler_of(sampler).sequence, tokens, values, count);
        return true;
    });
}
