/** Every block of GGSL in the documentation compiles without a warning, and its tests pass. */
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { checkProgram } from "../compiler/compile.js";
import { formatDiagnostics } from "../compiler/check/format.js";
import { runTests } from "../runtime/testing.js";
import { fileImporter } from "../cli/files.js";

const PAGES = [
  "README.md",
  ...readdirSync("docs")
    .filter((f) => f.endsWith(".md"))
    .map((f) => `docs/${f}`),
];

const blocksOf = (page: string): { name: string; text: string }[] =>
  [...readFileSync(page, "utf8").matchAll(/^```ggsl\n([^]*?)^```/gm)].map((m, i) => ({
    name: `${page} block ${i + 1}`,
    text: m[1]!,
  }));

const BLOCKS = PAGES.flatMap(blocksOf);

test("there are blocks to check", () => {
  expect(BLOCKS.length).toBeGreaterThan(5);
});

describe.each(BLOCKS)("$name", (source) => {
  test("compiles", () => {
    expect(formatDiagnostics(checkProgram(source, fileImporter))).toBe("");
  });
  test("passes its tests", () => {
    const failed = runTests(source, ["reference", "cpu", "wasm"], fileImporter).filter((r) => r.differences.length > 0);
    expect(failed).toEqual([]);
  });
});
