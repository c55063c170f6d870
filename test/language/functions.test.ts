/** Functions, folds and `repeat` against plain arithmetic and the same program written out, on all backends. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { compileProgram, graphOf, type CompileOptions } from "../../compiler/driver.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { BACKENDS, type Backend } from "../parity/backends.js";
import { makeLogits } from "../parity/logits.js";
import { softmax } from "../parity/rows.js";
import { evaluateGraph, rowsAfter } from "./run.js";

const INPUT = makeLogits({ shape: "normal", vocabSize: 11, seed: 3, dropped: 0.3 });
const LOGITS = [...INPUT].filter((x) => x !== -Infinity);
const PROBS = softmax(LOGITS);
const sum = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0);

const graph = (text: string, options: CompileOptions = {}): Graph =>
  graphOf(compileProgram(text, { outputs: ["candidates", "logits", "probs"], ...options }));

/** A sampler that assigns an expression, and what is declared before it. */
const program = (expr: string, ...declarations: string[]): string =>
  `${declarations.join("\n")}\nsampler s() {\n  logit = ${expr}\n}\nchain c() = s()`;

function expectLogits(backend: Backend, text: string, wanted: readonly number[]): void {
  const found = rowsAfter(graph(text), INPUT, backend).logits;
  expect(found).toHaveLength(wanted.length);
  found.forEach((x, i) =>
    expect(Math.abs(x - wanted[i]!)).toBeLessThanOrEqual(2e-5 * Math.max(1, Math.abs(wanted[i]!))),
  );
}

const near = "fn near(x: f32, best: f32) -> f32 = x / best";
const shifted =
  "fn shifted(x: f32, gap: f32 = 1) -> f32 {\n  let m = max(x) * gap\n  let d = x - m;\n  (d + gap) * 2\n}";

describe.each(BACKENDS)("on %s", (backend) => {
  test("functions take columns and scalars, by position, by name and by default", () => {
    const best = Math.max(...PROBS);
    expectLogits(
      backend,
      program("near(prob, max(prob))", near),
      PROBS.map((p) => p / best),
    );
    expectLogits(
      backend,
      program("near(best: 4, x: logit) + near(1, 2)", near),
      LOGITS.map((x) => x / 4 + 0.5),
    );
    const top = Math.max(...LOGITS);
    const value = (x: number, by: number, m = top): number => (x - m * by + by) * 2;
    expectLogits(
      backend,
      program("shifted(logit)", shifted),
      LOGITS.map((x) => value(x, 1)),
    );
    expectLogits(
      backend,
      program("shifted(gap: 3, x: logit)", shifted),
      LOGITS.map((x) => value(x, 3)),
    );
    expectLogits(
      backend,
      program("logit + shifted(5, 2)", shifted),
      LOGITS.map((x) => x + value(5, 2, 5)),
    );
  });

  test("a body sees its parameters, its own values and the columns, not those of the sampler", () => {
    const text = `const k = 3
      fn inner(x: f32) -> f32 { let y = x * k  y + n }
      fn outer(y: f32) -> f32 { let x = inner(y)  x + inner(x) }
      sampler s() { let x = 100  let y = logit  logit = outer(y) + 0 * x }
      chain c() = s()`;
    const inner = (x: number): number => x * 3 + LOGITS.length;
    expectLogits(
      backend,
      text,
      LOGITS.map((x) => inner(x) + inner(inner(x))),
    );
  });

  test("functions of conditions and integers", () => {
    const text = program(
      "odd(token) == (logit > 0) ? half(token) : -1",
      "fn odd(x: i32) -> bool = x % 2 == 1",
      "fn half(x: i32) -> i32 = floor(x / 2)",
    );
    const tokens = [...INPUT.keys()].filter((i) => INPUT[i] !== -Infinity);
    expectLogits(
      backend,
      text,
      tokens.map((t) => ((t % 2 === 1) === INPUT[t]! > 0 ? Math.floor(t / 2) : -1)),
    );
  });

  test("equality of conditions", () => {
    const a = LOGITS.map((x) => x > 0);
    const b = PROBS.map((p) => p > 0.1);
    const pairs: [string, boolean[]][] = [
      ["a == b", a.map((x, i) => x === b[i])],
      ["a != b", a.map((x, i) => x !== b[i])],
      ["a == true", a],
      ["false == a", a.map((x) => !x)],
      ["a != (n > 2)", a.map((x) => x !== LOGITS.length > 2)],
      ["(a and b) != (a or not b)", a.map((x, i) => (x && b[i]) !== (x || !b[i]))],
      ["(true == false) == a", a.map((x) => !x)],
    ];
    for (const [expr, wanted] of pairs) {
      const text = `sampler s() { let a = logit > 0  let b = prob > 0.1  logit = (${expr} ? 1 : 0) + 0 * (a and b ? 1 : 0) } chain c() = s()`;
      expectLogits(backend, text, wanted.map(Number));
    }
  });

  test("folds", () => {
    const upTo = (k: number): number[] => Array.from({ length: k }, (_, i) => i + 1);
    const of = (f: (x: number) => number): number[] => LOGITS.map(f);
    const each = (x: number, f: (i: number) => number): number => sum(upTo(8).map((i) => f(i) * x));
    expectLogits(
      backend,
      program("sum i in 1..8: logit * i ^ 2"),
      of((x) => each(x, (i) => i * i)),
    );
    expectLogits(
      backend,
      program("max i in -2..3: i * logit"),
      of((x) => Math.max(-2 * x, 3 * x)),
    );
    expectLogits(
      backend,
      program("min i in 1..1 + 2: logit - i"),
      of((x) => x - 3),
    );
    expectLogits(
      backend,
      program("(any i in 1..3: token == 3 * i) ? 1 : 0 * logit"),
      [...INPUT.keys()].filter((t) => INPUT[t] !== -Infinity).map((t) => Number([3, 6, 9].includes(t))),
    );
    expectLogits(
      backend,
      program("(all i in 1..3: logit > i - 2) ? 1 : 0"),
      of((x) => Number(x > 1)),
    );
    expectLogits(
      backend,
      program(
        "logit + (sum i in 1..0: logit) + ((any i in 1..0: logit > 0) ? 1 : 0) + ((all i in 1..0: logit > 0) ? 2 : 0)",
      ),
      of((x) => x + 2),
    );
    const nested = upTo(4).flatMap((i) => upTo(i).map((j) => i * 10 + j));
    expectLogits(
      backend,
      program("logit * sum i in 1..4: sum j in 1..i: i * 10 + j"),
      of((x) => x * sum(nested)),
    );
    expectLogits(
      backend,
      program("sum i in 1..3: i == 2 ? 10 * logit : i"),
      of((x) => 10 * x + 4),
    );
  });

  test("repeat", () => {
    const rounds = (count: number, x: number, f: (x: number, i: number) => number): number => {
      for (let i = 1; i <= count; i++) x = f(x, i);
      return x;
    };
    expectLogits(
      backend,
      program("repeat 5 with x = logit: x / 2 + 1"),
      LOGITS.map((v) => rounds(5, v, (x) => x / 2 + 1)),
    );
    expectLogits(
      backend,
      program("repeat i in 2..4 with x = 0: x * i + logit"),
      LOGITS.map((v) => rounds(3, 0, (x, i) => x * (i + 1) + v)),
    );
    expectLogits(backend, program("repeat 0 with x = logit: x + 1"), LOGITS);
    expectLogits(
      backend,
      program("(repeat 3 with on = logit > 0: not on) ? 1 : 0"),
      LOGITS.map((x) => Number(!(x > 0))),
    );
    expectLogits(
      backend,
      program("repeat 2 with x = logit: repeat 2 with y = x: y + x"),
      LOGITS.map((x) => 9 * x),
    );
  });

  test("a uniform value that grows with each round is computed to the end", () => {
    const text = (args: string): string =>
      `sampler s(a: f32 > 0) { logit *= repeat 40 with x = a: (x + a / x) / 2 } chain c(a: f32 > 0 = 7) = s(${args})`;
    expectLogits(
      backend,
      text("a"),
      LOGITS.map((x) => x * Math.sqrt(7)),
    );
    expectLogits(
      backend,
      text("7"),
      LOGITS.map((x) => x * Math.sqrt(7)),
    );
  });

  test("the example with an exact entropy", () => {
    const text = readFileSync("examples/exact-entropy.ggsl", "utf8");
    for (const nats of [0.3, 1, 1.7]) {
      const own = `${text}\nchain rows() = exact_entropy(${nats})`;
      const results = evaluateGraph(graph(own, { chain: "rows" }), INPUT, backend);
      const probs = [...results.probs!].filter((p) => p > 0);
      expect(probs.length).toBe(LOGITS.length);
      expect(-sum(probs.map((p) => p * Math.log(p)))).toBeCloseTo(nats, 4);
    }
  });
});

describe("graphs", () => {
  /** A graph without names and origins. */
  const shape = (text: string): unknown => graph(text).nodes.map(({ op, inputs, attrs }) => [op, inputs, attrs]);

  test.each([
    ["near(prob, max(prob))", "prob / max(prob)", near],
    ["shifted(logit)", "(logit - max(logit) * 1 + 1) * 2", shifted],
    ["sum i in 1..3: logit ^ i", "logit + logit ^ 2 + logit ^ 3", ""],
    ["repeat 3 with x = logit: tanh(x)", "tanh(tanh(tanh(logit)))", ""],
  ])("%s has the nodes of %s", (short, long, declarations) => {
    expect(shape(program(short, declarations))).toEqual(shape(program(long)));
  });

  test("a condition that a function computes is as cheap as the same one written out", () => {
    const keep = (condition: string, declarations = ""): string =>
      `import { top_k, top_p } from "std"\n${declarations}\nsampler s() { keep ${condition} }\nchain c() = top_k(5) |> top_p(0.9) |> s()`;
    expect(
      shape(
        keep(
          "near(prob, max(prob)) > 0 * prob and share(prob) >= 0.1 * max(prob)",
          `${near}\nfn share(x: f32) -> f32 = x`,
        ),
      ),
    ).toEqual(shape(keep("prob / max(prob) > 0 * prob and prob >= 0.1 * max(prob)")));
    expect(shape(keep("prob >= best(0.1)", "fn best(p: f32) -> f32 = p * max(prob)"))).toEqual(
      shape(keep("prob >= 0.1 * max(prob)")),
    );
    // not of the same degree
    expect(shape(keep("prob >= best(0.1)", "fn best(p: f32) -> f32 = p * max(prob) ^ 2"))).toEqual(
      shape(keep("prob >= 0.1 * max(prob) ^ 2")),
    );
  });

  test("an infinite logit is found through a function", () => {
    const { diagnostics } = compileProgram(
      program("ban(logit, token == 3)", "fn ban(x: f32, on: bool) -> f32 = on ? -inf : x"),
    );
    expect(diagnostics.map((d) => d.code)).toEqual(["E0508"]);
  });

  test("names of an import, and constants of texts and lists across files", () => {
    const importer = (path: string) =>
      path === "./lib.ggsl"
        ? {
            name: "lib.ggsl",
            text: 'const stops = ["\\n", 3,]\nfn near(x: f32, best: f32,) -> f32 = x / best\nsampler temp(t: f32,) { logit /= t }',
          }
        : undefined;
    const text = `import { near as ratio, temp as cool, stops as breakers, } from "./lib.ggsl"
      import { dry as repetition } from "std"
      const same = breakers
      sampler s(static stops: list = same,) { logit = ratio(logit, 2) - repeat_len(8, stops,) - repeat_len(8, breakers) }
      chain c() = s() |> cool(2) |> repetition(1, breakers: same)`;
    const features = graph(text, { importer }).features.map(({ from }) => from);
    expect(features).toContainEqual({ kind: "repeat_len", last: 8, breakers: ["\n", 3] });
    expect(features.length).toBe(2);
  });

  test("doc comments of parameters are in the spec", () => {
    const { params } = graph("chain c(\n  /// How hot.\n  t: f32 = 1,\n) = s(t)\nsampler s(t: f32) { logit /= t }");
    expect(params.map(({ doc }) => doc)).toEqual(["How hot."]);
  });

  test("functions that call each other twice are checked once for each types, and inlined within the steps", () => {
    const chainOf = (depth: number): string => {
      const functions = Array.from(
        { length: depth },
        (_, i) => `fn f${i + 1}(x: f32) -> f32 = f${i}(x + 1) * f${i}(x)`,
      );
      return program(`f${depth}(logit)`, "fn f0(x: f32) -> f32 = x", ...functions);
    };
    expect(compileProgram(chainOf(4)).graph).toBeDefined();
    // without limits, this would not end
    const { diagnostics } = compileProgram(chainOf(60));
    expect(diagnostics.map((d) => d.code)).toEqual(["E0701"]);
  });

  test.each([
    ["folds", "sum a in 1..64: sum b in 1..64: sum c in 1..64: sum d in 1..64: logit * a * b * c * d"],
    ["repeats", "repeat 64 with a = logit: repeat 64 with b = a: repeat 64 with c = b: repeat 64 with d = c: d / 2"],
  ])("nested %s exceed the steps", (_, expr) => {
    expect(compileProgram(program(expr)).diagnostics.map((d) => d.code)).toEqual(["E0701"]);
  });

  test("nested repeats are checked once for each type, not once for each level", () => {
    const nest = (depth: number): string =>
      depth === 0 ? "x0 * prob / 2" : `repeat 1 with x${depth} = 1: (${nest(depth - 1)})`;
    const text = program(nest(40).replace("x0", "x40"));
    // two checks for each level would not end
    expect(compileProgram(text).graph).toBeDefined();
  });
});
