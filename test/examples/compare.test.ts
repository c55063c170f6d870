/** The study of examples/compare runs, and its page has a table and a figure for each section. */
import { afterAll, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { node } from "../codegen/ggsl.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-study-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("it writes its page, with few texts", () => {
  const path = join(folder, "new", "index.html");
  const { status, stdout, stderr } = node(["examples/compare/main.mjs", path, "3"]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout.match(/^distinct-1 /gm)).toHaveLength(3);
  const page = readFileSync(path, "utf8");
  for (const part of [/<h2>/g, /<table>/g, /<svg\s/g, /<\/svg>/g]) expect(page.match(part)).toHaveLength(3);
  expect(page).toContain("with_top_n_sigma, t = 1.5");
  expect(page).not.toMatch(/NaN|undefined|\[object/);
});
