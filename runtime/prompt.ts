/** Prompts: text or tokens, checked before anything is computed. */
import { InputError } from "./errors.js";
import type { NativeModel } from "./native/binding.js";

/** The tokens of a prompt. Throws `InputError` for one without any, or with one that is none of the model's. */
export function promptTokens(model: NativeModel, prompt: string | Int32Array): Int32Array {
  const tokens = typeof prompt === "string" ? model.tokenize(prompt, true, false) : prompt;
  if (tokens.length === 0) throw new InputError("the prompt is empty, and the model has no beginning-of-text token");
  const { vocabSize } = model.info;
  // it would fail the whole batch
  const bad = tokens.find((token) => token < 0 || token >= vocabSize);
  if (bad !== undefined) throw new InputError(`token ${bad} of the prompt is outside the vocabulary of ${vocabSize}`);
  return tokens;
}
