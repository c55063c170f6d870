/** Prompts: text or tokens. */
import { InputError } from "./errors.js";
import type { NativeModel } from "./native/binding.js";

/** Throws `InputError` for a prompt that leaves no room for a token. */
export function checkPromptLength(length: number, contextSize: number, what = "the prompt"): void {
  if (length >= contextSize) {
    throw new InputError(
      `${what} has ${length} tokens, and the context size, for prompt and generated text, is ${contextSize}: shorten the prompt or set a larger context size`,
      { code: "CONTEXT_FULL" },
    );
  }
}

/** The tokens of a prompt. Throws `InputError` for an empty prompt. */
export function promptTokens(model: NativeModel, prompt: string | Int32Array): Int32Array {
  const tokens = typeof prompt === "string" ? model.tokenize(prompt, true, false) : prompt;
  if (tokens.length === 0) throw new InputError("the prompt is empty, and the model has no beginning-of-text token");
  return tokens;
}
