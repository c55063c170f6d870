// Checks whether a GBNF grammar is safe for llama.cpp. Grammars come from requests, and llama.cpp's parser and stacks have no
// limits: some short texts exhaust memory, overflow the stack or loop forever.
#pragma once

#include <llama.h>

#include <string>

namespace ggsl {

// All throw Failure (INVALID_ARGUMENT).

// Reads the text without parsing it: its length, the depth of its groups, the size of its expanded repetitions.
void check_grammar_text(const std::string & text);

// Parses it with llama.cpp's parser, whose message becomes the error's, and checks that every referenced rule exists and none is
// left-recursive.
void check_grammar(const llama_vocab * vocab, const std::string & text, const std::string & root);

} // namespace ggsl
