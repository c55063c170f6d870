// Whether a GBNF grammar may be given to llama.cpp. A grammar comes from a request, and llama.cpp's own parser and stacks
// know no limits: some short texts fill the memory, overflow the stack or never end.
#pragma once

#include <llama.h>

#include <string>

namespace ggsl {

// All throw Failure (INVALID_ARGUMENT).

// Reads the text without parsing it: its length, how deep groups nest, what its repetitions unfold to.
void check_grammar_text(const std::string & text);

// Parses it with llama.cpp's parser, whose message becomes the error's, and looks at the rules: each there, none calling
// itself before it has read a character.
void check_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root);

} // namespace ggsl
