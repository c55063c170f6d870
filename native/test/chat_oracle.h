// Test only: llama.cpp's rendering of chat templates.
#pragma once

#include <napi.h>

namespace ggsl::test {

// renderTemplate(template, variables): the text that llama.cpp's Jinja engine makes of a template with the variables, a JSON object.
Napi::Value render_template(const Napi::CallbackInfo & info);

// applyTemplate(template, { bos, eos, messages, tools, addGenerationPrompt, date }): the prompt that llama.cpp's programs make of a
// conversation, which they prepare for the template first. `messages` and `tools` are JSON texts.
Napi::Value apply_template(const Napi::CallbackInfo & info);

} // namespace ggsl::test
