// Test only: llama.cpp's own command line and its `common` sampler chain, as the oracle for imported settings.
#include "addon/convert.h"
#include "graph/backend.h"
#include "chat_oracle.h"
#include "ties.h"

#include "arg.h"
#include "common.h"
#include "log.h"
#include "sampling.h"

#include <memory>
#include <string>
#include <vector>

namespace {

using namespace ggsl::addon;
using namespace ggsl::test;

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

// A text generated as llama.cpp's programs do, from their command line.
class Text {
public:
    explicit Text(const Napi::CallbackInfo & info) : prompt(to_vector<int32_t>(info[1], "prompt")) {
        common_log_set_verbosity_thold(-1);
        ggsl::load_backends(GGSL_LIBRARIES);
        params = parse(info.Env(), to_words(info[0]));
        // applies the sampling keys of the model's file, and the bans of `--ignore-eos`
        loaded = common_init_from_params(params);
        if (loaded->context() == nullptr) {
            throw Napi::Error::New(info.Env(), "the oracle cannot load the model");
        }
    }

    // A chain that has accepted the prompt.
    CommonSamplerPtr open_chain() {
        CommonSamplerPtr chain(common_sampler_init(loaded->model(), params.sampling), common_sampler_free);
        for (const llama_token token : prompt) {
            common_sampler_accept(chain.get(), token, false);
        }
        return chain;
    }

    llama_token     sample(common_sampler * chain) const { return common_sampler_sample(chain, context(), -1); }
    llama_context * context() const { return loaded->context(); }

    const Tokens prompt;

private:
    common_params          params;
    common_init_result_ptr loaded;
};

void accept(common_sampler * chain, llama_token token) {
    common_sampler_accept(chain, token, true);
}

// commonTokens(words, prompt, count): the tokens that llama.cpp's programs generate with a command line.
Napi::Value common_tokens(const Napi::CallbackInfo & info) {
    const size_t           count = info[2].ToNumber().Uint32Value();
    Text                   text(info);
    const CommonSamplerPtr chain = text.open_chain();
    Tokens                 batch = text.prompt, tokens;
    while (tokens.size() < count) {
        decode(text.context(), batch);
        tokens.push_back(text.sample(chain.get()));
        accept(chain.get(), tokens.back());
        batch = { tokens.back() };
    }
    return from_vector(info.Env(), tokens);
}

// commonPicksNear(words, prompt, follow, off): see ties.h.
Napi::Value common_picks_near(const Napi::CallbackInfo & info) {
    Text text(info);
    return from_vector(info.Env(), picks_near(
                                       text.context(), text.prompt, to_tie_options(info[2], info[3]),
                                       [&] { return text.open_chain(); },
                                       [&](common_sampler * chain) { return text.sample(chain); }, accept));
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

template <Napi::Value (*function)(const Napi::CallbackInfo &)> Napi::Value safely(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&] { return function(info); });
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    exports.Set("commonTokens", Napi::Function::New<safely<common_tokens>>(env));
    exports.Set("commonPicksNear", Napi::Function::New<safely<common_picks_near>>(env));
    exports.Set("commonOptions", Napi::Function::New<safely<common_options>>(env));
    exports.Set("renderTemplate", Napi::Function::New<safely<render_template>>(env));
    exports.Set("applyTemplate", Napi::Function::New<safely<apply_template>>(env));
    return exports;
}

NODE_API_MODULE(ggsl_common_oracle, init)

} // namespace
