/** A builtin has three places: its record, its line in docs/language.md and its test. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";
import { define, map, reduction, type Builtin, type BuiltinName } from "../../compiler/builtins/builtin.js";
import { builtinKind, FUNCTIONS, NAMES } from "../../compiler/builtins/builtins.js";
import { compileProgram, graphOf } from "../../compiler/driver.js";
import { UNIFORM_OPS } from "../../compiler/graph/uniformOps.js";
import { OP_NAMES } from "../../compiler/graph/ops.js";
import * as A from "../../compiler/table/arith.js";
import * as R from "../../compiler/rows/reduce.js";
import { constant } from "../../compiler/table/value.js";
import { KEYWORDS } from "../../compiler/source/keywords.js";
import { functionHead } from "../../lsp/describe.js";
import { languageTables } from "../../playground/engine/language.js";
import { evaluateGraph } from "../language/run.js";

const BUILTINS: ReadonlySet<string> = new Set([...Object.keys(FUNCTIONS), ...Object.keys(NAMES)]);
const OPS: ReadonlySet<string> = new Set([...OP_NAMES, ...Object.keys(UNIFORM_OPS)]);

// ---------------------------------------------------------------- the record

/** Folders that read programs. Settings of other tools are not among them: they write programs, and so name builtins. */
const READERS = ["compiler/check", "compiler/lower", "compiler/optimize", "compiler/syntax", "codegen"];
const EDITORS = ["lsp", "playground/editor", "playground/engine", "editors/vscode"];

/** Strings and object keys that also have other meanings. */
const OTHER_TEXTS: Readonly<Record<string, string>> = {
  std: "the standard library",
  uniform: "a rate, and an op",
  next: "a field of states",
  last: "a field of features and of uniform expressions",
};
const OTHER_KEYS: Readonly<Record<string, string>> = {
  min: "a bound of a range",
  max: "a bound of a range",
  next: "of states",
  picked: "of lowering",
  count: "of a test's steps",
  n: "of a test's steps",
  last: "a feature's window",
};

/** Files where names of builtins mean something else. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // a word of other languages
  "compiler/diagnostics/syntax.ts": ["var"],
  // what words of other languages are here
  "compiler/diagnostics/foreign.ts": [...BUILTINS],
  // a key that is `logit` is that of a sort without one
  "compiler/lower/stmt.ts": ["logit"],
  // a pick of the best `logit` is the plain one
  "compiler/check/policies.ts": ["logit"],
  // what a trace tells
  "compiler/lower/trace.ts": ["rank"],
  // a kind of feature
  "compiler/table/asked.ts": ["allowed"],
  "compiler/optimize/remove-dead.ts": ["allowed"],
  // names of nodes and of cached columns
  "compiler/rows/changes.ts": ["prob"],
  "compiler/table/columns.ts": ["logit", "prob", "rank"],
  "compiler/rows/pick.ts": ["prob"],
  // a kind of output channel
  "editors/vscode/src/client.ts": ["log"],
  // fields of data that is read or shown
  "lsp/describe.ts": ["uniform"],
  "lsp/reading.ts": ["std"],
  "playground/engine/language.ts": ["std"],
  "playground/engine/stages.ts": ["entropy", "picked", "prob"],
};

function sourcesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".generated.ts"));
}

/** Builtins that a source names, as strings or object keys. Lowering names ops, some of which share a name. */
function namedIn(file: string): string[] {
  const found = new Set<string>();
  const isOfOps = /^compiler\/(?:table|rules|rows|lower|optimize)\//.test(file);
  const note = (word: string, others: Readonly<Record<string, string>>): void => {
    const isOther = Object.hasOwn(others, word) || Object.hasOwn(KEYWORDS, word) || (isOfOps && OPS.has(word));
    if (BUILTINS.has(word) && !isOther) found.add(word);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) note(node.text, OTHER_TEXTS);
    if (ts.isPropertyAssignment(node) && !ts.isComputedPropertyName(node.name)) note(node.name.text, OTHER_KEYS);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest));
  return [...found].sort();
}

test("no reader of programs names a builtin", () => {
  const files = [...READERS, ...EDITORS].flatMap(sourcesIn);
  expect(files.length).toBeGreaterThan(80);
  const named = files.map((file) => [file, namedIn(file).filter((word) => !ALLOWED[file]?.includes(word))] as const);
  expect(named.filter(([, words]) => words.length > 0)).toEqual([]);
});

// ---------------------------------------------------------------- its line

test("docs/language.md has every builtin", () => {
  const page = readFileSync("docs/language.md", "utf8").replace(/^```[^]*?^```/gm, "");
  const shown = new Set([...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code!.match(/\w+/g) ?? []));
  expect([...BUILTINS].filter((name) => !shown.has(name))).toEqual([]);
});

// ---------------------------------------------------------------- a new one

describe("a builtin added to the table", () => {
  const functions = FUNCTIONS as Record<string, Builtin>;
  const names = NAMES as Record<string, BuiltinName>;
  const NEW: Readonly<Record<string, Builtin>> = {
    cube: map("x by itself and by itself again", (cx, x) => A.mul(cx, A.mul(cx, x, x), x), { result: "number" }),
    spread: reduction("from the smallest to the largest among the rows left", (cx, x) =>
      A.sub(cx, R.max(cx, x), R.min(cx, x)),
    ),
    between: define({
      doc: "lo, hi or what lies between by a share of 0 to 1",
      args: { lo: "number", hi: "number" },
      optional: { share: "number" },
      gives: "map",
      result: "f32",
      lower: (cx, { lo, hi, share = constant(0.5) }) => A.add(cx, lo, A.mul(cx, share, A.sub(cx, hi, lo))),
    }),
  };
  const parity: BuiltinName = {
    doc: "whether the token's id is odd",
    type: "i32",
    shape: "column",
    rate: "runtime",
    lower: (cx) => A.mod(cx, names["token"]!.lower(cx), constant(2)),
  };

  beforeAll(() => {
    Object.assign(functions, NEW);
    names["parity"] = parity;
  });
  afterAll(() => {
    for (const name of Object.keys(NEW)) Reflect.deleteProperty(functions, name);
    Reflect.deleteProperty(names, "parity");
  });

  const logitsAfter = (body: string): number[] => {
    const text = `const eight = cube(2)\nsampler s(t: f32) {\n${body}\n}\nchain c(t: f32 = 3) = s(t)`;
    const graph = graphOf(compileProgram(text, { outputs: ["logits"] }));
    return [...evaluateGraph(graph, Float32Array.from([1, 2, -1]), "reference").logits!];
  };
  const codesOf = (body: string): string[] =>
    compileProgram(`sampler s() {\n${body}\n}\nchain c = s()`).diagnostics.map((d) => d.code);

  test("works on rows, on uniform values and on constants", () => {
    expect(logitsAfter("logit = cube(logit)")).toEqual([1, 8, -1]);
    expect(logitsAfter("logit += cube(t)")).toEqual([28, 29, 26]);
    expect(logitsAfter("logit += eight + spread(logit)")).toEqual([12, 13, 10]);
    expect(logitsAfter("logit = between(logit, 4)")).toEqual([2.5, 3, 1.5]);
    expect(logitsAfter("logit = between(logit, 4, 1)")).toEqual([4, 4, 4]);
    expect(logitsAfter("logit = 10 * parity")).toEqual([0, 10, 0]);
  });

  test("is constant if its arguments are, and an integer if they are", () => {
    expect(codesOf("top cube(2)")).toEqual([]);
    expect(codesOf("top cube(0.5)")).toEqual(codesOf("top 0.125"));
    expect(codesOf("top spread(token)")).toEqual(codesOf("top sum(token)"));
  });

  test("is checked like any other", () => {
    expect(codesOf("logit = cube(logit, 2)")).toEqual(codesOf("logit = exp(logit, 2)"));
    expect(codesOf("logit = between(logit > 1, 2)")).toEqual(codesOf("logit = exp(logit > 1)"));
    expect(codesOf("logit = cub(logit)")).toEqual(codesOf("logit = ex(logit)"));
    expect(codesOf("let cube = 1")).toEqual(codesOf("let exp = 1"));
    expect(codesOf("let parity = 1")).toEqual(codesOf("let rank = 1"));
  });

  test("is known to editors", () => {
    expect(functionHead("between")).toBe("between(number, number, [number]) -> f32");
    expect([builtinKind("cube"), builtinKind("parity")]).toEqual(["function", "column"]);
    expect(languageTables().functions).toMatchObject({ spread: NEW["spread"]!.doc });
  });
});
