/** Prompts: text or tokens. */
import { InputError } from "./errors.js";
import type { NativeModel } from "./native/binding.js";

/** The tokens of a prompt. Throws `InputError` for an empty prompt. */
export function promptTokens(model: NativeModel, prompt: string | Int32Array): Int32Array {
  const tokens = typeof prompt === "string" ? model.tokenize(prompt, true, false) : prompt;
  if (tokens.length === 0) throw new InputError("the prompt is empty, and the model has no beginning-of-text token");
  return tokens;
}
