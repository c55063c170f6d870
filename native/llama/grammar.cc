#include "grammar.h"

#include "graph/backend.h"
#include "graph/failure.h"
#include "grammar_check.h"

namespace ggsl {

SamplerPtr make_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root) {
    check_grammar(vocab, text, root);
    const LogCapture log;
    SamplerPtr       sampler(llama_sampler_init_grammar(vocab, text.c_str(), root.c_str()));
    if (!sampler) {
        fail(code::invalid_argument, "the grammar is invalid%s", log.suffix().c_str());
    }
    return sampler;
}

std::vector<float> Grammar::allowed() {
    const auto                    size = static_cast<size_t>(llama_vocab_n_tokens(vocab));
    std::vector<llama_token_data> rows(size);
    for (size_t token = 0; token < size; ++token) {
        rows[token] = { static_cast<llama_token>(token), 0.0f, 0.0f };
    }
    llama_token_data_array array{ rows.data(), size, -1, false };
    apply(array);

    std::vector<float> flags(size);
    for (size_t token = 0; token < size; ++token) {
        flags[token] = rows[token].logit == 0.0f ? 1.0f : 0.0f;
    }
    return flags;
}

bool Grammar::allows(llama_token token) {
    llama_token_data       row{ token, 0.0f, 0.0f };
    llama_token_data_array array{ &row, 1, -1, false };
    apply(array);
    return row.logit == 0.0f;
}

// llama.cpp aborts on an end of text that cannot come next. On other tokens it throws, but has changed its state by then, and in
// grammars with token rules it may even reject a token that `allows` accepts.
void Grammar::accept(llama_token token) {
    bool fits = token >= 0 && token < llama_vocab_n_tokens(vocab) && allows(token);
    if (fits) {
        try {
            llama_sampler_accept(sampler.get(), token);
        } catch (const std::exception &) {
            fits = false;
            replay();
        }
    }
    if (!fits) {
        fail(code::invalid_argument, "the grammar does not accept token %d here", token);
    }
    accepted.push_back(token);
}

void Grammar::undo() {
    accepted.pop_back();
    replay();
}

void Grammar::replay() {
    llama_sampler_reset(sampler.get());
    for (const llama_token token : accepted) {
        llama_sampler_accept(sampler.get(), token);
    }
}

void Grammar::reset() {
    llama_sampler_reset(sampler.get());
    accepted.clear();
}

Grammar Grammar::clone() const {
    Grammar copy(vocab, SamplerPtr(llama_sampler_clone(sampler.get())));
    copy.accepted = accepted;
    return copy;
}

} // namespace ggsl
