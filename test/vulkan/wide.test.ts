/** Standard samplers over a wide vocabulary give on Vulkan what they give on the CPU. */
import { expect } from "@jest/globals";
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

/** Small groups, each a process; the first needs the slowest shader, top_k's. */
const GROUPS = [
  [
    "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(1)",
    "penalties(64, 1.3, 0.2, 0.1) |> top_k(40) |> dist(1)",
  ],
  ["top_p(0.9) |> dist(1)", "typical(0.9) |> min_p(0.01) |> dist(1)", "tail_free(0.9) |> top_a(0.1) |> dist(1)"],
  ["min_p(0.2) |> temp_ext(1, 0.5) |> dist(1)", "top_n_sigma(1) |> xtc(0.5, 0.01) |> dist(1)", "mirostat(5, 0.1)"],
  ["mirostat_v2(5, 0.1)", "adaptive_p(0.3)", "eta(0.0001) |> epsilon(0.00001) |> quadratic() |> dist(1)"],
  ["p_less() |> skew(0.1) |> dist(1)", "entropy_temp() |> no_repeat_ngram() |> greedy()", "logit_bias() |> greedy()"],
];

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
