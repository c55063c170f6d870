/** The plugin in Vite, built and served, and in Rollup, each in its own process. */
import { afterAll, beforeEach, expect, test } from "@jest/globals";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { warm } from "../cli/warm/warm.js";
import { node } from "./ggsl.js";

const ggsl = warm();

mkdirSync("build", { recursive: true });
const folder = resolve(mkdtempSync("build/plugin-"));
const chains = join(folder, "chains.ggsl");
const types = `${chains}.d.ts`;
const SET = { set: { [chains]: { k: 7 } } };
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => {
  cpSync("test/codegen/files", folder, { recursive: true });
  cpSync(join(folder, "awkward.ggsl"), chains);
  writeFileSync(join(folder, "entry.js"), 'export * from "./chains.ggsl";\n');
  rmSync(types, { force: true });
});

interface Bundled {
  readonly fault?: {
    readonly message: string;
    readonly frame: string;
    readonly id: string;
    readonly loc: { readonly file: string; readonly line: number; readonly column: number };
  };
  readonly warnings: readonly { readonly message: string }[];
  readonly watched?: readonly string[];
  readonly first?: string;
  readonly second?: string;
  readonly importer?: string;
  readonly fixed?: boolean;
}

function bundle(kind: "rollup" | "vite" | "dev", options: object = SET): Bundled {
  const { stdout, stderr } = node(["test/codegen/bundle.mjs", kind, folder, JSON.stringify(options)]);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Bundled;
}

/** The tokens of four that a chain of a built module keeps. */
function shortlist(built: string): unknown {
  const script = `
    const { aB, steady } = await import(${JSON.stringify(join(folder, "out", built))});
    const logits = [0.1, 0.2, 0.3, 0.4].map(Math.log);
    const { candidates } = await aB.evaluate(logits, { backend: "reference" });
    console.log(JSON.stringify([steady.name, ...candidates.map((c) => c.token)]));
  `;
  const { stdout, stderr } = node(["--input-type=module", "-e", script]);
  return stderr === "" ? JSON.parse(stdout) : stderr;
}

test("Rollup builds a module whose chains run, and watches imported programs", () => {
  const { warnings, watched } = bundle("rollup");
  expect(warnings).toEqual([]);
  expect(watched).toEqual(expect.arrayContaining([chains, join(folder, "lib/shared.ggsl")]));
  expect(shortlist("rollup.mjs")).toEqual(["steady", 3, 2]);
});

test("Vite builds a module whose chains run; its types equal those of `ggsl gen --dts`", () => {
  expect(bundle("vite")).toEqual({ warnings: [] });
  expect(shortlist("vite.mjs")).toEqual(["steady", 3, 2]);
  expect(ggsl(["gen", chains, "--dts", "--check", "--set", "k=7"])).toMatchObject({ status: 0 });
});

test("Vite's server sees changes in imported programs, shows the position of an error, and recovers", () => {
  const { importer, first, second, fault, fixed } = bundle("dev");
  expect(importer).toContain("/chains.ggsl");
  expect(first).toContain("export const steady = ");
  expect(second).not.toBe(first);
  const imported = join(folder, "lib/shared.ggsl");
  expect(fault?.message).toBe("error[E0201]: unknown name `gren`");
  expect(fault?.loc).toEqual({ file: imported, line: 8, column: 19 });
  expect(fault?.frame).toContain("8 |   logit += delta * gren\n  |                    ^^^^ ");
  expect(fault?.frame).toContain("help: did you mean `green`?");
  expect(fixed).toBe(true);
});

test("all errors of a program are shown, with the position of the first", () => {
  writeFileSync(chains, 'import { top_kk } from "std"\nchain a = nope()\n');
  const { fault } = bundle("rollup");
  expect(fault?.loc).toEqual({ file: chains, line: 1, column: 9 });
  expect(fault?.message).toContain("error[E0204]");
  expect(fault?.frame).toContain('import { top_kk } from "std"');
  expect(fault?.message).toContain("chain a = nope()");
});

test("warnings of a program are warnings of the build, and so is a setting for a file without imports", () => {
  writeFileSync(chains, 'import { greedy, temp } from "std"\nchain a = greedy() |> temp(2)\n');
  const { warnings } = bundle("rollup", { set: { "none.ggsl": { k: 1 } } });
  expect(warnings.map((w) => w.message)).toEqual([
    expect.stringContaining("warning["),
    expect.stringContaining('the option `set` names "none.ggsl", which nothing imports'),
  ]);
});

test("`dts: false` writes no types; hand-written types are not overwritten", () => {
  bundle("rollup", { ...SET, dts: false });
  expect(existsSync(types)).toBe(false);
  writeFileSync(types, "export declare const mine: 1;\n");
  const { fault } = bundle("rollup");
  expect(fault?.message).toContain("this plugin did not make it");
  expect(readFileSync(types, "utf8")).toBe("export declare const mine: 1;\n");
  unlinkSync(types);
});
