/** Vulkan with and without the rewrites of native/graph/legalize.cc. */
import { expect } from "@jest/globals";
import { node, vulkanTest } from "./vulkan.js";

interface Found {
  readonly plain: number | null;
  readonly rewritten: number;
  readonly names: readonly string[];
}

vulkanTest("a wide softmax with few rows left: NaN without its rewrite, right with it", () => {
  const found = JSON.parse(node("test/vulkan/softmax.mjs")) as Found[];
  for (const { rewritten, names } of found) {
    expect(names).toEqual(["softmax by steps"]);
    expect(rewritten).toBeLessThan(1e-6);
  }
  // JSON has null for NaN; if this fails, Vulkan's softmax was fixed and the rewrite can be removed
  expect(found.some(({ plain }) => plain === null)).toBe(true);
});
