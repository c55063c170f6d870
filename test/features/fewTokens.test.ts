/** Logits that change for the tokens of the text only, against plain arithmetic, with tokens that are dropped. */
import { describe, expect, test } from "@jest/globals";
import { launches } from "../../compiler/graph/ops.js";
import { compile, compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import { createEvaluator, type Candidate } from "../../runtime/chain/evaluate.js";

const BACKENDS = ["reference", "cpu", "wasm"] as const;
const V = 24;
const { fround } = Math;

interface Penalties {
  readonly lastN: number;
  readonly repeat: number;
  readonly freq: number;
  readonly present: number;
}

const SETTINGS: readonly Penalties[] = [
  { lastN: 8, repeat: 1, freq: 0, present: 0 },
  { lastN: 8, repeat: 1.5, freq: 0.25, present: 0.5 },
  { lastN: 3, repeat: 0.5, freq: -1, present: 0 },
  // larger than any gap between the rows left and those dropped
  { lastN: 8, repeat: 4, freq: 1e37, present: 0 },
  { lastN: 8, repeat: 1e6, freq: 0, present: -1e37 },
];

const HISTORIES: readonly (readonly number[])[] = [
  [],
  [5],
  [2, 2, 2, 7, 2, 2, 2, 2],
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  [23, 4, 4, 9, 9, 9, 1],
];

const LOGITS: Readonly<Record<string, (token: number) => number>> = {
  "of both signs": (token) => ((token * 7) % V) / 2 - 5,
  "with 0 and -0": (token) => [0, -0, 1, -1][token % 4]! * (1 + token),
  "with -inf": (token) => (token % 3 === 1 ? -Infinity : ((token * 5) % V) / 4 - 3),
  "with numbers that count as -inf": (token) => [-1e30, -3e38, -Infinity, 2, -2][token % 5]! - (token % 7),
  "with numbers beyond 1e30": (token) => (token === 4 ? 3e38 : token === 5 ? -Infinity : token % 6),
};

/** The logits after penalties; -inf for a dropped token. */
function plainly(logits: readonly number[], history: readonly number[], p: Penalties): number[] {
  const window = history.slice(-p.lastN);
  return logits.map((given, token) => {
    if (!(given > -9e29)) return -Infinity;
    const logit = Math.min(fround(given), 1e30);
    const count = window.filter((t) => t === token).length;
    if (count === 0) return logit;
    const repeated = logit > 0 ? logit / p.repeat : logit * p.repeat;
    return Math.min(Math.max(repeated - (count * p.freq + p.present), -9e29), 1e30);
  });
}

const argumentsOf = (p: Penalties): string => `${p.lastN}, ${p.repeat}, ${p.freq}, ${p.present}`;

const withUniforms = (then = ""): Chain =>
  compile(`import { penalties, top_k } from "std"
chain c(repeat: f32 > 0 = 1, freq: f32 = 0, present: f32 = 0) = penalties(8, repeat, freq, present)${then}`);

function evaluated(
  { rowsGraph }: Chain,
  logits: readonly number[],
  history: readonly number[],
  backend: (typeof BACKENDS)[number],
  uniforms = {},
): readonly Candidate[] {
  using evaluator = createEvaluator(rowsGraph, V, { backend, history, uniforms });
  return evaluator.evaluate(Float32Array.from(logits)).candidates;
}

/** The logits by token. */
const byToken = (candidates: readonly Candidate[]): number[] => {
  const logits = Array.from({ length: V }, () => -Infinity);
  for (const { token, logit } of candidates) logits[token] = logit;
  return logits;
};

/** The tokens whose logits differ by more than rounding. */
const differences = (found: readonly number[], wanted: readonly number[]): unknown[] =>
  wanted.flatMap((logit, token) => {
    const isSame = found[token] === logit || Math.abs(found[token]! - logit) <= 1e-5 * Math.max(1, Math.abs(logit));
    return isSame ? [] : [{ token, found: found[token], wanted: logit }];
  });

const CASES = Object.entries(LOGITS).flatMap(([name, logitOf]) =>
  HISTORIES.flatMap((history) =>
    SETTINGS.map((p) => ({ name, history, p, logits: Array.from({ length: V }, (_, token) => logitOf(token)) })),
  ),
);

describe.each(BACKENDS)("on %s", (backend) => {
  test("constant penalties change the tokens of the window", () => {
    for (const p of SETTINGS) {
      const chain = compilePipeline(`penalties(${argumentsOf(p)})`);
      for (const { name, history, logits } of CASES.filter((c) => c.p === p)) {
        const found = byToken(evaluated(chain, logits, history, backend));
        expect([name, history, p, differences(found, plainly(logits, history, p))]).toEqual([name, history, p, []]);
      }
    }
  });

  test("so do penalties from outside", () => {
    const chain = withUniforms();
    for (const { name, history, p, logits } of CASES.filter((c) => c.p.lastN === 8)) {
      const { repeat, freq, present } = p;
      const found = byToken(evaluated(chain, logits, history, backend, { repeat, freq, present }));
      expect([name, history, p, differences(found, plainly(logits, history, p))]).toEqual([name, history, p, []]);
    }
  });

  test("top_k takes no dropped token before one that is left", () => {
    const chain = withUniforms(" |> top_k(6)");
    for (const { name, history, p, logits } of CASES.filter((c) => c.p.lastN === 8)) {
      const { repeat, freq, present } = p;
      const found = evaluated(chain, logits, history, backend, { repeat, freq, present });
      const wanted = plainly(logits, history, p).sort((a, b) => b - a);
      const rows = found.map(({ logit }) => logit).sort((a, b) => b - a);
      const best = wanted.slice(0, 6);
      expect([name, history, p, differences(rows, best)]).toEqual([name, history, p, []]);
    }
  });

  test("a second stage changes logits that the first has changed", () => {
    const [first, second] = [SETTINGS[1]!, SETTINGS[2]!];
    const chain = compilePipeline(`penalties(${argumentsOf(first)}) |> penalties(${argumentsOf(second)})`);
    for (const { name, history, logits } of CASES.filter((c) => c.p === first)) {
      const found = byToken(evaluated(chain, logits, history, backend));
      const wanted = plainly(plainly(logits, history, first), history, second);
      expect([name, history, differences(found, wanted)]).toEqual([name, history, []]);
    }
  });
});

/** Logits after `change`, -inf for a token that was or is dropped. */
const changed = (logits: readonly number[], change: (logit: number, token: number) => number): number[] =>
  logits.map((logit, token) => (logit > -9e29 ? change(fround(Math.min(logit, 1e30)), token) : -Infinity));

describe.each(BACKENDS)("differences of logits on %s", (backend) => {
  const each = (source: string, change: (logit: number, token: number, delta: number) => number): void => {
    const chain = compile(source);
    for (const { name, logits } of CASES.filter((c) => c.p === SETTINGS[0] && c.history.length === 0)) {
      for (const delta of [0, 0.75, -3, 1e26, -1e26]) {
        const found = byToken(evaluated(chain, logits, [4, 4, 5], backend, { delta }));
        const wanted = changed(logits, (logit, token) => change(logit, token, delta));
        expect([name, delta, differences(found, wanted)]).toEqual([name, delta, []]);
      }
    }
  };

  test("are added for the tokens of a list", () => {
    each(
      `import { sequence_bias } from "std"
chain c(delta: f32 = 0) = sequence_bias([1, 5, [4, 5, 7], [4, 7]], delta)`,
      (logit, token, delta) => (token === 1 || token === 5 || token === 7 ? logit + delta : logit),
    );
  });

  test("are subtracted twice, from either side of a sum", () => {
    each(
      `sampler s(delta: f32) { logit = occurrences(8) * delta + logit - (repeat_len(8, []) > 0 ? delta : 0) }
chain c(delta: f32 = 0) = s(delta)`,
      // token 4 has followed token 4
      (logit, token, delta) => logit + delta * [4, 4, 5].filter((t) => t === token).length,
    );
  });

  test("may depend on the logit itself", () => {
    each(
      `sampler s(delta: f32) { logit -= occurrences(8) > 0 ? min(max(logit, -1e3), 1e3) * min(max(delta, -2), 2) : 0 }
chain c(delta: f32 = 0) = s(delta)`,
      (logit, token, delta) => {
        const factor = Math.min(Math.max(delta, -2), 2);
        return token === 4 || token === 5 ? logit - Math.min(Math.max(logit, -1e3), 1e3) * factor : logit;
      },
    );
  });
});

describe.each(BACKENDS)("bans on %s", (backend) => {
  const banned = (source: string, allowed: (token: number) => boolean): void => {
    const chain = compile(source);
    for (const { name, logits } of CASES.filter((c) => c.p === SETTINGS[0] && c.history.length === 0)) {
      const left = changed(logits, (logit, token) => (allowed(token) ? logit : -Infinity));
      const best = Math.max(...changed(logits, (logit) => logit));
      const candidates = evaluated(chain, logits, [4, 4, 5], backend);
      const isAnyLeft = left.some((logit) => logit > -Infinity);
      if (isAnyLeft) expect([name, differences(byToken(candidates), left)]).toEqual([name, []]);
      else expect([name, candidates.map(({ logit }) => logit)]).toEqual([name, [best]]);
      expect(candidates.reduce((sum, { prob }) => sum + prob, 0)).toBeCloseTo(1, 5);
    }
  };
  const all = Array.from({ length: V }, (_, token) => token);

  test("drop the tokens of a list", () => {
    banned(`sampler s() { keep completes([0, 2, 9, 23]) == 0 }\nchain c() = s()`, (t) => ![0, 2, 9, 23].includes(t));
  });

  test("leave the best token if they drop all", () => {
    banned(`sampler s() { keep completes([${all.join(", ")}]) == 0 }\nchain c() = s()`, () => false);
  });

  test("hold for the logits of before", () => {
    banned(
      `sampler s() {
  let before = logit
  keep occurrences(8) == 0
  logit = before
}
chain c() = s()`,
      (token) => token !== 4 && token !== 5,
    );
  });

  test("of two lists, and in a branch", () => {
    banned(
      `import { temp } from "std"
sampler s(on: bool) {
  keep occurrences(8) == 0
  if on { keep completes([1, 2, 3]) == 0 } else { logit += 1 }
}
chain c(on: bool = true) = s(on) |> temp(1)`,
      (token) => ![1, 2, 3, 4, 5].includes(token),
    );
  });
});

describe("the graph", () => {
  const wideOps = (chain: Chain): string[] =>
    chain.graph.nodes.filter((node) => launches(node) && node.dim === "V").map(({ op }) => op);

  test("has no step over all rows but a copy and the changes", () => {
    for (const chain of [compilePipeline("penalties(8, 1.1, 0.5, 0.5) |> top_k(6)"), withUniforms(" |> top_k(6)")])
      expect(wideOps(chain)).toEqual(["clamp", "set_rows"]);
  });

  test.each([
    ["dry(0.8, breakers: [1])", ["clamp", "set_rows"]],
    ["fading_penalties(0.5, 0.5, 0.9, 4)", ["clamp", "set_rows"]],
    ["sequence_bias([3, [1, 2]], -10)", ["clamp", "set_rows"]],
    ["bad_words([3, [1, 2]])", ["clamp", "set_rows", "set_rows"]],
    ["logit_bias()", ["clamp", "set_rows", "set_rows", "set_rows"]],
  ])("nor has that of %s", (stage, ops) => {
    expect(wideOps(compilePipeline(`${stage} |> top_k(6)`))).toEqual(ops);
  });

  test("has no mask for differences from outside", () => {
    const chain = compile(`import { dry, sequence_bias, temp, top_k } from "std"
chain c(x: f32 = 0, y: f32 = 0, t: f32 in [0.01, 10] = 1) = dry(x, y) |> sequence_bias([1], x) |> temp(t) |> top_k(6)`);
    expect(wideOps(chain)).toEqual(["clamp", "set_rows", "set_rows"]);
  });

  test("has none for any other condition on the text", () => {
    const chain = compile(`import { top_k } from "std"
sampler s() { logit = occurrences(4) > 1 and repeat_len(4) > 0 ? -logit : logit }
chain c() = s() |> top_k(6)`);
    expect(wideOps(chain).filter((op) => op === "step" || op === "log")).toEqual([]);
  });

  test("has a mask where the condition is not of a few tokens", () => {
    const chain = compile(`import { top_k } from "std"
sampler s() { logit = prob > 0.1 ? logit - 1e30 : logit }
chain c() = s() |> top_k(6)`);
    expect(wideOps(chain)).toContain("step");
  });
});
