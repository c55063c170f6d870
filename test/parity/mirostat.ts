/** The limit of llama.cpp's mirostat, which has no accessor, computed from its picks. */
import type { PickedRows } from "./rows.js";
import { numberOf, type Args } from "./values.js";

export function mirostatStep(mu: number, args: Args, { rows, selected }: PickedRows): number {
  const surprise = -Math.log2(rows.probs[rows.tokens.indexOf(selected)]!);
  return Math.fround(mu - numberOf(args, "eta") * (surprise - numberOf(args, "tau")));
}
