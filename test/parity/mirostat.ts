/** The limit of llama.cpp's mirostat, which it tells nobody, worked out from its picks. */
import type { LlamaStep } from "./llama.js";
import { numberOf, type Args } from "./values.js";

export function mirostatStep(mu: number, args: Args, { rows, selected }: LlamaStep): number {
  const surprise = -Math.log2(rows.probs[rows.tokens.indexOf(selected)]!);
  return Math.fround(mu - numberOf(args, "eta") * (surprise - numberOf(args, "tau")));
}
