// Test only: llama.cpp's own CPU samplers, as the oracle that GGSL's chains are compared with.
#include "addon/sampler_spec_value.h"
#include "ties.h"

#include <gguf.h>

#include <cmath>
#include <cstring>

namespace {

using namespace ggsl;
using namespace ggsl::addon;
using namespace ggsl::test;

SamplerPtr make_chain(const std::vector<SamplerSpec> & specs, const llama_vocab * vocab) {
    SamplerPtr chain(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    for (const SamplerSpec & spec : specs) {
        llama_sampler_chain_add(chain.get(), make_sampler(spec, vocab).release());
    }
    return chain;
}

// The vocabulary in its order.
std::vector<llama_token_data> rows_of(std::span<const float> logits) {
    std::vector<llama_token_data> rows(logits.size());
    for (size_t token = 0; token < rows.size(); ++token) {
        rows[token] = { static_cast<llama_token>(token), logits[token], 0.0f };
    }
    return rows;
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
        : Napi::ObjectWrap<LlamaChain>(info), chain(guarded(info.Env(), [&] { return make_chain(to_sampler_specs(info[0]), nullptr); })) {}

private:
    Napi::Value apply(const Napi::CallbackInfo & info) {
        const auto                    given = info[0].As<Napi::Float32Array>();
        std::vector<llama_token_data> rows  = rows_of({ given.Data(), given.ElementLength() });
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

using ModelPtr   = std::unique_ptr<llama_model, decltype(&llama_model_free)>;
using ContextPtr = std::unique_ptr<llama_context, decltype(&llama_free)>;

// A text of llama.cpp's own, { model, prompt, samplers, isExact }: the model of that path, a context for `count` tokens after the
// prompt, and chains that have accepted the prompt. `isExact`: all is computed in f32.
class Text {
public:
    Text(const Napi::Object & text, size_t count)
        : prompt(to_vector<int32_t>(text.Get("prompt"), "prompt")), specs(to_sampler_specs(text.Get("samplers"))),
          model(llama_model_load_from_file(to_string(text.Get("model"), "model").c_str(), llama_model_default_params()), llama_model_free),
          context(nullptr, llama_free) {
        if (!model) {
            fail(code::invalid_model, "the oracle can not load the model");
        }
        llama_context_params params = llama_context_default_params();
        params.n_ctx                = static_cast<uint32_t>(prompt.size() + count + 1);
        params.n_batch              = params.n_ctx;
        params.n_ubatch             = params.n_ctx;
        params.n_threads            = 1; // more than there are processors make small models very slow
        params.n_threads_batch      = 1;
        if (text.Get("isExact").ToBoolean()) {
            params.type_k = params.type_v = GGML_TYPE_F32;
            params.flash_attn_type        = LLAMA_FLASH_ATTN_TYPE_DISABLED;
        }
        context.reset(llama_init_from_model(model.get(), params));
        if (!context) {
            fail(code::out_of_memory, "the oracle can not make a context");
        }
    }

    // As llama.cpp's own programs do: penalties look back on the prompt, too, but it is no text of a grammar.
    SamplerPtr open_chain() const {
        SamplerPtr chain = make_chain(specs, llama_model_get_vocab(model.get()));
        for (size_t i = 0; i < specs.size(); ++i) {
            llama_sampler * stage = llama_sampler_chain_get(chain.get(), static_cast<int32_t>(i));
            for (const llama_token token : specs[i].name == "grammar" ? Tokens() : prompt) {
                llama_sampler_accept(stage, token);
            }
        }
        return chain;
    }

    // What the chain picks of the logits that were decoded last.
    llama_token sample(llama_sampler * chain) const {
        std::vector<llama_token_data> rows = rows_of(last_logits(context.get()));
        llama_token_data_array        array{ rows.data(), rows.size(), -1, false };
        llama_sampler_apply(chain, &array);
        return array.data[array.selected].id;
    }

    const Tokens                   prompt;
    const std::vector<SamplerSpec> specs;
    const ModelPtr                 model;
    ContextPtr                     context;
};

// generateReference(text, count): Int32Array, blocking.
Napi::Value generate_reference(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        const size_t     count = info[1].ToNumber().Uint32Value();
        const Text       text(to_object(info[0], "text"), count);
        const SamplerPtr chain = text.open_chain();
        Tokens           batch = text.prompt, tokens;
        while (tokens.size() < count) {
            decode(text.context.get(), batch);
            tokens.push_back(text.sample(chain.get()));
            llama_sampler_accept(chain.get(), tokens.back());
            batch = { tokens.back() };
        }
        return from_vector(info.Env(), tokens);
    });
}

// picksNear(text, follow, off): Int32Array, blocking; see ties.h.
Napi::Value picks_near_text(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] {
        const TieOptions options = to_tie_options(info[1], info[2]);
        const Text       text(to_object(info[0], "text"), options.follow.size());
        return from_vector(info.Env(), picks_near(
            text.context.get(), text.prompt, options, [&] { return text.open_chain(); },
            [&](llama_sampler * chain) { return text.sample(chain); }, llama_sampler_accept));
    });
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
    exports.Set("picksNear", Napi::Function::New<picks_near_text>(env));
    exports.Set("rewriteModel", Napi::Function::New<rewrite_model>(env));
    return exports;
}

NODE_API_MODULE(ggsl_oracle, init)

} // namespace
