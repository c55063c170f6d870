/** The tests in the standard samplers' files pass on every backend of this machine, and their documentation is up to date. */
import { describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importerFor } from "../../cli/files.js";
import { runTests } from "../../runtime/chain/testing.js";

const FOLDER = "compiler/std";
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".ggsl"));

/** Typical use, the disabled value, an edge. */
const FEWEST = 3;

describe.each(FILES)("%s", (name) => {
  const source = { name: join(FOLDER, name), text: readFileSync(join(FOLDER, name), "utf8") };

  test.each(["reference", "cpu", "wasm"] as const)("passes its tests on %s", (backend) => {
    const results = runTests(source, [backend], importerFor(source.name));
    expect(results.filter((r) => r.differences.length > 0)).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(FEWEST);
    expect(new Set(results.map((r) => r.title)).size).toBe(results.length);
  });
});

test("generated documentation is up to date", () => {
  const { status, stderr } = spawnSync(process.execPath, ["tools/run.mjs", "docs", "--check", "std", "optimizer"], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
