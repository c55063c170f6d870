#include "grammar.h"

#include "graph/backend.h"
#include "graph/failure.h"
#include "grammar/grammar.h"
#include "grammar_check.h"
#include "model.h"
#include "model_grammars.h"

#include <cmath>

namespace ggsl {

namespace {

// Fewer rows are tried one by one: a mask of the whole vocabulary costs more.
constexpr size_t few_rows = 128;

bool has_bit(const std::vector<uint32_t> & bits, size_t i) {
    return (bits[i / 32] >> (i % 32)) & 1;
}

} // namespace

SamplerPtr make_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root) {
    check_grammar(vocab, text, root);
    const LogCapture log;
    SamplerPtr       sampler(llama_sampler_init_grammar(vocab, text.c_str(), root.c_str()));
    if (!sampler) {
        fail(code::invalid_argument, "the grammar is invalid%s", log.suffix().c_str());
    }
    return sampler;
}

Grammar::Grammar(const Model & model, const std::string & text, const std::string & root,
                 const std::vector<std::string> & rules)
    : beginning(std::make_shared<const grammar::Position>(model.grammars().open(model, text, root, rules))),
      at(beginning), before(beginning) {}

uint32_t Grammar::marks() const {
    return at->marks();
}

size_t Grammar::vocab_size() const {
    return at->vocabulary().size();
}

std::vector<uint32_t> Grammar::bits() const {
    std::vector<uint32_t> bits(at->vocabulary().words());
    at->allowed(bits);
    return bits;
}

void Grammar::apply(llama_token_data_array & rows) const {
    const bool                  is_few     = rows.size <= few_rows;
    const std::vector<uint32_t> is_allowed = is_few ? std::vector<uint32_t>() : bits();
    for (size_t i = 0; i < rows.size; ++i) {
        const auto token = static_cast<uint32_t>(rows.data[i].id);
        if (is_few ? at->after(token) == nullptr : !has_bit(is_allowed, token)) {
            rows.data[i].logit = -INFINITY;
        }
    }
}

void Grammar::accept(llama_token token) {
    PositionPtr next = at->after(static_cast<uint32_t>(token));
    if (!next) {
        fail(code::invalid_argument, "the grammar does not accept token %d here", token);
    }
    before = std::exchange(at, std::move(next));
}

} // namespace ggsl
