/** Standard samplers over a wide vocabulary give the same on Vulkan as on the CPU. */
import { expect } from "@jest/globals";
import { chunks } from "./children.js";
import { node, vulkanTest } from "./vulkan.js";
import { CHAINS } from "./wideChains.js";

interface Found {
  readonly chain: string;
  readonly rows: readonly [cpu: number, vulkan: number];
  readonly difference: number;
  /** Probability of the rows between the two picks. */
  readonly between: number;
}

/** Wide enough for Vulkan's chunked softmax. */
const SIZE = "20000";

/** Groups, one process each. */
const GROUPS = chunks(CHAINS, 8);

for (const chains of GROUPS) {
  vulkanTest(`over ${SIZE} tokens: ${chains.join(", ")}`, () => {
    const found = JSON.parse(node("test/vulkan/wide.mjs", SIZE, ...chains)) as Found[];
    expect(found.map(({ chain }) => chain)).toEqual(chains);
    for (const { chain, rows, difference, between } of found) {
      expect([chain, rows[1]]).toEqual([chain, rows[0]]);
      expect(rows[0]).toBeGreaterThan(0);
      expect(difference).toBeLessThan(1e-5);
      // prefix sums differ in their last bits, so a draw at a boundary may pick the adjacent row
      expect([chain, between < 1e-4]).toEqual([chain, true]);
    }
  });
}
