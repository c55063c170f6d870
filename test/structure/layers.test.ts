/** What docs say about who imports whom is what the linter's rules allow. */
import { expect, test } from "@jest/globals";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** The linter's rules, which are JavaScript without types. */
const RULES = ["..", "..", ".dependency-cruiser.js"].join("/");
const { LAYERS, PACKAGES, PHASES } = (await import(RULES)) as Readonly<
  Record<"LAYERS" | "PACKAGES" | "PHASES", Readonly<Record<string, readonly string[]>>>
>;

/** The rows of the first table in a page: the folder, and the last cell. */
const rowsOf = (page: string): [folder: string, last: string][] =>
  readFileSync(page, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => [/^\| `([\w/]+)\/`/.exec(line)?.[1] ?? "", /\|([^|]*)\|$/.exec(line)?.[1]?.trim() ?? ""]);

const names = (cell: string): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!).toSorted();

test("docs/architecture.md says which packages import each", () => {
  const rows = new Map(rowsOf("docs/architecture.md"));
  for (const name of Object.keys(PACKAGES)) {
    expect(existsSync(name)).toBe(true);
    expect(rows.has(name)).toBe(true);
  }
  // the compiler is below all; `ggsl/vite` re-exports the plugin; others are not imported
  for (const name of ["format", "settings", "codegen", "runtime", "lsp", "server", "playground"] as const) {
    const importers = Object.entries(PACKAGES).filter(([, known]) => known.some((one) => one.split("/")[0] === name));
    expect([name, names(rows.get(name)!)]).toEqual([name, importers.map(([importer]) => importer).toSorted()]);
  }
});

test("runtime/README.md lists its layers from the lowest on, and each may import only those above it", () => {
  const layers = Object.keys(LAYERS);
  const listed = rowsOf("runtime/README.md").map(([folder]) => folder);
  expect(listed.filter((folder) => layers.includes(folder))).toEqual(layers);
  for (const [name, known] of Object.entries(LAYERS))
    expect(known.filter((one) => layers.indexOf(one) >= layers.indexOf(name))).toEqual([]);
  const beside = ["compare", "onnx", "schemas", "dist", "node_modules"];
  const folders = readdirSync("runtime", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).filter((name) => !layers.includes(name) && !beside.includes(name))).toEqual(
    [],
  );
});

test("docs/architecture.md lists the compiler's folders from the lowest on, and each may import only those above it", () => {
  const [, drawing = ""] =
    /^## The compiler\n.*?\n\n((?: {4}.*\n)+)/ms.exec(readFileSync("docs/architecture.md", "utf8")) ?? [];
  const listed = drawing.split("\n").flatMap((line) =>
    line
      .slice(4)
      .split(/ {2,}/)
      .filter((cell) => /^[a-z]+$/.test(cell)),
  );
  const phases = Object.keys(PHASES);
  expect(listed).toEqual(phases);
  for (const [name, known] of Object.entries(PHASES))
    expect(known.filter((one) => phases.indexOf(one) >= phases.indexOf(name))).toEqual([]);
  const folders = readdirSync("compiler", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const others = ["dist", "node_modules"];
  expect(folders.map(({ name }) => name).filter((name) => !phases.includes(name) && !others.includes(name))).toEqual(
    [],
  );
});

test("the READMEs of the compiler's folders say what each may import", () => {
  for (const [name, known] of Object.entries(PHASES)) {
    const [, imports = ""] = /^May import: (.*)/m.exec(readFileSync(`compiler/${name}/README.md`, "utf8")) ?? [];
    expect([name, names(imports)]).toEqual([name, known.toSorted()]);
  }
});
