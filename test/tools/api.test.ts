/** The public interface of the packages as text, `npm run api`. */
import { describe, expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { Project } from "ts-morph";
import { checkBases, page as optionsPage, rowsOf } from "../../tools/docs/options.js";
import { differences } from "../../tools/api/compare.js";
import { entryPoints } from "../../tools/api/entries.js";
import { printDeclaration } from "../../tools/api/print.js";
import { exportsOf, reachable } from "../../tools/api/reach.js";

/** One for all tests: each needs the declarations of JavaScript itself. */
const project = new Project({ useInMemoryFileSystem: true });

/** The contract of `index.d.ts`: its exports, and what else they expose. */
function contractOf(files: Readonly<Record<string, string>>, homes: Readonly<Record<string, string>> = {}) {
  for (const [name, text] of Object.entries(files)) project.createSourceFile(name, text, { overwrite: true });
  const exports = exportsOf(project.getSourceFileOrThrow("index.d.ts"));
  const { hidden, elsewhere } = reachable(exports, (id) => homes[id]);
  return { exports: exports.map(printDeclaration), hidden: hidden.map(printDeclaration), elsewhere };
}

describe("a contract", () => {
  test("has every export by name, with the defaults of its comments alone", () => {
    const { exports, hidden } = contractOf({
      "index.d.ts": `
        export interface Options {
          /**
           * How many there are.
           * @default 3
           */
          readonly count?: number;

          /** Another one. */
          readonly other: string;
        }
        export declare function open({ count, other }: Options): void;
        export declare function open(text: string): void;
        export declare const LIMIT: 7;
        declare function close(): void;
        export { close as shut };`,
    });
    expect(exports.map((text) => text.replace(/\s+/g, " "))).toEqual([
      "const LIMIT: 7;",
      "interface Options { /** @default 3 */ readonly count?: number; readonly other: string; }",
      "function open(options: Options): void; function open(text: string): void;",
      "// exported as shut function close(): void;",
    ]);
    expect(hidden).toEqual([]);
  });

  test("has types that are exposed and not exported, and names those of others", () => {
    const { hidden, elsewhere } = contractOf(
      {
        "index.d.ts": `
          import type { Plugin } from "vite";
          import type { Inner } from "./inner.js";
          import type { Known } from "./known.js";
          export interface Outer { readonly inner: Inner; readonly known: Known; readonly plugin: Plugin; readonly list: Promise<Inner> }`,
        "inner.d.ts":
          "export interface Inner { readonly more: More }\ninterface More { readonly size: number }\ninterface Unused {}",
        "known.d.ts": "export interface Known { readonly not: NotShown }\ninterface NotShown {}",
      },
      { "/known.d.ts:Known": "ggsl" },
    );
    expect(hidden).toEqual(["interface Inner { readonly more: More }", "interface More { readonly size: number }"]);
    expect(elsewhere).toEqual([
      { name: "Known", from: "ggsl" },
      { name: "Plugin", from: "vite" },
    ]);
  });

  test("has computed names written out, and no table that they come from", () => {
    const { exports, hidden } = contractOf({
      "index.d.ts": `
        declare const LIST: readonly ["b", "a"];
        declare const TABLE: { readonly one: 1; readonly two: "long text" };
        export type Names = (typeof LIST)[number];
        export type Keys = Exclude<keyof typeof TABLE, "two"> | 5;
        export {};`,
    });
    expect(exports).toEqual(['type Keys = "one" | 5;', 'type Names = "a" | "b";']);
    expect(hidden).toEqual([]);
  });

  test("has no private members, and what they name is not exposed", () => {
    const { exports, hidden } = contractOf({
      "index.d.ts": `
        interface Secret {}
        export declare class Open { private readonly secret: Secret; private constructor(); size(): number }
        export {};`,
    });
    expect(exports.map((text) => text.replace(/\s+/g, " "))).toEqual([
      "class Open { private constructor(); size(): number }",
    ]);
    expect(hidden).toEqual([]);
  });
});

describe("the table of options", () => {
  const rows = (text: string): string[][] => {
    const file = project.createSourceFile("options.ts", `interface Options {\n${text}\n}`, { overwrite: true });
    return rowsOf(file.getInterfaceOrThrow("Options"), "a.", true);
  };

  test("has the default, the unit and the meaning of a comment", () => {
    const text =
      "/** How many\n * there are.\n * @default 3\n * @unit tokens */ readonly count?: readonly number[] | undefined;";
    expect(rows(text)).toEqual([["`a.count`", "`number[]`", "3", "tokens", "How many there are."]]);
    expect(rows("/** A name. */ readonly name: string;")).toEqual([
      ["`a.name`", "`string`", "required", "", "A name."],
    ]);
  });

  test("is refused without a comment, and without a default", () => {
    expect(() => rows("readonly count: number;")).toThrow("`Options.count` has no comment");
    expect(() => rows("/** @default 3 */ readonly count?: number;")).toThrow("`Options.count` has no comment");
    expect(() => rows("/** Some. */ readonly count?: number;")).toThrow("`Options.count` can be omitted");
  });

  test("is refused where an interface extends one that is in no table", () => {
    const text = "interface Base {}\ninterface Other {}\ninterface Options extends Base, Other {}";
    const options = project.createSourceFile("options.ts", text, { overwrite: true }).getInterfaceOrThrow("Options");
    expect(() => checkBases(options, ["Base"])).toThrow("`Options` extends Other, which it leaves out");
    expect(() => checkBases(options, ["Base", "Other"])).not.toThrow();
  });

  test("is that of the declarations", () => {
    expect(readFileSync("docs/options.md", "utf8")).toBe(optionsPage());
  });
});

test("a change is shown with what to do", () => {
  const old = new Map(Object.entries({ "ggsl.md": "a\nb\n", "gone.md": "" }));
  expect(differences(old, old)).toBeUndefined();
  const text = differences(old, new Map(Object.entries({ "ggsl.md": "a\nc\n", "ggsl/new.md": "" })));
  expect(text).toContain("docs/interface/ggsl.md:\n- b\n+ c\n");
  expect(text).toContain("docs/interface/gone.md: there is no such entry point any more");
  expect(text).toContain("docs/interface/ggsl/new.md: a new entry point");
  expect(text).toMatch(/run `npm run api`.*CHANGELOG\.md/);
});

test("every entry point has a file, which docs/interface/README.md lists", () => {
  const about = readFileSync("docs/interface/README.md", "utf8");
  const names = entryPoints().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["ggsl", "ggsl/onnx", "@ggsl/compiler", "@ggsl/server"]));
  expect(
    names.filter((name) => !about.includes(`[${name}](${name}.md)`) || !existsSync(`docs/interface/${name}.md`)),
  ).toEqual([]);
});
