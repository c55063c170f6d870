/** The programs in examples/ have no warning, are short, and pass their tests. */
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { checkProgram } from "../../compiler/driver.js";
import { formatDiagnostics } from "../../compiler/check/format.js";
import { parse } from "../../compiler/syntax/parse.js";
import { textAt } from "../../compiler/source/source.js";
import { runTests } from "../../runtime/chain/testing.js";
import { importerFor } from "../../cli/files.js";

const FILES = readdirSync("examples", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ggsl"));
/** The most lines of a sampler. */
const MOST_LINES = 15;

describe.each(FILES)("%s", (file) => {
  const source = { name: `examples/${file}`, text: readFileSync(`examples/${file}`, "utf8") };
  const { declarations } = parse(source).file;

  test("has no warning", () => {
    expect(formatDiagnostics(checkProgram(source, { importer: importerFor(source.name) }))).toBe("");
  });

  test("has short samplers", () => {
    const lengths = declarations.flatMap((d) => (d.kind === "sampler" ? [textAt(d.span).split("\n").length] : []));
    expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(MOST_LINES);
  });

  if (declarations.some(({ kind }) => kind === "test"))
    test.each(["reference", "cpu", "wasm"] as const)("passes its tests on %s", (backend) => {
      const failed = runTests(source, [backend], importerFor(source.name)).filter((r) => r.differences.length > 0);
      expect(failed).toEqual([]);
    });
});

test("most examples have tests", () => {
  const tested = FILES.filter((file) => /^test "/m.test(readFileSync(`examples/${file}`, "utf8")));
  expect(tested.length).toBeGreaterThanOrEqual(5);
});
