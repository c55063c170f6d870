/** The reference of the TypeScript interface, a part of the site: every public symbol of each entry point is documented. */
import { afterAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manifestOf, publicFolders } from "../tools/lib/packages.js";

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
  const { children } = JSON.parse(readFileSync(json, "utf8")) as { children: Entry[] };
  expect(children.map(({ name }) => name).sort()).toEqual(entryPoints());
  const exported = [...readFileSync("runtime/index.ts", "utf8").matchAll(/^export[^;]*?\{([^}]*)\}/gm)].flatMap(
    ([, names]) => names!.split(",").map((name) => name.replace(/^\s*type /, "").trim()),
  );
  const found = children.find(({ name }) => name === "ggsl")!.children.map(({ name }) => name);
  expect(found.sort()).toEqual(exported.filter(Boolean).sort());
});

interface Entry {
  readonly name: string;
  readonly children: readonly { readonly name: string }[];
}

/** What programs can import by the names of the published packages; `@ggsl/vite` is imported as `ggsl/vite`. */
const entryPoints = (): string[] =>
  publicFolders()
    .map(manifestOf)
    .filter(({ name }) => name !== "@ggsl/vite")
    .flatMap(({ name, exports }) =>
      Object.keys(exports!)
        .filter((path) => /^\.(\/\w+)?$/.test(path))
        .map((path) => name + path.slice(1)),
    )
    .sort();
