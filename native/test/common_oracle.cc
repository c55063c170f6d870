// Test only: llama.cpp's own command line and its `common` sampler chain, as the oracle for imported settings.
#include "addon/convert.h"
#include "graph/backend.h"

#include "arg.h"
#include "common.h"
#include "log.h"
#include "sampling.h"

#include <memory>
#include <string>
#include <vector>

namespace {

using ggsl::addon::guarded;

using CommonSamplerPtr = std::unique_ptr<common_sampler, decltype(&common_sampler_free)>;

std::vector<std::string> to_words(const Napi::Value & value) {
    const auto               array = value.As<Napi::Array>();
    std::vector<std::string> words{ "llama-completion" };
    for (uint32_t i = 0; i < array.Length(); ++i) {
        words.push_back(array.Get(i).As<Napi::String>().Utf8Value());
    }
    return words;
}

common_params parse(const Napi::Env & env, std::vector<std::string> words) {
    std::vector<char *> pointers;
    for (std::string & word : words) {
        pointers.push_back(word.data());
    }
    common_params params;
    if (!common_params_parse(static_cast<int>(pointers.size()), pointers.data(), params, LLAMA_EXAMPLE_COMPLETION)) {
        throw Napi::Error::New(env, "llama.cpp refuses the command line");
    }
    return params;
}

// commonTokens(words, prompt, count): the tokens that llama.cpp's programs generate with a command line.
Napi::Value common_tokens(const Napi::CallbackInfo & info) {
    const Napi::Env env    = info.Env();
    const auto      prompt = info[1].As<Napi::Int32Array>();
    const auto      count  = info[2].As<Napi::Number>().Int32Value();

    common_log_set_verbosity_thold(-1);
    ggsl::load_backends(GGSL_LIBRARIES);
    common_params params = parse(env, to_words(info[0]));
    // takes the sampling keys of the model's file in, and the bans of `--ignore-eos`
    const common_init_result_ptr loaded  = common_init_from_params(params);
    llama_context *              context = loaded->context();
    if (context == nullptr) {
        throw Napi::Error::New(env, "the oracle can not load the model");
    }
    const CommonSamplerPtr sampler(common_sampler_init(loaded->model(), params.sampling), common_sampler_free);

    std::vector<llama_token> batch(prompt.Data(), prompt.Data() + prompt.ElementLength());
    for (const llama_token token : batch) {
        common_sampler_accept(sampler.get(), token, false);
    }
    auto tokens = Napi::Int32Array::New(env, static_cast<size_t>(count));
    for (int32_t i = 0; i < count; ++i) {
        if (llama_decode(context, llama_batch_get_one(batch.data(), static_cast<int32_t>(batch.size()))) != 0) {
            throw Napi::Error::New(env, "the oracle can not decode");
        }
        const llama_token token = common_sampler_sample(sampler.get(), context, -1);
        common_sampler_accept(sampler.get(), token, true);
        tokens[static_cast<size_t>(i)] = token;
        batch = { token };
    }
    return tokens;
}

// commonOptions(): every option of llama.cpp's programs: { names, values, isSampling }, `values` words after a name.
Napi::Value common_options(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    common_params   params;
    auto            found = Napi::Array::New(env);
    for (int example = 0; example < LLAMA_EXAMPLE_COUNT; ++example) {
        const common_params_context context = common_params_parser_init(params, static_cast<llama_example>(example));
        for (const common_arg & option : context.options) {
            auto names = Napi::Array::New(env);
            for (const std::string & name : option.get_args()) {
                names.Set(names.Length(), name);
            }
            const bool has_value = option.handler_string != nullptr || option.handler_int != nullptr;
            auto       entry     = Napi::Object::New(env);
            entry.Set("names", names);
            entry.Set("values", option.handler_str_str != nullptr ? 2 : has_value ? 1 : 0);
            entry.Set("isSampling", option.is_sampling);
            found.Set(found.Length(), entry);
        }
    }
    return found;
}

template <Napi::Value (*function)(const Napi::CallbackInfo &)>
Napi::Value safely(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] { return function(info); });
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    exports.Set("commonTokens", Napi::Function::New<safely<common_tokens>>(env));
    exports.Set("commonOptions", Napi::Function::New<safely<common_options>>(env));
    return exports;
}

NODE_API_MODULE(ggsl_common_oracle, init)

} // namespace
