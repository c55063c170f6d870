// The rules of a parsed grammar. It includes a private header of llama.cpp, so only the grammar's own files include it.
#pragma once

#include <llama-grammar.h>

#include <map>
#include <string>

namespace ggsl {

struct GrammarRules {
    llama_grammar_rules             rules;
    size_t                          start = 0;
    std::map<std::string, uint32_t> names = {};
};

// Of an alternative.
inline bool is_end(const llama_grammar_element & element) {
    return element.type == LLAMA_GRETYPE_END || element.type == LLAMA_GRETYPE_ALT;
}

// Parses and checks a grammar, as check_grammar does.
GrammarRules parse_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root);

} // namespace ggsl
