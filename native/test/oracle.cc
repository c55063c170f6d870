// Test only: llama.cpp's own CPU samplers, as the oracle that GGSL's chains are compared with.
#include "../src/addon/sampler_spec_value.h"

namespace {

using ggsl::SamplerPtr;

SamplerPtr make_chain(Napi::Env env, const Napi::Value & value, const llama_vocab * vocab) {
    return ggsl::addon::guarded(env, [&] {
        SamplerPtr chain(llama_sampler_chain_init(llama_sampler_chain_default_params()));
        for (const ggsl::SamplerSpec & spec : ggsl::addon::to_sampler_specs(value)) {
            llama_sampler_chain_add(chain.get(), ggsl::make_sampler(spec, vocab).release());
        }
        return chain;
    });
}

class LlamaChain : public Napi::ObjectWrap<LlamaChain> {
public:
    static Napi::Function define(Napi::Env env) {
        return DefineClass(env, "LlamaChain", {
            InstanceMethod<&LlamaChain::apply>("apply"),
            InstanceMethod<&LlamaChain::accept>("accept"),
            InstanceMethod<&LlamaChain::reset>("reset"),
        });
    }

    explicit LlamaChain(const Napi::CallbackInfo & info)
        : Napi::ObjectWrap<LlamaChain>(info), chain(make_chain(info.Env(), info[0], nullptr)) {}

private:
    Napi::Value apply(const Napi::CallbackInfo & info) {
        const auto given = info[0].As<Napi::Float32Array>();
        std::vector<llama_token_data> rows(given.ElementLength());
        for (size_t token = 0; token < rows.size(); ++token) {
            rows[token] = { static_cast<llama_token>(token), given[token], 0.0f };
        }
        llama_token_data_array array{ rows.data(), rows.size(), -1, false };
        llama_sampler_apply(chain.get(), &array);

        auto tokens = Napi::Int32Array::New(info.Env(), array.size);
        auto logits = Napi::Float32Array::New(info.Env(), array.size);
        auto probs  = Napi::Float32Array::New(info.Env(), array.size);
        for (size_t i = 0; i < array.size; ++i) {
            tokens[i] = array.data[i].id;
            logits[i] = array.data[i].logit;
            probs[i]  = array.data[i].p;
        }
        Napi::Object result = Napi::Object::New(info.Env());
        result.Set("tokens", tokens);
        result.Set("logits", logits);
        result.Set("probs", probs);
        result.Set("selected", array.selected < 0 ? -1 : array.data[array.selected].id);
        return result;
    }

    void accept(const Napi::CallbackInfo & info) { llama_sampler_accept(chain.get(), info[0].ToNumber()); }
    void reset(const Napi::CallbackInfo &) { llama_sampler_reset(chain.get()); }

    SamplerPtr chain;
};

// generateReference(modelPath, promptTokens, chain, n): Int32Array, blocking.
Napi::Value generate_reference(const Napi::CallbackInfo & info) {
    const Napi::Env env    = info.Env();
    const auto      prompt = info[1].As<Napi::Int32Array>();
    const int32_t   count  = info[3].ToNumber();

    std::unique_ptr<llama_model, decltype(&llama_model_free)> model(
        llama_model_load_from_file(info[0].ToString().Utf8Value().c_str(), llama_model_default_params()), llama_model_free);
    if (!model) {
        throw Napi::Error::New(env, "the oracle can not load the model");
    }
    const SamplerPtr chain = make_chain(env, info[2], llama_model_get_vocab(model.get()));
    llama_context_params params = llama_context_default_params();
    params.n_ctx                = static_cast<uint32_t>(prompt.ElementLength()) + static_cast<uint32_t>(count) + 1;
    params.n_batch              = params.n_ctx;
    params.n_ubatch             = params.n_ctx;
    params.n_threads            = 1; // more than there are processors make small models very slow
    params.n_threads_batch      = 1;
    std::unique_ptr<llama_context, decltype(&llama_free)> context(llama_init_from_model(model.get(), params), llama_free);
    if (!context) {
        throw Napi::Error::New(env, "the oracle can not make a context");
    }

    // as llama.cpp's own programs do: penalties look back on the prompt, too
    std::vector<llama_token> batch(prompt.Data(), prompt.Data() + prompt.ElementLength());
    for (const llama_token token : batch) {
        llama_sampler_accept(chain.get(), token);
    }
    auto tokens = Napi::Int32Array::New(env, static_cast<size_t>(count));
    for (int32_t i = 0; i < count; ++i) {
        if (llama_decode(context.get(), llama_batch_get_one(batch.data(), static_cast<int32_t>(batch.size()))) != 0) {
            throw Napi::Error::New(env, "the oracle can not decode");
        }
        batch = { llama_sampler_sample(chain.get(), context.get(), -1) };
        tokens[static_cast<size_t>(i)] = batch[0];
    }
    return tokens;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    exports.Set("LlamaChain", LlamaChain::define(env));
    exports.Set("generateReference", Napi::Function::New<generate_reference>(env));
    return exports;
}

NODE_API_MODULE(ggsl_oracle, init)

} // namespace
