/** No module exports a name that no other one takes: a check of `npm run lint`. */
import { describe, expect, test } from "@jest/globals";
import { unusedExports, type Project } from "../../tools/exports/unused.js";

/** What nothing takes among these modules, as `file name`. */
const unusedIn = (texts: Readonly<Record<string, string>>): string[] =>
  unusedExports({
    texts: new Map(Object.entries(texts)),
    packages: new Map([["@one/core", { folder: "core", entry: "core/index.ts" }]]),
    isPublic: (file, name) => file === "core/index.ts" || name === "main",
  }).map(({ file, name }) => `${file} ${name}`);

const SOURCE = `
  export const a = 1, [b, { c }] = made();
  export function d(): void {}
  export interface E { readonly a: number }
  export type F = E;
  export class G {}
  const h = 2, i = 3;
  export { h, i as j };
  export default h;
`;
const NAMES = ["a", "b", "c", "d", "E", "F", "G", "h", "j"];

test("what no module takes is found, in each form, with its line", () => {
  expect(unusedIn({ "core/a.ts": SOURCE })).toEqual(NAMES.map((name) => `core/a.ts ${name}`));
  const project: Project = {
    texts: new Map([["a.ts", "\nexport const a = 1;"]]),
    packages: new Map(),
    isPublic: () => false,
  };
  expect(unusedExports(project)).toEqual([{ file: "a.ts", line: 2, name: "a" }]);
});

describe("names are taken", () => {
  test.each([
    ["by imports", 'import { a, c as other, type E } from "./a.js";', ["a", "c", "E"]],
    ["by imports of types", 'import type { F } from "./a.js";', ["F"]],
    ["by the members of a namespace", 'import * as all from "./a.js"; all.a; let x: all.E;', ["a", "E"]],
    ["by a namespace as a whole", 'import * as all from "./a.js"; use(all);', NAMES],
    ["by types of modules", 'let x: import("./a.js").F;', ["F"]],
    ["by an awaited import", 'const { a, b: other } = await import("./a.js");', ["a", "b"]],
    ["by a member of one", '(await import("./a.js")).d();', ["d"]],
    ["by a variable of one", 'const all = await import("./a.js"); all.G;', ["G"]],
    [
      "by what waits for one",
      'import("./a.js").then(({ d }) => d()); import("./a.js").then((all) => all.a);',
      ["d", "a"],
    ],
    ["by an import that goes on", 'use(import("./a.js"));', NAMES],
    ["by the name of the package", 'import { a } from "@one/core/a.js";', ["a"]],
  ])("%s", (_, text, names) => {
    expect(unusedIn({ "core/a.ts": SOURCE, "core/b.ts": text })).toEqual(
      NAMES.filter((name) => !names.includes(name)).map((name) => `core/a.ts ${name}`),
    );
  });

  test("by a module that passes them on, whose own are looked at in turn", () => {
    const texts = { "core/a.ts": "export const a = 1, b = 2;", "core/b.ts": 'export { a as c } from "./a.js";' };
    expect(unusedIn(texts)).toEqual(["core/a.ts b"]);
  });
  test("by whoever uses the package, and not by their own module", () => {
    expect(unusedIn({ "core/index.ts": SOURCE, "core/a.ts": "export const main = 1, own = 2; use(own);" })).toEqual([
      "core/a.ts own",
    ]);
  });
  test("not by a comment, a text, or a module of others", () => {
    const text = '// import { a } from "./a.js"\n use("import { a }"); import { a } from "other/a.js";';
    expect(unusedIn({ "core/a.ts": "export const a = 1;", "core/b.ts": text })).toEqual(["core/a.ts a"]);
  });
});
