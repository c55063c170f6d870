/** The table of words takes the bits of a grammar apart on Vulkan: sizes that are multiples of a word, and others. */
import { expect } from "@jest/globals";
import { node, vulkanTest } from "./vulkan.js";

vulkanTest("grammars", () => {
  const sizes = [2, 16, 17, 1000, 4096];
  const found = JSON.parse(node("test/vulkan/grammars.mjs", JSON.stringify(sizes))) as number[][];
  expect(found).toEqual(sizes.map((size) => [size - 1, 0]));
});
