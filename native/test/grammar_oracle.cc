#include "grammar_oracle.h"

#include "addon/convert.h"
#include "llama/grammar.h"

#include <memory>

namespace ggsl::test {

namespace {

using namespace addon;

using SharedModel = std::shared_ptr<llama_model>;

// One model for all grammars over it.
SharedModel model_of(const std::string & path) {
    static std::weak_ptr<llama_model> last;
    static std::string                last_path;
    SharedModel                       model = path == last_path ? last.lock() : nullptr;
    if (!model) {
        llama_model_params params = llama_model_default_params();
        params.vocab_only         = true;
        llama_model * loaded      = llama_model_load_from_file(path.c_str(), params);
        if (loaded == nullptr) {
            fail(code::invalid_model, "the oracle cannot read the model");
        }
        model     = SharedModel(loaded, llama_model_free);
        last      = model;
        last_path = path;
    }
    return model;
}

class LlamaGrammar : public Napi::ObjectWrap<LlamaGrammar> {
public:
    static Napi::Function define(Napi::Env env) {
        return DefineClass(env, "LlamaGrammar",
                           {
                               InstanceMethod<&LlamaGrammar::bits>("bits"),
                               InstanceMethod<&LlamaGrammar::after>("after"),
                           });
    }

    explicit LlamaGrammar(const Napi::CallbackInfo & info) : Napi::ObjectWrap<LlamaGrammar>(info) {
        guarded(info.Env(), [&] {
            if (info[0].IsExternal()) { // from `after`
                const auto & from = *info[0].As<Napi::External<LlamaGrammar>>().Data();
                model             = from.model;
                sampler.reset(llama_sampler_clone(from.sampler.get()));
                return;
            }
            model   = model_of(to_string(info[0], "model"));
            sampler = make_grammar(llama_model_get_vocab(model.get()), to_string(info[1], "gbnf"), "root");
        });
    }

private:
    // A bit for each token that the sampler leaves.
    Napi::Value bits(const Napi::CallbackInfo & info) {
        std::vector<llama_token_data> rows(
            static_cast<size_t>(llama_vocab_n_tokens(llama_model_get_vocab(model.get()))));
        for (size_t token = 0; token < rows.size(); ++token) {
            rows[token] = { static_cast<llama_token>(token), 0.0f, 0.0f };
        }
        apply(rows);
        auto bits = Napi::Uint32Array::New(info.Env(), (rows.size() + 31) / 32);
        for (size_t token = 0; token < rows.size(); ++token) {
            if (rows[token].logit == 0.0f) {
                bits[token / 32] = bits[token / 32] | 1u << (token % 32);
            }
        }
        return bits;
    }

    // The position after a token, or undefined where the sampler leaves it not: it would end the process.
    Napi::Value after(const Napi::CallbackInfo & info) {
        const Napi::Env env = info.Env();
        return guarded(env, [&]() -> Napi::Value {
            const llama_token             token = to_int(info[0], "token");
            std::vector<llama_token_data> rows{ { token, 0.0f, 0.0f } };
            apply(rows);
            if (rows[0].logit != 0.0f) {
                return env.Undefined();
            }
            const auto         constructor = Value().Get("constructor").As<Napi::Function>();
            const Napi::Object next        = constructor.New({ Napi::External<LlamaGrammar>::New(env, this) });
            llama_sampler_accept(Unwrap(next)->sampler.get(), token);
            return next;
        });
    }

    void apply(std::vector<llama_token_data> & rows) const {
        llama_token_data_array array{ rows.data(), rows.size(), -1, false };
        llama_sampler_apply(sampler.get(), &array);
    }

    SharedModel model; // freed after the sampler, which uses its vocabulary
    SamplerPtr  sampler;
};

} // namespace

Napi::Function define_llama_grammar(Napi::Env env) {
    return LlamaGrammar::define(env);
}

} // namespace ggsl::test
