// Test only: llama.cpp's own sampler for grammars, the oracle for the engine.
#pragma once

#include <napi.h>

namespace ggsl::test {

// LlamaGrammar(model, gbnf): a position in a grammar over the vocabulary of a model file.
Napi::Function define_llama_grammar(Napi::Env env);

} // namespace ggsl::test
