// Test only: llama.cpp's own CPU samplers, as the oracle that GGSL's chains are compared with.
#include "addon/sampler_spec_value.h"

#include <gguf.h>

#include <cmath>
#include <cstring>

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

struct GgufDeleter {
    void operator()(gguf_context * pointer) const { gguf_free(pointer); }
};
using GgufPtr = std::unique_ptr<gguf_context, GgufDeleter>;

// The tensor's numbers, f32.
ggml_tensor * as_f32(ggml_context * context, const ggml_tensor * tensor) {
    ggml_tensor * numbers = ggml_new_tensor(context, GGML_TYPE_F32, ggml_n_dims(tensor), tensor->ne);
    ggml_set_name(numbers, ggml_get_name(tensor));
    if (tensor->type == GGML_TYPE_F32) {
        std::memcpy(numbers->data, tensor->data, ggml_nbytes(tensor));
    } else {
        ggml_get_type_traits(tensor->type)->to_float(tensor->data, static_cast<float *>(numbers->data), ggml_nelements(tensor));
    }
    return numbers;
}

// rewriteModel(from, to, metadata, isF32): a GGUF with more texts, i32 and f32 in its metadata, and with all weights f32 if so wanted.
void rewrite_model(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    ggml_context *  read = nullptr;
    const GgufPtr   from(gguf_init_from_file(info[0].ToString().Utf8Value().c_str(), { false, &read }));
    if (!from) {
        throw Napi::Error::New(env, "the oracle can not read the model");
    }
    const std::unique_ptr<ggml_context, decltype(&ggml_free)> tensors(read, ggml_free);
    const std::unique_ptr<ggml_context, decltype(&ggml_free)> made(ggml_init({ size_t{ 1 } << 28, nullptr, false }), ggml_free);

    const GgufPtr to(gguf_init_empty());
    gguf_set_kv(to.get(), from.get());
    const auto metadata = info[2].As<Napi::Object>();
    for (const auto & [name, entry] : metadata) {
        const std::string key   = name.ToString();
        const Napi::Value value = entry;
        const double number     = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : 0;
        if (!value.IsNumber()) {
            gguf_set_val_str(to.get(), key.c_str(), value.ToString().Utf8Value().c_str());
        } else if (number == std::floor(number)) {
            gguf_set_val_i32(to.get(), key.c_str(), static_cast<int32_t>(number));
        } else {
            gguf_set_val_f32(to.get(), key.c_str(), static_cast<float>(number));
        }
    }
    for (ggml_tensor * tensor = ggml_get_first_tensor(read); tensor != nullptr; tensor = ggml_get_next_tensor(read, tensor)) {
        if (gguf_find_tensor(from.get(), ggml_get_name(tensor)) >= 0) { // one more holds the file's bytes
            gguf_add_tensor(to.get(), info[3].ToBoolean() ? as_f32(made.get(), tensor) : tensor);
        }
    }
    if (!gguf_write_to_file(to.get(), info[1].ToString().Utf8Value().c_str(), false)) {
        throw Napi::Error::New(env, "the oracle can not write the model");
    }
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    exports.Set("LlamaChain", LlamaChain::define(env));
    exports.Set("generateReference", Napi::Function::New<generate_reference>(env));
    exports.Set("rewriteModel", Napi::Function::New<rewrite_model>(env));
    return exports;
}

NODE_API_MODULE(ggsl_oracle, init)

} // namespace
