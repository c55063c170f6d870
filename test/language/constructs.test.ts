/** Each construct of the language against a few lines written from its description, on all backends. */
import { describe, expect, test } from "@jest/globals";
import { BACKENDS } from "../parity/backends.js";
import { makeLogits } from "../parity/logits.js";
import { random } from "../parity/random.js";
import { softmax } from "../parity/rows.js";
import { compileBody, evaluateGraph, rowsAfter } from "./run.js";

const F32_MAX = 3.4028234663852886e38;
const F32_MIN = 1.1754943508222875e-38;

/** Eleven rows, some of which are no candidates. */
const INPUT = makeLogits({ shape: "normal", vocabSize: 11, seed: 3, dropped: 0.3 });
const ALIVE = [...INPUT.keys()].filter((i) => INPUT[i] !== -Infinity);
const logitsOf = (tokens: readonly number[]): number[] => tokens.map((t) => INPUT[t]!);
const sum = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0);
const mean = (x: readonly number[]): number => sum(x) / x.length;
const variance = (x: readonly number[]): number => mean(x.map((v) => (v - mean(x)) ** 2));

describe.each(BACKENDS)("on %s", (backend) => {
  const rows = (...body: string[]) => rowsAfter(compileBody(...body), INPUT, backend);
  const tokens = (...body: string[]) => rows(...body).tokens;
  /** A column's values, row by row; output as logits, which are clamped to 1e31. */
  const values = (expr: string, ...before: string[]) => rows(...before, `logit = ${expr}`).logits;
  const expectValues = (expr: string, wanted: readonly number[], ...before: string[]): void => {
    const found = values(expr, ...before);
    expect(found).toHaveLength(wanted.length);
    found.forEach((x, i) =>
      expect(Math.abs(x - wanted[i]!)).toBeLessThanOrEqual(2e-5 * Math.max(1, Math.abs(wanted[i]!))),
    );
  };
  const everywhere = (x: number, count = ALIVE.length): number[] => Array<number>(count).fill(x);

  test("rows of -inf are dropped on entry, and the rest is in vocabulary order", () => {
    expect(ALIVE.length).toBeGreaterThan(4);
    expect(ALIVE.length).toBeLessThan(INPUT.length);
    expect(tokens()).toEqual(ALIVE);
    expectValues("token", ALIVE);
    expectValues("cumsum(1) - 1", [...ALIVE.keys()]);
    expectValues("n + 0 * logit", everywhere(ALIVE.length));
    expectValues("vocab + 0 * logit", everywhere(11));
    expectValues("prob", softmax(logitsOf(ALIVE)));
  });

  const positive = ALIVE.filter((t) => INPUT[t]! > 0);

  test("reductions see the rows left", () => {
    const l = logitsOf(positive);
    const p = softmax(l);
    const wanted: Record<string, number> = {
      "max(logit)": Math.max(...l),
      "min(logit)": Math.min(...l),
      "sum(logit)": sum(l),
      "mean(logit)": mean(l),
      "var(logit)": variance(l),
      "std(logit)": Math.sqrt(variance(l)),
      "count(logit > 1)": l.filter((x) => x > 1).length,
      n: l.length,
      "sum(prob)": 1,
      "entropy()": -sum(p.map((x) => x * Math.log(x))),
      "max(-logit)": Math.max(...l.map((x) => -x)),
      "max(token)": Math.max(...positive),
      "min(token)": Math.min(...positive),
      "(any(logit > 1) ? 1 : 0)": l.some((x) => x > 1) ? 1 : 0,
      "(any(logit < 0) ? 1 : 0)": 0,
      "(all(logit > 0) ? 1 : 0)": 1,
      "(all(logit > 1) ? 1 : 0)": l.every((x) => x > 1) ? 1 : 0,
    };
    for (const [expr, x] of Object.entries(wanted)) {
      expectValues(`0 * logit + ${expr}`, everywhere(x, l.length), "keep logit > 0");
      expectValues(`0 * logit + ${expr}`, everywhere(x, l.length), "sort", "keep logit > 0");
      expectValues(`0 * logit + ${expr}`, everywhere(x, l.length), "sort by token desc", "keep logit > 0");
    }
  });

  test("scans see the rows left, in their order", () => {
    const l = logitsOf(positive);
    const running = (x: readonly number[]): number[] => x.map((_, i) => sum(x.slice(0, i + 1)));
    expectValues("cumsum(logit)", running(l), "keep logit > 0");
    expectValues("cumsum(logit)", running([...l].reverse()), "sort by token desc", "keep logit > 0");
    expectValues(
      "cumsum(1)",
      [...l.keys()].map((i) => i + 1),
      "keep logit > 0",
    );
    expectValues("rank", [...l.keys()], "sort by token asc", "keep logit > 0");
    expectValues("softmax(2 * logit)", softmax(l.map((x) => 2 * x)), "keep logit > 0");
    expectValues("log_softmax(-logit)", softmax(l.map((x) => -x)).map(Math.log), "keep logit > 0");
  });

  test("neighbours are the rows left", () => {
    const l = logitsOf(positive).sort((a, b) => b - a);
    expectValues("prev(logit, 77)", [77, ...l.slice(0, -1)], "sort", "keep logit > 0");
    expectValues("next(logit, 77)", [...l.slice(1), 77], "sort", "keep logit > 0");
    const byToken = logitsOf([...positive].reverse());
    expectValues("prev(logit, 77)", [77, ...byToken.slice(0, -1)], "sort by token desc", "keep logit > 0");
    expectValues("next(logit, -5)", [...byToken.slice(1), -5], "sort by token desc", "keep logit > 0");
  });

  const best = [...ALIVE].sort((a, b) => INPUT[b]! - INPUT[a]!);

  test("sort and top order the rows", () => {
    expect(tokens("sort")).toEqual(best);
    expect(tokens("sort by logit asc")).toEqual([...best].reverse());
    expect(tokens("sort by token desc")).toEqual([...ALIVE].reverse());
    expect(tokens("sort by abs(logit)")).toEqual([...ALIVE].sort((a, b) => Math.abs(INPUT[b]!) - Math.abs(INPUT[a]!)));
    expect(tokens("top 3")).toEqual(best.slice(0, 3));
    expect(tokens("top 1")).toEqual(best.slice(0, 1));
    expect(tokens("top 500")).toEqual(best);
    expect(tokens("top 3 by token")).toEqual([...ALIVE].reverse().slice(0, 3));
    expect(tokens("top 3 by -logit")).toEqual([...best].reverse().slice(0, 3));
    expect(tokens("keep logit > 0", "top 2 by token")).toEqual([...positive].reverse().slice(0, 2));
  });

  test("keep leaves at least some rows", () => {
    expect(tokens("keep logit > 1e9")).toEqual(best.slice(0, 1));
    expect([...tokens("keep logit > 1e9 at least 3")].sort((a, b) => a - b)).toEqual(
      best.slice(0, 3).sort((a, b) => a - b),
    );
    expect(tokens("keep logit > 1e9 at least 0")).toEqual(best.slice(0, 1));
    expect(tokens("keep logit > 1e9 at least n - n")).toEqual(best.slice(0, 1));
    expect(tokens("keep logit > 1e9 at least 99")).toEqual(ALIVE);
    expect(tokens("keep logit > 1e9 at least n")).toEqual(ALIVE);
    expect(tokens("sort by token desc", "keep logit > 1e9 at least 2")).toEqual([...ALIVE].reverse().slice(0, 2));
    expect(tokens("sort by token desc", "keep logit > 0 at least 99")).toEqual([...ALIVE].reverse());
    expect(tokens("sort by token desc", "keep logit > 0", "keep token < 0 at least 99")).toEqual(
      [...positive].reverse(),
    );
    expect(tokens("keep logit > 0", "keep token < 0 at least 99")).toEqual(positive);
    expect(tokens("keep token < 0 and 1 > 2")).toEqual(best.slice(0, 1));
  });

  test("columns travel with their rows", () => {
    expectValues(
      "x",
      best.map((t) => t * 2),
      "let x = token * 2",
      "sort",
    );
    expectValues("x", logitsOf(best.slice(0, 3)), "let x = logit", "logit = logit * 2", "top 3");
    expectValues(
      "x",
      [...ALIVE.keys()].filter((i) => positive.includes(ALIVE[i]!)),
      "sort by token asc",
      "let x = rank",
      "keep logit > 0",
    );
    expectValues("x + 0 * logit", everywhere(Math.max(...logitsOf(ALIVE)), 2), "let x = max(logit)", "top 2 by token");
  });

  test("an if with a static condition runs one branch, any other blends", () => {
    expectValues(
      "logit",
      logitsOf(ALIVE).map((x) => x * 2),
      "if 1 < 2 { logit *= 2 } else { logit = token }",
    );
    expectValues("logit", ALIVE, "if max(logit) < -50 { logit *= 2 } else { logit = token }");
    expectValues(
      "logit",
      logitsOf(ALIVE).map((x) => x * 2),
      "if max(logit) > -50 { logit *= 2 } else { logit = token }",
    );
    expect(tokens("if max(logit) > -50 { keep logit > 0 }")).toEqual(positive);
    expect(tokens("if max(logit) < -50 { keep logit > 0 }")).toEqual(ALIVE);
    expect(tokens("if max(logit) < -50 { logit = 0 } else { keep logit > 0 }")).toEqual(positive);
    expect(tokens("if step < 1 { keep logit > 0 } else { keep logit < 0 }")).toEqual(positive);
  });

  test("arithmetic has no NaN and no infinity", () => {
    const one = (expr: string): number => values(`0 * logit + (${expr})`)[0]!;
    // 1e-9 and n - n: scalars known to the host, and scalars computed by the graph
    for (const zero of ["(1 - 1)", "(n - n)", "(0 * max(logit))"]) {
      expect(one(`1e-10 / ${zero} / 1e9`)).toBeCloseTo(1e-10 / F32_MIN / 1e9, -14);
      expect(one(`log(${zero}) / 1e30`) * 1e30).toBeCloseTo(-F32_MAX, -32);
      expect(one(`log(${zero} - 1) / 1e30`) * 1e30).toBeCloseTo(-F32_MAX, -32);
      expect(one(`exp(1000 + ${zero}) / 1e30`) * 1e30).toBeCloseTo(F32_MAX, -32);
      expect(one(`sqrt(${zero} - 4)`)).toBe(0);
      expect(one(`(1e38 + ${zero}) * 1e38 / 1e30`) * 1e30).toBeCloseTo(F32_MAX, -32);
      expect(one(`0 / ${zero}`)).toBe(0);
      expect(one(`(7 + ${zero}) % 4`)).toBeCloseTo(3, 5);
      expect(one(`(${zero} - 7) % 4`)).toBeCloseTo(1, 5);
      expect(one(`round(${zero} - 2.5)`)).toBe(-3);
      expect(one(`round(${zero} + 2.5)`)).toBe(3);
    }
    expectValues("log(logit - logit) / 1e38", everywhere(-F32_MAX / 1e38));
  });

  test("elementwise functions equal the JavaScript functions of the same name", () => {
    const l = logitsOf(ALIVE);
    const wanted: Record<string, (x: number) => number> = {
      "exp(logit)": Math.exp,
      "log(logit)": (x) => (x > 0 ? Math.log(x) : -1e31),
      "log2(logit)": (x) => (x > 0 ? Math.log2(x) : -1e31),
      "sqrt(logit)": (x) => Math.sqrt(Math.max(x, 0)),
      "abs(logit)": Math.abs,
      "floor(logit)": Math.floor,
      "ceil(logit)": Math.ceil,
      "sign(logit)": Math.sign,
      "sigmoid(logit)": (x) => 1 / (1 + Math.exp(-x)),
      "tanh(logit)": Math.tanh,
      "min(logit, 1)": (x) => Math.min(x, 1),
      "max(logit, -1)": (x) => Math.max(x, -1),
      "clamp(logit, -1, 2)": (x) => Math.min(Math.max(x, -1), 2),
      "logit ^ 2": (x) => x ** 2,
      "logit ^ 3": (x) => x ** 3,
      "abs(logit) ^ 1.5": (x) => Math.abs(x) ** 1.5,
      "2 ^ logit": (x) => 2 ** x,
      "logit ^ 9": (x) => x ** 9,
      "logit ^ -3": (x) => x ** -3,
      "logit ^ -4": (x) => x ** -4,
      "logit ^ 1.5": (x) => (x > 0 ? x ** 1.5 : 0),
      "logit ^ -0.5": (x) => (x > 0 ? x ** -0.5 : 0),
      "logit ^ (step + 3)": (x) => x ** 3,
      "logit ^ (step + 2.5)": (x) => (x > 0 ? x ** 2.5 : 0),
      "logit ^ round(logit)": (x) => x ** (Math.sign(x) * Math.round(Math.abs(x))),
      "(-2) ^ round(logit)": (x) => (-2) ** (Math.sign(x) * Math.round(Math.abs(x))),
      "(step - 2) ^ round(logit)": (x) => (-2) ** (Math.sign(x) * Math.round(Math.abs(x))),
      "logit % 1.5": (x) => x - 1.5 * Math.floor(x / 1.5),
      "-logit": (x) => -x,
      "1 - logit": (x) => 1 - x,
      "1 / logit": (x) => 1 / x,
      "logit > 0 ? logit : 5": (x) => (x > 0 ? x : 5),
      "not (logit > 0) and logit >= -2 ? 1 : 0": (x) => (x <= 0 && x >= -2 ? 1 : 0),
      "logit < -1 or logit > 1 ? 1 : 0": (x) => (x < -1 || x > 1 ? 1 : 0),
      "logit == logit ? 1 : 0": () => 1,
      "logit != max(logit) ? 1 : 0": (x) => (x === Math.max(...l) ? 0 : 1),
    };
    for (const [expr, f] of Object.entries(wanted)) expectValues(expr, l.map(f));
  });

  test("numbers at the limits of f32 give no NaN, and an empty table still gives a token", () => {
    const inputs = [
      [-Infinity, -Infinity, -Infinity],
      [F32_MAX, -F32_MAX, 0],
      [F32_MAX, F32_MAX, -Infinity],
      [-F32_MAX, -F32_MAX, -F32_MAX],
      // subnormal probabilities
      [0, -95, -100],
    ];
    const bodies = [
      "",
      "sort",
      "top 2",
      "keep prob > 0.1",
      "logit *= 2",
      "logit -= max(logit)",
      "logit = logit ^ 2 / sum(logit)",
      "logit *= token > 0 ? prob : 0.75 % prob",
      "sort logit *= next(prob, 0.75 % prob)",
      "logit = logit / prob - 1 / prob",
      // numbers that are 0 in f32 but not on the host
      "logit -= token % (1e-20 ^ 8)",
      "logit /= 1e-20 ^ 8",
      "logit /= (step + 1e-20) ^ 8",
    ];
    for (const input of inputs.map((x) => Float32Array.from(x))) {
      for (const pick of ["pick sample(1)", "pick argmax(logit)"]) {
        for (const body of bodies) {
          const { sampled, logits, probs } = evaluateGraph(compileBody(body, pick), input, backend);
          expect([0, 1, 2]).toContain(typeof sampled === "number" ? sampled : sampled![0]);
          expect([...logits!, ...probs!].filter(Number.isNaN)).toEqual([]);
        }
      }
    }
  });

  test("rows of -inf stay dropped whatever happens to the logits", () => {
    const r = random(5);
    const changes = [
      "logit *= 1e30",
      "logit *= -1",
      "logit -= 1e30",
      "logit /= 1e-30",
      "logit = 0",
      "logit = -logit * logit",
      "logit *= 1e-30",
    ];
    for (let i = 0; i < 40; i++) {
      const body = Array.from({ length: 4 }, () => changes[r.below(changes.length)]!);
      expect(tokens(...body)).toEqual(ALIVE);
      expect([...tokens(...body, "sort")].sort((a, b) => a - b)).toEqual(ALIVE);
    }
  });
});
