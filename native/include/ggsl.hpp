// ggsl.h for C++17: objects that free themselves, and exceptions.
//
//     ggsl::Chain   chain(json);
//     ggsl::Sampler sampler(chain, model);
//     sampler.set("t", 0.9);
//     llama_sampler_chain_add(samplers, sampler.give()); // `samplers` owns it now; `sampler` still reaches it
#pragma once

#include <ggsl.h>
#include <llama.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ggsl {

// The last failure of this thread; `code` is a word of ggsl_error_code.
class Error : public std::runtime_error {
public:
    Error() : std::runtime_error(ggsl_error()), code(ggsl_error_code()) {}

    const std::string code;
};

// Throws Error for NULL or false.
template <typename T> T checked(T result) {
    if (!result) {
        throw Error();
    }
    return result;
}

// Any number of threads may use a chain.
class Chain {
public:
    // A spec: what `ggsl compile --emit json` writes.
    explicit Chain(std::string_view json)
        : chain(checked(ggsl_chain_load(json.data(), json.size())), ggsl_chain_free) {}

    const ggsl_chain * get() const { return chain.get(); }
    std::string        name() const { return ggsl_chain_name(get()); }
    bool               picks() const { return ggsl_chain_picks(get()); }

    // Their texts live as long as the chain.
    std::vector<ggsl_part> parts(ggsl_kind kind) const {
        std::vector<ggsl_part> found(ggsl_chain_count(get(), kind));
        for (size_t i = 0; i < found.size(); ++i) {
            found[i].size = sizeof(ggsl_part);
            checked(ggsl_chain_part(get(), kind, i, &found[i]));
        }
        return found;
    }

    ggsl_cost cost(int32_t n_vocab) const {
        ggsl_cost result{};
        result.size = sizeof(result);
        checked(ggsl_chain_cost(get(), n_vocab, &result));
        return result;
    }

private:
    std::unique_ptr<ggsl_chain, void (*)(ggsl_chain *)> chain;
};

// A sampler of one text at a time. It is freed with this object until it is given away, then by what took it: this object must not be
// used after that. One thread at a time.
class Sampler {
public:
    Sampler(const Chain & chain, const llama_model * model) : sampler(checked(ggsl_sampler_init(chain.get(), model))) {}
    ~Sampler() {
        if (is_owner) {
            llama_sampler_free(sampler);
        }
    }
    Sampler(Sampler && other) noexcept : sampler(other.sampler), is_owner(std::exchange(other.is_owner, false)) {}
    Sampler(const Sampler &)             = delete;
    Sampler & operator=(const Sampler &) = delete;

    llama_sampler * get() const { return sampler; }

    // For llama_sampler_chain_add.
    llama_sampler * give() {
        is_owner = false;
        return sampler;
    }

    void   set(const std::string & param, double value) { checked(ggsl_sampler_set(sampler, param.c_str(), value)); }
    double value(const std::string & param) const { return read(ggsl_sampler_get, param); }
    double state(const std::string & name) const { return read(ggsl_sampler_state, name); }
    double measure(const std::string & name) const { return read(ggsl_sampler_measure, name); }

    // The name of the `stop when` that ends the text with the last token; empty: it goes on.
    std::string stop() const {
        const char * name = ggsl_sampler_stop(sampler);
        return name == nullptr ? "" : name;
    }

    // How many tokens of the text a grammar was asked about and did not allow.
    int64_t disallowed() const { return ggsl_sampler_disallowed(sampler); }

    void set_tokens(const std::string & set, const std::vector<llama_token> & tokens) {
        checked(ggsl_sampler_set_tokens(sampler, set.c_str(), tokens.data(), tokens.size()));
    }
    void set_grammar(const std::string & grammar, std::string_view gbnf) {
        checked(ggsl_sampler_set_grammar(sampler, grammar.c_str(), gbnf.data(), gbnf.size()));
    }
    void set_input(const std::string & input, const std::vector<float> & values) {
        checked(ggsl_sampler_set_input(sampler, input.c_str(), values.data(), values.size()));
    }
    void accept_prompt(const std::vector<llama_token> & tokens) {
        checked(ggsl_sampler_accept_prompt(sampler, tokens.data(), tokens.size()));
    }

    // The tokens that the next batch has after the text, each with an output.
    void draft(const std::vector<llama_token> & tokens) {
        checked(ggsl_sampler_draft(sampler, tokens.data(), tokens.size()));
    }

    // Throws Error if something is missing that the next token needs.
    void check_ready() { checked(ggsl_sampler_is_ready(sampler)); }
    // Throws std::runtime_error if one of llama.cpp's calls has failed, which have no errors of their own.
    void check_fault() const {
        if (const char * fault = ggsl_sampler_fault(sampler)) {
            throw std::runtime_error(fault);
        }
    }
    bool is_in_graph() const { return ggsl_sampler_is_in_graph(sampler); }
    // Why it runs on the host though it was given to a context; empty: it does not.
    std::string refusal() const {
        const char * text = ggsl_sampler_refusal(sampler);
        return text == nullptr ? "" : text;
    }

    // What goes on with `restore`, as JSON.
    std::string save() const {
        std::string text(checked(ggsl_sampler_save(sampler, nullptr, 0)), '\0');
        ggsl_sampler_save(sampler, text.data(), text.size() + 1);
        return text;
    }
    void restore(std::string_view json) { checked(ggsl_sampler_restore(sampler, json.data(), json.size())); }

private:
    double read(bool (*getter)(const llama_sampler *, const char *, double *), const std::string & name) const {
        double result = std::numeric_limits<double>::quiet_NaN();
        checked(getter(sampler, name.c_str(), &result));
        return result;
    }

    llama_sampler * sampler;
    bool            is_owner = true;
};

} // namespace ggsl
