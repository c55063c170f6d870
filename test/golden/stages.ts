/** The chains whose graphs are golden files. */
import type { CompileOptions } from "../../compiler/driver.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";

const ROWS: CompileOptions = { outputs: ["candidates", "logits", "probs"] };

/** The example of each standard sampler, and a typical chain. */
export const STAGES: Readonly<Record<string, [stages: string, options?: CompileOptions]>> = {
  ...Object.fromEntries(
    STD_SAMPLERS.map((s) => [
      s.name,
      s.picks ? [s.example] : s.actsAfterPick ? [`${s.example} |> greedy()`] : [s.example, ROWS],
    ]),
  ),
  default_chain: ["top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)"],
};
