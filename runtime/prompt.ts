/** Prompts: text or tokens, checked before decoding. */
import { InputError } from "./errors.js";
import type { NativeModel } from "./native/binding.js";

/** The tokens of a prompt. Throws `InputError` for an empty prompt, or for a token outside the vocabulary. */
export function promptTokens(model: NativeModel, prompt: string | Int32Array): Int32Array {
  const tokens = typeof prompt === "string" ? model.tokenize(prompt, true, false) : prompt;
  if (tokens.length === 0) throw new InputError("the prompt is empty, and the model has no beginning-of-text token");
  const { vocabSize } = model.info;
  // an invalid token would fail the whole batch
  const bad = tokens.find((token) => token < 0 || token >= vocabSize);
  if (bad !== undefined) throw new InputError(`token ${bad} of the prompt is outside the vocabulary of ${vocabSize}`);
  return tokens;
}
