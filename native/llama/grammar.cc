#include "grammar.h"

#include "graph/backend.h"
#include "graph/failure.h"
#include "grammar_check.h"
#include "grammar_rules.h"
#include "model.h"
#include "token_texts.h"

#include <cmath>

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

Grammar::Grammar(const Model & model, const std::string & text, const std::string & root)
    : rules(std::make_shared<const GrammarRules>(parse_grammar(model.vocab(), text, root))),
      texts(model.token_texts()) {
    GrammarSearch(*rules, state); // a grammar that exceeds a limit before its first token is an error now
}

std::vector<float> Grammar::allowed() const {
    GrammarSearch search(*rules, state);
    return all_allowed(search);
}

std::vector<float> Grammar::all_allowed(GrammarSearch & search) const {
    std::vector<float> flags(texts->size(), 0.0f);
    if (search.is_complete(search.start())) {
        for (const llama_token token : texts->end_tokens()) {
            flags[static_cast<size_t>(token)] = 1.0f;
        }
    }
    // The cursors after the first bytes of the present text; the next text shares some of them.
    std::vector<GrammarSearch::Cursor> path{ search.begin() };
    const bool                         has_token_elements = search.has_token_elements(search.start());
    size_t                             refused            = SIZE_MAX; // the length of a beginning that no stack accepts
    for (const TokenTexts::Entry & entry : texts->sorted()) {
        if (has_token_elements && search.accepts_token(search.start(), entry.token)) {
            flags[static_cast<size_t>(entry.token)] = 1.0f;
        }
        if (entry.shared >= refused) {
            continue;
        }
        refused                     = SIZE_MAX;
        const std::string_view text = texts->text(entry);
        path.resize(entry.shared + 1, path.front());
        while (path.size() <= text.size()) {
            GrammarSearch::Cursor cursor = path.back();
            search.read(cursor, static_cast<uint8_t>(text[path.size() - 1]));
            if (cursor.set == GrammarSearch::none) {
                refused = path.size();
                break;
            }
            path.push_back(cursor);
        }
        if (refused == SIZE_MAX && search.may_end(path.back())) {
            flags[static_cast<size_t>(entry.token)] = 1.0f;
        }
    }
    return flags;
}

bool Grammar::allows(GrammarSearch & search, llama_token token) const {
    if (texts->is_end(token)) {
        return search.is_complete(search.start());
    }
    GrammarSearch::Cursor cursor = search.begin();
    return accept_text(search, token, cursor) ||
           (!texts->text(token).empty() && search.accepts_token(search.start(), token));
}

void Grammar::apply(llama_token_data_array & rows) const {
    GrammarSearch search(*rules, state);
    const bool    is_short   = rows.size < texts->size() / 16; // then a search through the whole vocabulary costs more
    std::vector<float> flags = is_short ? std::vector<float>() : all_allowed(search);
    for (size_t i = 0; i < rows.size; ++i) {
        const llama_token token = rows.data[i].id;
        if (is_short ? !allows(search, token) : flags[static_cast<size_t>(token)] == 0.0f) {
            rows.data[i].logit = -INFINITY;
        }
    }
}

// Whether the token's text fits; the cursor is then after it.
bool Grammar::accept_text(GrammarSearch & search, llama_token token, GrammarSearch::Cursor & cursor) const {
    const std::string_view text = texts->text(token);
    for (size_t i = 0; i < text.size() && cursor.set != GrammarSearch::none; ++i) {
        search.read(cursor, static_cast<uint8_t>(text[i]));
    }
    return !text.empty() && search.may_end(cursor);
}

void Grammar::accept(llama_token token) {
    const auto refuse = [&] { fail(code::invalid_argument, "the grammar does not accept token %d here", token); };
    if (token < 0 || static_cast<size_t>(token) >= texts->size()) {
        refuse();
    }
    GrammarSearch search(*rules, state);
    if (texts->is_end(token)) {
        if (!search.is_complete(search.start())) {
            refuse();
        }
        before = state;
        return;
    }
    GrammarSearch::Cursor    cursor   = search.begin();
    const GrammarSearch::Set by_text  = accept_text(search, token, cursor) ? cursor.set : GrammarSearch::none;
    const bool               has_text = !texts->text(token).empty();
    const GrammarSearch::Set by_token = has_text ? search.after_token(search.start(), token) : GrammarSearch::none;
    const GrammarSearch::Set both     = search.unite(by_text, by_token);
    if (both == GrammarSearch::none) {
        refuse();
    }
    GrammarState next = search.state(both, by_text == GrammarSearch::none ? PartialCharacter() : cursor.partial);
    before            = std::exchange(state, std::move(next));
}

size_t Grammar::bytes() const {
    const auto size = [](const GrammarState & of) {
        return of.stacks.size() * sizeof(GrammarStack) + of.heads.size() * sizeof(uint32_t);
    };
    return size(state) + size(before);
}

} // namespace ggsl
