// Test only: llama.cpp's own CPU samplers, as the oracle that GGSL's chains are compared with.
#include <llama.h>
#include <napi.h>

#include <memory>
#include <string>
#include <vector>

// Exported by llama.cpp for its own tests, in no header.
llama_sampler * llama_sampler_init_dry_testing(float multiplier, float base, int32_t allowed_length, int32_t last_n,
                                               const std::vector<std::vector<llama_token>> & breakers);

namespace {

using Sampler = std::unique_ptr<llama_sampler, decltype(&llama_sampler_free)>;

// The fields of one sampler's object, by llama.cpp's parameter names.
class Fields {
public:
    explicit Fields(const Napi::Object & object) : object(object) {}

    float       f32(const char * name) const { return static_cast<float>(number(name)); }
    int32_t     i32(const char * name) const { return static_cast<int32_t>(number(name)); }
    uint32_t    u32(const char * name) const { return static_cast<uint32_t>(number(name)); }
    size_t      size(const char * name) const { return static_cast<size_t>(number(name)); }
    std::string string(const char * name) const { return object.Get(name).ToString(); }
    Napi::Value value(const char * name) const { return object.Get(name); }

private:
    double number(const char * name) const {
        const Napi::Value found = object.Get(name);
        if (!found.IsNumber()) {
            throw Napi::TypeError::New(object.Env(), string("name") + ": " + name + " should be a number");
        }
        return found.As<Napi::Number>().DoubleValue();
    }

    Napi::Object object;
};

std::vector<llama_logit_bias> to_biases(const Napi::Value & value) {
    std::vector<llama_logit_bias> biases;
    const auto list = value.As<Napi::Array>();
    for (uint32_t i = 0; i < list.Length(); ++i) {
        const Fields entry(list.Get(i).As<Napi::Object>());
        biases.push_back({ entry.i32("token"), entry.f32("bias") });
    }
    return biases;
}

std::vector<std::vector<llama_token>> to_breakers(const Napi::Value & value) {
    std::vector<std::vector<llama_token>> breakers;
    const auto list = value.As<Napi::Array>();
    for (uint32_t i = 0; i < list.Length(); ++i) {
        const auto tokens = list.Get(i).As<Napi::Int32Array>();
        breakers.emplace_back(tokens.Data(), tokens.Data() + tokens.ElementLength());
    }
    return breakers;
}

llama_sampler * make_sampler(Napi::Env env, const Fields & f) {
    const std::string name = f.string("name");
    if (name == "greedy") return llama_sampler_init_greedy();
    if (name == "dist") return llama_sampler_init_dist(f.u32("seed"));
    if (name == "top_k") return llama_sampler_init_top_k(f.i32("k"));
    if (name == "top_p") return llama_sampler_init_top_p(f.f32("p"), f.size("min_keep"));
    if (name == "min_p") return llama_sampler_init_min_p(f.f32("p"), f.size("min_keep"));
    if (name == "typical") return llama_sampler_init_typical(f.f32("p"), f.size("min_keep"));
    if (name == "temp") return llama_sampler_init_temp(f.f32("t"));
    if (name == "temp_ext") return llama_sampler_init_temp_ext(f.f32("t"), f.f32("delta"), f.f32("exponent"));
    if (name == "xtc") return llama_sampler_init_xtc(f.f32("p"), f.f32("t"), f.size("min_keep"), f.u32("seed"));
    if (name == "top_n_sigma") return llama_sampler_init_top_n_sigma(f.f32("n"));
    if (name == "mirostat") return llama_sampler_init_mirostat(f.i32("n_vocab"), f.u32("seed"), f.f32("tau"), f.f32("eta"), f.i32("m"));
    if (name == "mirostat_v2") return llama_sampler_init_mirostat_v2(f.u32("seed"), f.f32("tau"), f.f32("eta"));
    if (name == "adaptive_p") return llama_sampler_init_adaptive_p(f.f32("target"), f.f32("decay"), f.u32("seed"));
    if (name == "penalties") {
        return llama_sampler_init_penalties(f.i32("n_vocab"), f.i32("last_n"), f.f32("repeat"), f.f32("freq"), f.f32("present"));
    }
    if (name == "logit_bias") {
        const auto biases = to_biases(f.value("biases"));
        return llama_sampler_init_logit_bias(f.i32("n_vocab"), static_cast<int32_t>(biases.size()), biases.data());
    }
    if (name == "dry") {
        return llama_sampler_init_dry_testing(f.f32("multiplier"), f.f32("base"), f.i32("allowed_length"), f.i32("last_n"),
                                              to_breakers(f.value("breakers")));
    }
    throw Napi::TypeError::New(env, "the oracle knows no sampler \"" + name + "\"");
}

Sampler make_chain(Napi::Env env, const Napi::Value & value) {
    Sampler    chain(llama_sampler_chain_init(llama_sampler_chain_default_params()), llama_sampler_free);
    const auto list = value.As<Napi::Array>();
    for (uint32_t i = 0; i < list.Length(); ++i) {
        llama_sampler * made = make_sampler(env, Fields(list.Get(i).As<Napi::Object>()));
        if (made == nullptr) {
            throw Napi::Error::New(env, "llama.cpp refuses the arguments of sampler " + std::to_string(i));
        }
        llama_sampler_chain_add(chain.get(), made);
    }
    return chain;
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
        : Napi::ObjectWrap<LlamaChain>(info), chain(make_chain(info.Env(), info[0])) {}

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

    Sampler chain;
};

// generateReference(modelPath, promptTokens, chain, n): Int32Array, blocking.
Napi::Value generate_reference(const Napi::CallbackInfo & info) {
    const Napi::Env env    = info.Env();
    const auto      prompt = info[1].As<Napi::Int32Array>();
    const Sampler   chain  = make_chain(env, info[2]);
    const int32_t   count  = info[3].ToNumber();

    std::unique_ptr<llama_model, decltype(&llama_model_free)> model(
        llama_model_load_from_file(info[0].ToString().Utf8Value().c_str(), llama_model_default_params()), llama_model_free);
    if (!model) {
        throw Napi::Error::New(env, "the oracle can not load the model");
    }
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

    std::vector<llama_token> batch(prompt.Data(), prompt.Data() + prompt.ElementLength());
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
