/** Draws of equal seeds at different places are independent, and streams are those that the guide describes. */
import { describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fromSpec, readSpec, writeSpec } from "../../compiler/graph/json.js";
import { hasOpenSeed, withSeed } from "../../compiler/graph/seeds.js";
import { MAX_STREAM, streamOf, streamSeed } from "../../compiler/graph/streams.js";
import { printGraph } from "../../compiler/graph/text.js";
import { chainOf, compile, compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { drawF32, drawF64, mt19937 } from "../../runtime/core/mt19937.js";
import { acceptToken, startSequence } from "../../runtime/sequence/sequence.js";
import { takesDraws } from "../../runtime/sequence/streams.js";
import { restoreSequence, saveSequence } from "../../runtime/sequence/savedSequence.js";

const BACKENDS = ["reference", "cpu", "wasm"] as const;

/** Drops tokens 0 and 1 in half of the cases. */
const HALF = "sampler half(seed: seed) { keep not (uniform(seed) < 0.5) or token > 1 }";
const PICKING = "sampler half(seed: seed) { keep not (uniform(seed) < 0.5) or token > 1  pick sample(seed) }";
const STD = 'import { dist, xtc } from "std"\n';

const chiSquare = (counts: readonly number[], shares: readonly number[]): number => {
  const total = counts.reduce((a, b) => a + b, 0);
  return counts.reduce((sum, count, i) => sum + (count - total * shares[i]!) ** 2 / (total * shares[i]!), 0);
};

/** Chi-square values that chance exceeds once in 10 000 cases, by degrees of freedom. */
const MOST = { 3: 21.1, 15: 44.3 } as const;

/** How often each token is picked. */
function counted({ graph }: Chain, steps: number, backend: (typeof BACKENDS)[number], tokens = 4): number[] {
  const counts = Array.from({ length: tokens }, () => 0);
  using evaluator = createEvaluator(graph, tokens, { backend });
  for (let i = 0; i < steps; i++) {
    counts[evaluator.evaluate(counts.map(() => 0)).token!]!++;
    evaluator.accept();
  }
  return counts;
}

/** Counts of pairs of two draws of a chain, in 4 x 4 bins. */
function pairs({ graph }: Chain, steps: number, [a, b]: readonly [number, number]): number[] {
  const counts = Array.from({ length: 16 }, () => 0);
  const none = new Float32Array(graph.states.length);
  for (let i = 0, s = startSequence(graph, 4); i < steps; i++, s = acceptToken(s, 0, none)) {
    const [x, y] = [s.streams[a]!.value, s.streams[b]!.value];
    counts[4 * Math.floor(4 * x) + Math.floor(4 * y)]!++;
  }
  return counts;
}

const EVEN = Array.from({ length: 16 }, () => 1 / 16);
/** A token above 1 is one of two in half of the cases, and one of four in the others. */
const SHARES = [1 / 8, 1 / 8, 3 / 8, 3 / 8];

describe.each(BACKENDS)("on %s", (backend) => {
  test.each([
    ["two stages of one seed", `${STD}${HALF} chain c = half(7) |> dist(7)`],
    ["the draw and the pick of one sampler", `${PICKING} chain c = half(7)`],
    ["one seed parameter", `${STD}${HALF} chain c(s: seed = 7) = half(s) |> dist(s)`],
  ])("%s: 800 draws are independent", (_, source) => {
    expect(chiSquare(counted(compile(source), 800, backend), SHARES)).toBeLessThan(MOST[3]);
  });

  test("open seeds that one number sets: 800 draws are independent", () => {
    const { graph } = compile(`${STD}sampler half(seed: seed = random) { keep not (uniform(seed) < 0.5) or token > 1 }
      chain c = half() |> dist()`);
    expect(chiSquare(counted(chainOf(withSeed(graph, 7)), 800, backend), SHARES)).toBeLessThan(MOST[3]);
  });
});

test.each([
  ["two calls in one sampler", "sampler a(s: seed) { logit += uniform(s) * token + uniform(s) } chain c = a(7)"],
  ["of different widths", "sampler a(s: seed) { logit += uniform(s) * token + uniform32(s) } chain c = a(7)"],
  ["the same stage twice", "sampler a(s: seed) { logit += uniform(s) * token } chain c = a(7) |> a(7)"],
  ["stages of nested chains", "sampler a(s: seed) { logit += uniform(s) * token } chain b = a(7) chain c = b() |> b()"],
  ["arguments", "sampler a(x: f32, s: seed) { logit += x * token + uniform(s) } chain c = a(uniform(7), 7)"],
])("%s: 8000 pairs of draws are independent", (_, source) => {
  const chain = compile(source, { chain: "c" });
  expect(chain.graph.draws).toHaveLength(2);
  expect(chiSquare(pairs(chain, 8000, [0, 1]), EVEN)).toBeLessThan(MOST[15]);
});

test("the first draws of 2000 seeds in a row are independent of those of their further streams", () => {
  const first = (seed: number, stream: number | undefined): number => drawF64(mt19937(streamSeed(seed, stream)));
  for (const [a, b] of [
    [undefined, 1],
    [1, 2],
    [1, streamOf(1, 0)],
  ] as const) {
    const counts = EVEN.map(() => 0);
    for (let seed = 0; seed < 2000; seed++)
      counts[4 * Math.floor(4 * first(seed, a)) + Math.floor(4 * first(seed, b))]!++;
    expect(chiSquare(counts, EVEN)).toBeLessThan(MOST[15]);
  }
});

test("a `let` that is used twice is one draw", () => {
  const { graph } = compile("sampler a(s: seed) { let u = uniform(s)  logit += u * token + u } chain c = a(7)");
  expect(graph.draws).toEqual([{ kind: "f64", seed: 7, stream: 1 }]);
});

test("numbers of streams depend on the source alone", () => {
  const text = (flag: string): string =>
    `sampler a(static f: bool, s: seed) {
      if f { logit += uniform(s) * token }
      logit += uniform(s) * token * token
    }
    chain c = a(${flag}, 7)`;
  expect(compile(text("true")).graph.draws.map((d) => d.stream)).toEqual([1, 2]);
  expect(compile(text("false")).graph.draws.map((d) => d.stream)).toEqual([2]);
});

test("the standard samplers and the pick of a chain draw from llama.cpp's stream", () => {
  const { graph } = compile(`${STD}${PICKING} chain c = xtc(0.5, 0.1, seed: 7) |> half(7)`);
  expect(graph.draws.map(({ kind, stream }) => [kind, stream])).toEqual([
    ["f32", undefined],
    ["f64", streamOf(1, 0)],
    ["f64", undefined],
  ]);
  expect(compilePipeline("dist(7)").graph.draws).toEqual([{ kind: "f64", seed: 7 }]);
});

test("a stream is written to specs, and printed", () => {
  const { graph } = compile(`${STD}${HALF} chain c = half(7) |> dist(7)`);
  expect(readSpec(writeSpec(graph))).toEqual(graph);
  expect(printGraph(graph)).toContain("draw0 = f64 from seed 7 stream 1\n    draw1 = f64 from seed 7\n");
});

test("a spec without streams draws as before", () => {
  const { graph } = compile(`${STD}${HALF} chain c = half(7) |> dist(7)`);
  const older = fromSpec({ ggsl: 1, ...graph, draws: graph.draws.map(({ kind, seed }) => ({ kind, seed })) });
  const [a, b] = startSequence(older, 4).streams;
  expect([a!.value, b!.value]).toEqual(Array.from({ length: 2 }, () => drawF64(mt19937(7))));
});

test("a saved sequence continues its streams", () => {
  const { graph } = compile(`${STD}${HALF} chain c = half(7) |> dist(7)`);
  let sequence = startSequence(graph, 4);
  for (let i = 0; i < 5; i++) sequence = acceptToken(sequence, 0, new Float32Array());
  const restored = restoreSequence(graph, 4, saveSequence(sequence));
  expect(restored.streams.map((s) => s.value)).toEqual(sequence.streams.map((s) => s.value));
});

test("the test vectors of the documentation hold", () => {
  const table = /^\| seed \| stream \|.*\n\|.*\n((?:\|.*\n)+)/m.exec(readFileSync("docs/semantics.md", "utf8"))![1]!;
  const rows = table.trimEnd().split("\n");
  expect(rows.length).toBeGreaterThanOrEqual(6);
  for (const row of rows) {
    const [, seed, stream, rest] = /^\| (\d+) \| (\d+|llama\.cpp's) \| (.*) \|$/.exec(row)!;
    const start = streamSeed(Number(seed), stream === "llama.cpp's" ? undefined : Number(stream));
    const rng = mt19937(start);
    expect(rest).toBe(`${start} | ${drawF64(rng)}, ${drawF64(rng)} | ${drawF32(mt19937(start))}`);
  }
});

test("streams of one seed never coincide", () => {
  const streams = [...Array.from({ length: 100_000 }, (_, i) => i + 1), MAX_STREAM];
  expect(new Set(streams.map((k) => streamSeed(42, k))).size).toBe(streams.length);
});

test("`draws` and --uniform of a chain without draws are errors", () => {
  const open = (stages: string) => () =>
    createEvaluator(compilePipeline(stages).graph, 3, { backend: "reference", draws: [0.5] })[Symbol.dispose]();
  expect(open("top_k(2) |> dist(7)")).not.toThrow();
  expect(open("top_k(2) |> greedy()")).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining("has no draws to replace") }),
  );
  const args = ["runtime/dist/cli/main.js", "eval", "-e", "greedy()", "--probs", "0.5,0.5", "--uniform", "0.5"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("--uniform replaces draws, and") });
});

test("what a caller may give does not depend on what the optimizer removes", () => {
  const source = `import { top_k, dist } from "std" chain c(static k: i32 >= 1 = 2) = top_k(k) |> dist()`;
  const tokens = [1, 2].map((k) => {
    const { graph } = compile(source, { set: { k } });
    expect([hasOpenSeed(graph), takesDraws(graph)]).toEqual([true, true]);
    using evaluator = createEvaluator(graph, 3, { draws: [0.9] });
    return evaluator.evaluate([0, 2, 1.9]).token;
  });
  expect(tokens).toEqual([1, 2]);
});
