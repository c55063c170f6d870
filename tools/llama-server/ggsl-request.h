// What llama-server calls for a request with a chain: `{ "spec": { ... }, "set": { "t": 0.9 } }`, where `spec` is what
// `ggsl compile --emit json` writes, as an object or a text.
#pragma once

#include <ggsl.h>
#include <llama.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// Throws the last error of this thread for NULL or false.
template <typename T> T ggsl_checked(T result) {
    if (!result) {
        throw std::invalid_argument(std::string(ggsl_error_code()) + ": " + ggsl_error());
    }
    return result;
}

// Replaces the samplers of a llama.cpp chain, which must not be in a context, by the request's. Throws std::exception.
inline void use_chain(llama_sampler * samplers, const llama_model * model, const std::string & text) {
    const nlohmann::json request = nlohmann::json::parse(text);
    const nlohmann::json given   = request.at("spec");
    const std::string    spec    = given.is_string() ? given.get<std::string>() : given.dump();

    const std::unique_ptr<ggsl_chain, void (*)(ggsl_chain *)> chain(
        ggsl_checked(ggsl_chain_load(spec.data(), spec.size())), ggsl_chain_free);
    if (!ggsl_chain_picks(chain.get())) {
        throw std::invalid_argument("the chain picks no token");
    }
    std::unique_ptr<llama_sampler, void (*)(llama_sampler *)> sampler(
        ggsl_checked(ggsl_sampler_init(chain.get(), model)), llama_sampler_free);
    const nlohmann::json settings = request.value("set", nlohmann::json::object());
    for (const auto & [name, value] : settings.items()) {
        ggsl_checked(ggsl_sampler_set(sampler.get(), name.c_str(), value.get<double>()));
    }
    ggsl_checked(ggsl_sampler_is_ready(sampler.get()));

    while (llama_sampler_chain_n(samplers) > 0) {
        llama_sampler_free(llama_sampler_chain_remove(samplers, 0));
    }
    llama_sampler_chain_add(samplers, sampler.release());
}

// The tokens that the next batch has after a text, for a request with a chain; a sampler of llama.cpp has no use for them.
inline void tell_draft(llama_sampler * samplers, const std::vector<llama_token> & draft) {
    const int count = llama_sampler_chain_n(samplers);
    if (count > 0) {
        ggsl_sampler_draft(llama_sampler_chain_get(samplers, count - 1), draft.data(), draft.size());
    }
}
