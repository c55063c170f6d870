/** Valid programs, and programs that are too large. */
import { describe, expect, test } from "@jest/globals";
import { resolveArgs } from "../../compiler/check/arguments.js";
import { check, checkStages } from "../../compiler/check/check.js";
import { compileProgram } from "../../compiler/driver.js";
import { constantIn } from "../../compiler/check/types.js";
import { compileError } from "../../compiler/check/format.js";
import { STD_NAMES } from "../../compiler/std/library.js";
import type { Chain, Const, Sampler } from "../../compiler/syntax/ast.js";
import { parse } from "../../compiler/syntax/parse.js";
import type { SourceFile } from "../../compiler/source/source.js";

const source = (text: string, name = "t.ggsl"): SourceFile => ({ name, text });
const faults = (text: string): string[] => check(source(text)).diagnostics.map((d) => `${d.code} ${d.message}`);
const codes = (text: string): string[] => check(source(text)).diagnostics.map((d) => d.code);

describe("valid programs", () => {
  test.each([
    `sampler min_p2(p: f32 in [0, 1] = 0.05) { keep prob >= p * max(prob) }
     chain c(t: f32 >= 0 = 0.8) = min_p2(0.1) |> min_p2(p: t)`,
    `sampler mirostat(tau: f32 >= 0 = 5, eta: f32 >= 0 = 0.1, seed: seed = random) {
       state mu: f32 = 2 * tau
       sort
       keep -log2(prob) <= mu
       pick sample(seed)
       after pick { mu -= eta * (-log2(picked(prob)) - tau) }
     }`,
    `sampler typical(p: f32 = 1, min_keep: i32 >= 0 = 0) {
       let shift = abs(-log(prob) - entropy())
       sort by shift asc
       keep p >= 1 or cumsum(prob) - prob < p at least max(1, min_keep)
     }`,
    `sampler tail_free(z: f32 in [0, 1] = 0.95) {
       if known(z >= 1) { } else {
         sort
         let slope = prob - next(prob, 0)
         let bend = abs(slope - next(slope, 0))
         keep cumsum(bend / max(sum(bend), 1e-6)) <= z
       }
     }`,
    `sampler xtc(p: f32 = 0, t: f32 = 0.1, min_keep: i32 = 0, seed: seed = random) {
       sort
       let above = count(prob >= t)
       let strikes = uniform32(seed) < p and above >= 2 and n - above + 1 >= min_keep
       keep not strikes or rank >= above - 1
     }`,
    `sampler folded(static on: bool = true, static k: i32 >= 1 = 3) { if on { top k * 2 } else { sort by token asc } }
     chain c(static k: i32 >= 1 = 2) = folded(k: k + 1) |> folded(false, 3)`,
    `const base = 2 const twice = base * base sampler s() { top twice } chain c = s`,
    `input green: f32 input mask: bool sparse(16) = 0
     sampler s() { logit += 2 * green + bias keep mask or occurrences(64) == 0 or allowed("root ::= x") }
     chain c = s |> host grammar("root ::= x", root: "root") |> host dist(42)
     test "t" { logits [1, -inf] bias [1: 2] history [0, 1] input green [1, 0] steps 2 run s expect tokens [0, 1] }`,
    "sampler s(b: bool = false) { state seen: bool = false pick argmax(logit) after pick { seen = seen or b } }",
  ])("%s", (text) => expect(faults(text)).toEqual([]));

  test("the standard library", () => {
    const text = `import { ${STD_NAMES.join(", ")} } from "std"`;
    expect(faults(text)).toEqual([]);
  });

  test("a one-liner of the standard library", () => {
    const { program, diagnostics } = checkStages(source("top_k(40) |> temp(0.8) |> dist(42)"));
    expect(diagnostics).toEqual([]);
    expect(program?.chains[0]?.stages).toHaveLength(3);
  });
});

describe("imports", () => {
  const files: Readonly<Record<string, string>> = {
    "lib/a.ggsl": 'import { b } from "./b.ggsl"\nsampler a() { sort }\nchain both = a |> b',
    "lib/b.ggsl": "const third = 1 / 3\nsampler b(p: f32 = third) { keep prob > p }",
  };
  const importer = (path: string, from: string): SourceFile | undefined => {
    const name = `lib/${path.slice(path.lastIndexOf("/") + 1)}`;
    expect(from).toMatch(/ggsl$/);
    return files[name] === undefined ? undefined : source(files[name], name);
  };

  test("names come from the file that declares them", () => {
    const { program, diagnostics } = check(source('import { both, a } from "./lib/a.ggsl"\nchain c = both |> a'), {
      importer,
    });
    expect(diagnostics).toEqual([]);
    expect([...(program?.main.scope ?? [])].map(([name, b]) => [name, b.module.source.name])).toEqual([
      ["both", "lib/a.ggsl"],
      ["a", "lib/a.ggsl"],
      ["c", "t.ggsl"],
    ]);
  });

  test("imports are not re-exported", () => {
    expect(check(source('import { b } from "./lib/a.ggsl"'), { importer }).diagnostics.map((d) => d.code)).toEqual([
      "E0204",
    ]);
  });

  test("too many files are refused", () => {
    const endless = (path: string): SourceFile => {
      const n = Number(/\d+/.exec(path)?.[0]);
      return source(`import { x } from "./${n + 1}.ggsl"`, path);
    };
    expect(check(source('import { x } from "./0.ggsl"'), { importer: endless }).diagnostics.map((d) => d.code)).toEqual(
      ["E0210"],
    );
  });
});

describe("no exponential work", () => {
  const chainOf = (count: number, line: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => line(i + 1)).join("\n");
  test("constants of constants", () =>
    expect(codes(`const c0 = 1\n${chainOf(60, (i) => `const c${i} = c${i - 1} + c${i - 1}`)}`)).toEqual([]));
  test("chains of chains", () =>
    expect(
      codes(`sampler s() { sort }\nchain c0 = s\n${chainOf(60, (i) => `chain c${i} = c${i - 1} |> c${i - 1}`)}`),
    ).toEqual(["E0218"]));
  test("chains that are deep", () =>
    expect(codes(`sampler s() { sort }\nchain c0 = s\n${chainOf(60, (i) => `chain c${i} = c${i - 1}`)}`)).toEqual([]));
  test("chains that contain each other", () =>
    expect(codes("chain a = b |> b\nchain b = a |> a\nchain c = a")).toEqual(Array(4).fill("E0209")));
});

test("constants are evaluated by the rules of the language", () => {
  const value = (text: string): number | undefined => {
    const { module } = check(source(`const a = 3\nconst x = ${text}`));
    const [, x] = module.file.declarations as Const[];
    return constantIn(module, x!.value);
  };
  const max = 3.4028234663852886e38;
  expect(value("1 / 0")).toBeCloseTo(1 / 1.1754943508222875e-38);
  expect(value("-1e300 * 10")).toBe(-max);
  expect(value("inf - inf")).toBe(0);
  expect(value("log(0)")).toBe(-max);
  expect(value("a ^ 2 ^ 0.5 - 7 % 4")).toBeCloseTo(3 ** Math.SQRT2 - 3);
  expect(value("max(a, 4) == 4 and not (a < 2) ? clamp(9, 0, 1) : 5")).toBe(1);
  expect([value("a <= 3"), value("a != 3"), value("true or false")]).toEqual([1, 0, 1]);
  expect([value("max(a)"), value("prob"), value("sum(1)"), value("toString(1)")]).toEqual(Array(4).fill(undefined));
});

test("arguments are matched by position, then by name", () => {
  const [s, c] = parse(source("sampler s(a: f32, b: f32 = 1, c: f32 = 2) { }\nchain c = s(5, c: 6)")).file
    .declarations as [Sampler, Chain];
  const { bound, diagnostics } = resolveArgs(s.params, c.stages[0]!.args);
  expect(diagnostics).toEqual([]);
  expect([...bound].map(([name, { value }]) => [name, value.kind === "number" && value.value])).toEqual([
    ["a", 5],
    ["c", 6],
  ]);
});

test("a compile error holds all diagnostics and reads like them", () => {
  const fault = compileError(check(source("sampler s() { keep probb > 0 keep 1 }")).diagnostics);
  expect(fault.diagnostics.map((d) => d.code)).toEqual(["E0201", "E0301"]);
  expect(fault.message).toContain("--> t.ggsl:1:20");
});

describe("what a name means is decided once", () => {
  const compiled = (text: string): string[] => compileProgram(text).diagnostics.map((d) => d.code);
  test("a parameter hides a constant of its name, and the constant's value", () =>
    expect(compiled("const k = 3.5\nsampler s(static k: i32) { top k }\nchain c = s(2)")).toEqual([]));
  test("an input is a column, which no index of a draw can be", () =>
    expect(compiled("input k: i32\nsampler s(seed: seed) { pick sample(seed, k) }\nchain c = s(1)")).toEqual([
      "E0319",
    ]));
  test("a text that no one gives is a static parameter without a value", () =>
    expect(compiled("sampler s(static g: text) { keep allowed(g) }\nchain c(static g: text) = s(g)")).toEqual([
      "E0410",
    ]));
});
