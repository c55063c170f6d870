#include "stages.h"

#include "graph/failure.h"

#include <charconv>
#include <sstream>

namespace ggsl::tools {

namespace {

// llama.cpp aborts on a third stage that reorders rows, and on a k above the vocabulary.
constexpr int max_reorders = 2;
constexpr int max_stages   = 16;

void add_parameter(SamplerSpec & spec, const std::string & word, const std::string & text) {
    const size_t equals = word.find('=');
    double       value  = 0.0;
    const char * end    = word.data() + word.size();
    const char * begin  = equals == std::string::npos ? end : word.data() + equals + 1;
    if (const auto [rest, error] = std::from_chars(begin, end, value);
        equals == 0 || error != std::errc() || rest != end) {
        fail(code::invalid_argument, "\"%s\": expected NAME=NUMBER, found \"%s\"", text.c_str(), word.c_str());
    }
    if (!spec.parameters.emplace(word.substr(0, equals), Value{ value }).second) {
        fail(code::invalid_argument, "\"%s\": a parameter is given twice: \"%s\"", text.c_str(), word.c_str());
    }
}

std::vector<SamplerSpec> parse(const std::string & text, int32_t vocab_size) {
    std::vector<SamplerSpec> specs;
    std::istringstream       stages(text);
    for (std::string stage; std::getline(stages, stage, '|');) {
        std::istringstream words(stage);
        SamplerSpec        spec;
        // getline gives no empty stage after a last bar
        if (!(words >> spec.name) || text.ends_with('|')) {
            fail(code::invalid_argument, "\"%s\": expected a sampler's name in each stage", text.c_str());
        }
        for (std::string word; words >> word;) {
            add_parameter(spec, word, text);
        }
        if (spec.name == "penalties" || spec.name == "logit_bias" || spec.name == "mirostat") {
            spec.parameters["n_vocab"] = Value{ static_cast<double>(vocab_size) };
        }
        specs.push_back(spec);
    }
    if (specs.empty() || specs.size() > max_stages) {
        fail(code::invalid_argument, "expected a chain of 1 to %d samplers, found %zu", max_stages, specs.size());
    }
    return specs;
}

void check_limits(const std::vector<SamplerSpec> & specs, int32_t vocab_size) {
    int reorders = 0;
    for (const SamplerSpec & spec : specs) {
        const auto k = spec.parameters.find("k");
        reorders += spec.name == "top_k" || spec.name == "top_p" ? 1 : 0;
        if (k != spec.parameters.end() && std::get<double>(k->second.data) > vocab_size) {
            fail(code::invalid_argument, "%s: llama.cpp takes a k up to the vocabulary's %d", spec.name.c_str(),
                 vocab_size);
        }
    }
    if (reorders > max_reorders) {
        fail(code::invalid_argument, "llama.cpp takes at most %d of top_k and top_p in a chain, found %d", max_reorders,
             reorders);
    }
}

} // namespace

SamplerPtr make_chain(const std::string & text, int32_t vocab_size, std::span<const int32_t> history) {
    const std::vector<SamplerSpec> specs = parse(text, vocab_size);
    check_limits(specs, vocab_size);
    SamplerPtr chain(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    for (const SamplerSpec & spec : specs) {
        llama_sampler_chain_add(chain.get(), make_sampler(spec, nullptr).release());
    }
    for (const int32_t token : history) {
        llama_sampler_accept(chain.get(), token);
    }
    return chain;
}

std::vector<std::string> stages_without_backend(llama_sampler * chain) {
    std::vector<std::string> names;
    for (int32_t i = 0; i < llama_sampler_chain_n(chain); ++i) {
        const llama_sampler * stage = llama_sampler_chain_get(chain, i);
        if (stage->iface->backend_init == nullptr || stage->iface->backend_apply == nullptr) {
            names.emplace_back(llama_sampler_name(stage));
        }
    }
    return names;
}

} // namespace ggsl::tools
