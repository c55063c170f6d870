/** Functions, folds and `repeat` give the same on the reference, the CPU and Vulkan. */
import { expect } from "@jest/globals";
import { ggsl, vulkanTest } from "./vulkan.js";

interface Report {
  readonly failed: number;
  readonly results: readonly { readonly backend: string; readonly differences: readonly unknown[] }[];
}

vulkanTest("programs with functions, folds and repeat", () => {
  const { failed, results } = JSON.parse(
    ggsl("test", "test/vulkan/functions.ggsl", "--backend", "reference,cpu,vulkan", "--json"),
  ) as Report;
  expect(results.filter(({ differences }) => differences.length > 0)).toEqual([]);
  expect(failed).toBe(0);
  expect(results.filter(({ backend }) => backend === "vulkan")).toHaveLength(4);
});
