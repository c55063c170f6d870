/** Standard samplers over a wide vocabulary give on Vulkan what they give on the CPU. */
import { expect } from "@jest/globals";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { chunks } from "./children.js";
import { node, vulkanTest } from "./vulkan.js";

interface Found {
  readonly chain: string;
  readonly rows: readonly [cpu: number, vulkan: number];
  readonly difference: number;
  /** Probability between the tokens that were picked, in the order of the rows. */
  readonly between: number;
}

/** Wide enough for the softmax that Vulkan computes in chunks. */
const SIZE = "20000";

/** Where the example does not do: logits made of running sums over all rows differ by what rounding takes from the sums. */
const INSTEAD: Readonly<Record<string, string>> = { skew: "p_less() |> skew(0.1) |> dist(1)" };

/** The example of every standard sampler. */
const EXAMPLES = STD_SAMPLERS.map((s) => INSTEAD[s.name] ?? (s.picks ? s.example : `${s.example} |> dist(1)`));
const USUAL = "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(1)";

/** Small groups, each a process; the first needs the slowest shader, top_k's. */
const GROUPS = chunks([USUAL, ...EXAMPLES], 4);

for (const chains of GROUPS) {
  vulkanTest(`over ${SIZE} tokens: ${chains.join(", ")}`, () => {
    const found = JSON.parse(node("test/vulkan/wide.mjs", SIZE, ...chains)) as Found[];
    expect(found.map(({ chain }) => chain)).toEqual(chains);
    for (const { chain, rows, difference, between } of found) {
      expect([chain, rows[1]]).toEqual([chain, rows[0]]);
      expect(rows[0]).toBeGreaterThan(0);
      expect(difference).toBeLessThan(1e-5);
      // running sums differ in their last bits, so a draw at a boundary may pick the row beside it
      expect([chain, between < 1e-4]).toEqual([chain, true]);
    }
  });
}
