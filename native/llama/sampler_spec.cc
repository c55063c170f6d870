#include "sampler_spec.h"

#include "arguments.h"
#include "graph/failure.h"
#include "grammar.h"

// Exported by llama.cpp for its own tests, in no header.
llama_sampler * llama_sampler_init_dry_testing(float multiplier, float base, int32_t allowed_length, int32_t last_n,
                                               const std::vector<std::vector<llama_token>> & breakers);

namespace ggsl {

namespace {

// Samplers that look back keep buffers of this many tokens at most, which is more than any context has.
constexpr int32_t max_history = 1 << 24;

llama_sampler * make_mirostat(Arguments & a) {
    const int32_t n_vocab = a.n_vocab();
    if (n_vocab == 0) {
        a.vocab("its estimate (or the parameter n_vocab)");
    }
    return llama_sampler_init_mirostat(n_vocab, a.seed(), a.f32("tau", 5.0f), a.f32("eta", 0.1f), a.i32("m", 100, 1));
}

llama_sampler * make_penalties(Arguments & a) {
    return llama_sampler_init_penalties(a.n_vocab(), a.i32("last_n", 64, INT32_MIN, max_history), a.positive("repeat", 1.0f),
                                        a.f32("freq", 0.0f), a.f32("present", 0.0f));
}

llama_sampler * make_dry(Arguments & a) {
    const float   multiplier     = a.f32("multiplier", 0.0f);
    const float   base           = a.f32("base", 1.75f);
    const int32_t allowed_length = a.i32("allowed_length", 2, -max_history, max_history);
    const int32_t last_n         = a.i32("last_n", 64, INT32_MIN, max_history);
    const auto    breakers       = a.breakers("breakers", { "\n", ":", "\"", "*" });

    // llama.cpp gives another object for a disabled one, and `dry_testing` would write its breakers over that.
    const bool enabled = multiplier != 0.0f && base >= 1.0f && last_n > 0;
    if (!enabled || (breakers.texts.empty() && breakers.tokens.empty())) {
        return llama_sampler_init_dry(nullptr, multiplier, base, allowed_length, last_n, nullptr, 0);
    }
    if (!breakers.tokens.empty()) {
        return llama_sampler_init_dry_testing(multiplier, base, allowed_length, last_n, breakers.tokens);
    }
    std::vector<const char *> texts;
    for (const std::string & text : breakers.texts) {
        texts.push_back(text.c_str());
    }
    return llama_sampler_init_dry(a.vocab("finding the tokens of its breakers"), multiplier, base, allowed_length, last_n,
                                  texts.data(), texts.size());
}

llama_sampler * make_logit_bias(Arguments & a) {
    const auto biases = a.biases("biases");
    return llama_sampler_init_logit_bias(a.n_vocab(), static_cast<int32_t>(biases.size()), biases.data());
}

llama_sampler * make_infill(Arguments & a) {
    const llama_vocab * vocab = a.vocab("telling text from end of text");
    // llama.cpp aborts when it wants to end the text and can not.
    if (llama_vocab_eot(vocab) == LLAMA_TOKEN_NULL && llama_vocab_eos(vocab) == LLAMA_TOKEN_NULL) {
        fail(code::invalid_argument, "infill: the model's vocabulary has no token that ends a text");
    }
    return llama_sampler_init_infill(vocab);
}

struct Entry {
    const char * name;
    bool         picks;
    llama_sampler * (*make)(Arguments & a);
};

constexpr Entry table[] = {
    { "greedy", true, [](Arguments &) { return llama_sampler_init_greedy(); } },
    { "dist", true, [](Arguments & a) { return llama_sampler_init_dist(a.seed()); } },
    { "top_k", false, [](Arguments & a) { return llama_sampler_init_top_k(a.i32("k", 40)); } },
    { "top_p", false, [](Arguments & a) { return llama_sampler_init_top_p(a.f32("p", 0.95f), a.min_keep()); } },
    { "min_p", false, [](Arguments & a) { return llama_sampler_init_min_p(a.f32("p", 0.05f), a.min_keep()); } },
    { "typical", false, [](Arguments & a) { return llama_sampler_init_typical(a.f32("p", 1.0f), a.min_keep()); } },
    { "temp", false, [](Arguments & a) { return llama_sampler_init_temp(a.f32("t", 0.8f)); } },
    { "temp_ext", false, [](Arguments & a) {
        return llama_sampler_init_temp_ext(a.f32("t", 0.8f), a.f32("delta", 0.0f), a.f32("exponent", 1.0f));
    } },
    { "xtc", false, [](Arguments & a) {
        return llama_sampler_init_xtc(a.f32("p", 0.0f), a.f32("t", 0.1f), a.min_keep(), a.seed());
    } },
    { "top_n_sigma", false, [](Arguments & a) { return llama_sampler_init_top_n_sigma(a.f32("n", -1.0f)); } },
    { "mirostat", true, make_mirostat },
    { "mirostat_v2", true, [](Arguments & a) {
        return llama_sampler_init_mirostat_v2(a.seed(), a.f32("tau", 5.0f), a.f32("eta", 0.1f));
    } },
    { "adaptive_p", true, [](Arguments & a) {
        return llama_sampler_init_adaptive_p(a.f32("target", -1.0f), a.f32("decay", 0.9f), a.seed());
    } },
    { "penalties", false, make_penalties },
    { "dry", false, make_dry },
    { "logit_bias", false, make_logit_bias },
    { "grammar", false, [](Arguments & a) {
        const std::string text = a.text("text");
        return make_grammar(a.vocab("a grammar"), text, a.text("root", "root")).release();
    } },
    { "infill", false, make_infill },
};

const Entry * find(const std::string & name) {
    for (const Entry & entry : table) {
        if (name == entry.name) {
            return &entry;
        }
    }
    return nullptr;
}

} // namespace

bool picks_token(const std::string & name) {
    const Entry * entry = find(name);
    return entry != nullptr && entry->picks;
}

SamplerPtr make_sampler(const SamplerSpec & spec, const llama_vocab * vocab) {
    const Entry * entry = find(spec.name);
    if (entry == nullptr) {
        std::string names;
        for (const Entry & known : table) {
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        }
        fail(code::invalid_argument, "unknown llama.cpp sampler \"%s\": expected one of %s", spec.name.substr(0, 40).c_str(),
             names.c_str());
    }
    Arguments  arguments(spec, vocab);
    SamplerPtr sampler(entry->make(arguments));
    arguments.finish();
    return sampler;
}

} // namespace ggsl
