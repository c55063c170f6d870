/** Standard samplers over a wide vocabulary give on Vulkan what they give on the CPU. */
import { expect } from "@jest/globals";
import { chunks } from "./children.js";
import { node, vulkanTest } from "./vulkan.js";
import { CHAINS } from "./wideChains.js";

interface Found {
  readonly chain: string;
  readonly rows: readonly [cpu: number, vulkan: number];
  readonly difference: number;
  /** Probability between the tokens that were picked, in the order of the rows. */
  readonly between: number;
}

/** Wide enough for the softmax that Vulkan computes in chunks. */
const SIZE = "20000";

/** Small groups, each a process. */
const GROUPS = chunks(CHAINS, 4);

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
