/** The reference of the TypeScript interface: `npm run docs:api` builds it, and every public symbol is documented. */
import { afterAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "ggsl-api-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("typedoc has no warnings, and finds every export", () => {
  const json = join(folder, "api.json");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["node_modules/typedoc/bin/typedoc", "--json", json, "--logLevel", "Warn"],
    { encoding: "utf8" },
  );
  expect(`${stdout}${stderr}`).toBe("");
  expect(status).toBe(0);
  const { children } = JSON.parse(readFileSync(json, "utf8")) as { children: { name: string }[] };
  const exported = [...readFileSync("runtime/index.ts", "utf8").matchAll(/\{([^}]*)\}/g)].flatMap(([, names]) =>
    names!.split(",").map((name) => name.replace(/^\s*type /, "").trim()),
  );
  expect(children.map(({ name }) => name).sort()).toEqual(exported.filter(Boolean).sort());
}, 120_000);
