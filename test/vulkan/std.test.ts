/** The tests in the standard samplers' files pass on Vulkan, and splitting them into processes skips no test. */
import { expect } from "@jest/globals";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

vulkanTest("a test that fails beside other files is reported once, and theirs pass", () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-vulkan-std-"));
  const wrong = join(folder, "wrong.ggsl");
  writeFileSync(
    wrong,
    'import { top_k } from "std"\ntest "wrong" { logits [1, 2] run top_k(1) expect logits [1, 2] }\n',
  );
  const [first, second] = FILES as [string, string];
  let text = "";
  try {
    ggsl("test", first, wrong, second, "--backend", "vulkan", "--json");
  } catch (error) {
    text = (error as Error).message;
  } finally {
    rmSync(folder, { recursive: true });
  }
  const { failed, results } = JSON.parse(text.slice(text.indexOf("\n{") + 1)) as Report;
  expect(failed).toBe(1);
  const titles = results.map(({ title }) => title);
  expect(titles).toEqual([...new Set(titles)]);
  expect(results.filter(({ differences }) => differences.length > 0).map(({ title }) => title)).toEqual(["wrong"]);
  expect(results.length).toBeGreaterThan(5);
});
