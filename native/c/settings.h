// What a program sets of a text by name, whoever writes the text.
#pragma once

#include "sequence/sequence.h"

namespace ggsl::c {

// All throw Failure (INVALID_ARGUMENT), and then nothing has changed.

// The number of a parameter.
size_t param_index(const Spec & spec, const char * name);
// The same for one that takes the value.
size_t param_that_takes(const Spec & spec, const char * name, double value);

void set_tokens(Sequence & sequence, const char * set, const int32_t * tokens, size_t count);
// Throws Failure (LIMIT_EXCEEDED) too.
void set_grammar(Sequence & sequence, const char * grammar, const char * gbnf, size_t length);
void set_input(Sequence & sequence, const char * input, const float * values, size_t count);
void set_pairs(Sequence & sequence, const char * input, const int32_t * tokens, const float * values, size_t count);
void set_text(Sequence & sequence, const char * text, const int32_t * tokens, size_t count);
void set_bias(Sequence & sequence, const int32_t * tokens, const float * values, size_t count);

// Unless all are tokens of the vocabulary.
void check_tokens(std::span<const int32_t> tokens, int32_t vocab_size);

} // namespace ggsl::c
