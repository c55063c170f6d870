#include "sampler_spec.h"

#include "graph/failure.h"
#include "arguments.h"
#include "facts.generated.h"
#include "grammar.h"

#include <algorithm>
#include <iterator>
#include <string_view>

// Exported by llama.cpp for its own tests, in no header.
llama_sampler * llama_sampler_init_dry_testing(float multiplier, float base, int32_t allowed_length, int32_t last_n,
                                               const std::vector<std::vector<llama_token>> & breakers);

namespace ggsl {

namespace {

// Tokens that llama.cpp compares with breakers: about a second.
constexpr size_t max_breaker_work = 1 << 22;

llama_sampler * make_mirostat(Arguments & a) {
    const int32_t n_vocab = a.n_vocab();
    if (n_vocab == 0) {
        a.vocab("its estimate (or the parameter n_vocab)");
    }
    return llama_sampler_init_mirostat(n_vocab, a.seed(), a.f32("tau"), a.f32("eta"), a.i32("m"));
}

llama_sampler * make_penalties(Arguments & a) {
    return llama_sampler_init_penalties(a.n_vocab(), a.i32("last_n"), a.f32("repeat"), a.f32("freq"), a.f32("present"));
}

llama_sampler * make_dry(Arguments & a) {
    const float   multiplier     = a.f32("multiplier");
    const float   base           = a.f32("base");
    const int32_t allowed_length = a.i32("allowed_length");
    const int32_t last_n         = a.i32("last_n");
    const auto    breakers       = a.breakers("breakers");

    // For a disabled sampler llama.cpp returns another type of object, which `dry_testing` would overwrite with its breakers.
    const bool enabled = multiplier != 0.0f && base >= 1.0f && last_n > 0;
    if (!enabled || (breakers.texts.empty() && breakers.tokens.empty())) {
        return llama_sampler_init_dry(nullptr, multiplier, base, allowed_length, last_n, nullptr, 0);
    }
    if (!breakers.tokens.empty()) {
        return llama_sampler_init_dry_testing(multiplier, base, allowed_length, last_n, breakers.tokens);
    }
    const llama_vocab * vocab = a.vocab("finding the tokens of its breakers");
    const auto          work  = breakers.texts.size() * static_cast<size_t>(llama_vocab_n_tokens(vocab));
    if (work > max_breaker_work) {
        fail(
            code::limit_exceeded,
            "dry: breakers: %zu texts in a vocabulary of %d tokens, expected a product of at most %zu (max_breaker_work)",
            breakers.texts.size(), llama_vocab_n_tokens(vocab), max_breaker_work);
    }
    std::vector<const char *> texts;
    for (const std::string & text : breakers.texts) {
        texts.push_back(text.c_str());
    }
    return llama_sampler_init_dry(vocab, multiplier, base, allowed_length, last_n, texts.data(), texts.size());
}

llama_sampler * make_logit_bias(Arguments & a) {
    const auto biases = a.biases("biases");
    return llama_sampler_init_logit_bias(a.n_vocab(), static_cast<int32_t>(biases.size()), biases.data());
}

llama_sampler * make_infill(Arguments & a) {
    const llama_vocab * vocab = a.vocab("telling text from end of text");
    // llama.cpp aborts if it wants to end the text and has no token for it.
    if (llama_vocab_eot(vocab) == LLAMA_TOKEN_NULL && llama_vocab_eos(vocab) == LLAMA_TOKEN_NULL) {
        fail(code::invalid_argument, "infill: the model's vocabulary has no token that ends a text");
    }
    return llama_sampler_init_infill(vocab);
}

GrammarTexts read_grammar(Arguments & a) {
    std::string text = a.text("text");
    a.vocab("a grammar");
    return { std::move(text), a.text("root") };
}

struct Entry {
    const char * name;
    llama_sampler * (*make)(Arguments & a);
};

constexpr Entry samplers[] = {
    { "greedy", [](Arguments &) { return llama_sampler_init_greedy(); } },
    { "dist", [](Arguments & a) { return llama_sampler_init_dist(a.seed()); } },
    { "top_k", [](Arguments & a) { return llama_sampler_init_top_k(a.i32("k")); } },
    { "top_p", [](Arguments & a) { return llama_sampler_init_top_p(a.f32("p"), a.min_keep()); } },
    { "min_p", [](Arguments & a) { return llama_sampler_init_min_p(a.f32("p"), a.min_keep()); } },
    { "typical", [](Arguments & a) { return llama_sampler_init_typical(a.f32("p"), a.min_keep()); } },
    { "temp", [](Arguments & a) { return llama_sampler_init_temp(a.f32("t")); } },
    { "temp_ext",
      [](Arguments & a) { return llama_sampler_init_temp_ext(a.f32("t"), a.f32("delta"), a.f32("exponent")); } },
    { "xtc", [](Arguments & a) { return llama_sampler_init_xtc(a.f32("p"), a.f32("t"), a.min_keep(), a.seed()); } },
    { "top_n_sigma", [](Arguments & a) { return llama_sampler_init_top_n_sigma(a.f32("n")); } },
    { "mirostat", make_mirostat },
    { "mirostat_v2",
      [](Arguments & a) { return llama_sampler_init_mirostat_v2(a.seed(), a.f32("tau"), a.f32("eta")); } },
    { "penalties", make_penalties },
    { "dry", make_dry },
    { "adaptive_p",
      [](Arguments & a) { return llama_sampler_init_adaptive_p(a.f32("target"), a.f32("decay"), a.seed()); } },
    { "grammar",
      [](Arguments & a) {
          const GrammarTexts texts      = read_grammar(a);
          return make_grammar(a.vocab("a grammar"), texts.text, texts.root).release();
      } },
    { "infill", make_infill },
    // Programs cannot name this one: its biases come with a request.
    { "logit_bias", make_logit_bias },
};

template <typename Named> constexpr const Named * find(const Named * begin, const Named * end, std::string_view name) {
    const Named * found = std::find_if(begin, end, [&](const Named & entry) { return name == entry.name; });
    return found == end ? nullptr : found;
}

constexpr const Entry * entry_of(std::string_view name) {
    return find(std::begin(samplers), std::end(samplers), name);
}

constexpr const facts::Sampler * facts_of(std::string_view name) {
    return find(std::begin(facts::samplers), std::end(facts::samplers), name);
}

Arguments arguments_of(const SamplerSpec & spec, const llama_vocab * vocab) {
    const facts::Sampler * found = facts_of(spec.name);
    return Arguments(spec, found == nullptr ? std::span<const facts::Parameter>() : found->parameters, vocab);
}

static_assert(std::all_of(std::begin(facts::samplers), std::end(facts::samplers),
                          [](const facts::Sampler & sampler) { return entry_of(sampler.name) != nullptr; }));

} // namespace

bool picks_token(const std::string & name) {
    const facts::Sampler * sampler = facts_of(name);
    return sampler != nullptr && sampler->picks;
}

SamplerPtr make_sampler(const SamplerSpec & spec, const llama_vocab * vocab) {
    const Entry * entry = entry_of(spec.name);
    if (entry == nullptr) {
        std::string names;
        for (const Entry & known : samplers) {
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        }
        fail(code::invalid_argument, "unknown llama.cpp sampler \"%s\": expected one of %s",
             spec.name.substr(0, 40).c_str(), names.c_str());
    }
    Arguments  arguments = arguments_of(spec, vocab);
    SamplerPtr sampler(entry->make(arguments));
    arguments.finish();
    return sampler;
}

size_t window_length(const SamplerSpec & spec) {
    if (spec.name != "penalties" && spec.name != "dry") {
        return 0;
    }
    return static_cast<size_t>(std::max(0, arguments_of(spec, nullptr).i32("last_n")));
}

GrammarTexts grammar_texts(const SamplerSpec & spec, const llama_vocab * vocab) {
    Arguments    arguments = arguments_of(spec, vocab);
    GrammarTexts texts     = read_grammar(arguments);
    arguments.finish();
    return texts;
}

} // namespace ggsl
