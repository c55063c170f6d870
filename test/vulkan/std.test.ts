/** The tests in the standard samplers' files pass on Vulkan, and splitting them into processes skips no test. */
import { expect } from "@jest/globals";
import { readdirSync } from "node:fs";
import { ggsl, vulkanTest } from "./vulkan.js";

interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly results: readonly {
    readonly title: string;
    readonly backend: string;
    readonly differences: readonly unknown[];
  }[];
}

const FILES = readdirSync("compiler/std")
  .filter((name) => name.endsWith(".ggsl"))
  .map((name) => `compiler/std/${name}`);

vulkanTest("the standard library's tests pass on the reference, the CPU and Vulkan", () => {
  const report = JSON.parse(ggsl("test", ...FILES, "--backend", "reference,cpu,vulkan", "--json")) as Report;
  expect(report.results.filter(({ differences }) => differences.length > 0)).toEqual([]);
  const count = (name: string): number => report.results.filter(({ backend }) => backend === name).length;
  expect(count("vulkan")).toBe(count("reference"));
  expect(count("cpu")).toBe(count("reference"));
  expect(count("vulkan")).toBeGreaterThan(100);
});
