/** The chains compared over a wide vocabulary. */
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";

/** Replacements for unsuitable examples: logits computed from prefix sums over all rows differ by the rounding of the sums. */
const INSTEAD: Readonly<Record<string, string>> = { skew: "p_less() |> skew(0.1) |> dist(1)" };

/** A typical chain, which needs the slowest shader (top_k), and the example of each standard sampler. */
export const CHAINS: readonly string[] = [
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(1)",
  ...STD_SAMPLERS.filter(({ takesGrammar }) => !takesGrammar).map(
    (s) => INSTEAD[s.name] ?? (s.picks ? s.example : `${s.example} |> dist(1)`),
  ),
];
