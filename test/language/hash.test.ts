/** `hash` and `noise` are what docs/semantics.md says, to the bit, on every backend. test/vulkan/noise.test.ts has Vulkan. */
import { describe, expect, test } from "@jest/globals";
import { hashOf, noiseOf } from "../../compiler/graph/hash.js";
import { fromSpec, readSpec, specFaults, toSpec, writeSpec } from "../../compiler/graph/json.js";
import { withSeed } from "../../compiler/graph/seeds.js";
import { printGraph } from "../../compiler/graph/text.js";
import { chainOf, compile, compilePipeline } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import {
  acceptToken,
  startSequence,
  uniformsOf,
  withUniforms,
  type SequenceState,
} from "../../runtime/sequence/sequence.js";
import { restoreSequence, saveSequence } from "../../runtime/sequence/savedSequence.js";
import { nativeGraph } from "../native/graphs.js";
import { BACKENDS } from "../parity/backends.js";
import { random } from "../parity/random.js";
import { compileBody, evaluateGraph } from "./run.js";

const seedHash = (seed: number, at: number, token: number): number =>
  hashOf(seed % 2 ** 24, Math.floor(seed / 2 ** 24), at, token);

/** The seeds with which a sequence of a graph starts. */
const streamSeeds = ({ streams }: SequenceState): number[] => streams.map(({ seed }) => seed);

describe.each(BACKENDS)("on %s", (backend) => {
  const SIZE = 1000;
  // no integers, and beyond 2^24 on both sides
  const logits = Float32Array.from({ length: SIZE }, (_, i) => Math.fround((i - 500) * 123456.789));
  const best = Math.fround(499 * 123456.789);

  test.each<[expression: string, expected: (token: number, logit: number) => number]>([
    ["hash(token)", (t) => hashOf(t)],
    ["hash(token, 5)", (t) => hashOf(t, 5)],
    ["hash(5, token)", (t) => hashOf(5, t)],
    ["hash(5.9, -1, token)", (t) => hashOf(5, 2 ** 24 - 1, t)],
    ["hash(token, step, token, vocab)", (t) => hashOf(t, 0, t, SIZE)],
    ["hash(logit)", (_, x) => hashOf(x)],
    ["hash(logit, token)", (t, x) => hashOf(x, t)],
    ["hash(max(logit), token)", (t) => hashOf(best, t)],
    ["hash(token, max(logit))", (t) => hashOf(t, best)],
    ["hash(max(logit))", () => hashOf(best)],
    ["hash(3, 16777216)", () => hashOf(3, 0)],
    ["hash(hash(token), hash(step))", (t) => hashOf(hashOf(t), hashOf(0))],
  ])("%s", (expression, expected) => {
    const graph = compileBody(`let h = ${expression}`, "logit = h");
    const found = evaluateGraph(graph, logits, backend).logits!;
    expect([...found]).toEqual([...logits].map((x, token) => expected(token, x)));
  });

  test("noise of 32000 rows, to the bit", () => {
    const size = 32_000;
    const flat = new Float32Array(size);
    for (const [seed, at] of [
      [0, 0],
      [7, 3],
      [2 ** 24 + 9, 70_000],
      [2 ** 32 - 1, -1],
    ] as const) {
      const graph = compileBody(`logit = noise(${seed}, ${at})`);
      const found = evaluateGraph(graph, flat, backend).logits!;
      const wanted = Float32Array.from(flat, (_, token) => noiseOf(seedHash(seed, at, token)));
      const other = wanted.findIndex((u, token) => u !== found[token]);
      expect([seed, at, other, found[other]]).toEqual([seed, at, -1, undefined]);
    }
  });

  test("noise is of the token, wherever its row is", () => {
    const graph = compileBody("top 5", "logit = noise(3, 8)", "sort");
    const some = Float32Array.of(1, 9, 2, 8, 3, 7, 4, 6);
    const { candidates, logits: found } = evaluateGraph(graph, some, backend);
    const wanted = [1, 3, 5, 7, 6].map((token) => [token, noiseOf(seedHash(3, 8, token))] as const);
    wanted.sort((a, b) => b[1] - a[1]);
    expect([...candidates!].map((token, i) => [token, found![i]])).toEqual(wanted);
  });
});

// ---------------------------------------------------------------- seeds

const NOISE = "sampler shake(seed: seed = random) { logit = noise(seed) }\n";
const flat = new Float32Array(6);

/** The logits of each step. */
function stepsOf(source: string, steps: number, uniforms: Readonly<Record<string, number>> = {}): number[][] {
  using evaluator = createEvaluator(compile(source).rowsGraph, flat.length, { backend: "reference", uniforms });
  return Array.from({ length: steps }, () => {
    const { candidates } = evaluator.evaluate(flat);
    evaluator.accept(1);
    return candidates.map(({ logit }) => logit);
  });
}

const noiseAt = (seed: number, step: number): number[] =>
  [...flat.keys()].map((token) => noiseOf(seedHash(seed, step, token)));

test("noise follows the step, and a seed that is a number, a parameter or set", () => {
  const wanted = [0, 1, 2].map((step) => noiseAt(3_000_000_000, step));
  expect(stepsOf(`${NOISE}chain c = shake(3000000000)`, 3)).toEqual(wanted);
  expect(stepsOf(`${NOISE}chain c(s: seed = 3000000000) = shake(s)`, 3)).toEqual(wanted);
  expect(stepsOf(`${NOISE}chain c(s: seed = 1) = shake(s)`, 3, { s: 3_000_000_000 })).toEqual(wanted);
});

test("all calls of one seed give the same noise, also in several stages", () => {
  const twice = "sampler twice(seed: seed) { logit = noise(seed) - noise(seed) }\n";
  expect(stepsOf(`${twice}chain c = twice(random)`, 2)).toEqual([0, 0].map(() => [0, 0, 0, 0, 0, 0]));
  const again = "sampler again(seed: seed) { logit -= noise(seed) }\n";
  expect(stepsOf(`${NOISE}${again}chain c(s: seed) = shake(s) |> again(s)`, 2)).toEqual(
    [0, 0].map(() => [0, 0, 0, 0, 0, 0]),
  );
});

test("random seeds differ between sequences and between stages, and one option sets them all", () => {
  const { rowsGraph: graph } = compile(`${NOISE}sampler add() { logit += noise(random) }\nchain c = shake() |> add()`);
  expect(graph.draws).toEqual([
    { kind: "seed", seed: "random" },
    { kind: "seed", seed: "random" },
  ]);
  const seeds = [startSequence(graph, 6), startSequence(graph, 6)].flatMap(streamSeeds);
  expect(new Set(seeds).size).toBe(4);
  expect(streamSeeds(startSequence(withSeed(graph, 5), 6))).toEqual([5, 5]);
});

test("a saved sequence goes on with its seed, and a seed that is set again replaces it", () => {
  const { rowsGraph: graph } = compile(`${NOISE}chain c(s: seed = random) = shake(s)`);
  const begun = acceptToken(startSequence(graph, 6), 1, new Float32Array());
  const restored = restoreSequence(graph, 6, JSON.parse(JSON.stringify(saveSequence(begun))) as never);
  expect(uniformsOf(restored)).toEqual(uniformsOf(begun));
  expect(uniformsOf(acceptToken(begun, 2, new Float32Array()))).not.toEqual(uniformsOf(begun));
  const reseeded = uniformsOf(withUniforms(begun, { s: 9 }));
  const fresh = acceptToken(startSequence(graph, 6, { uniforms: { s: 9 } }), 1, new Float32Array());
  expect(reseeded).toEqual(uniformsOf(fresh));
});

test("seeds are no draws that given ones replace", () => {
  const { rowsGraph: graph } = compile(`${NOISE}chain c = shake(4)`);
  expect(() => createEvaluator(graph, 6, { backend: "reference", draws: [0.5] })).toThrow("has no draws to replace");
});

// ---------------------------------------------------------------- the graph

test("what the host knows is no node: a hash of numbers and uniforms is a uniform expression", () => {
  const { graph } = compile(
    "sampler s(k: i32) { keep token != hash(k, step, 4) % 7 }\nchain c(k: i32 = 3) = s(k) |> t()\nsampler t() { pick argmax(logit) }",
  );
  expect(graph.nodes.filter(({ op }) => op === "hash")).toEqual([]);
  expect(printGraph(graph)).toContain("hash(4, hash(step, hash(k, 10368889)))");
});

test("noise is one hash, and its key is one uniform", () => {
  const { graph } = compilePipeline("gumbel(7)");
  expect(graph.nodes.filter(({ op }) => op === "hash").length).toBe(1);
  expect(printGraph(graph)).toContain(
    "draw0 = seed 7\n    u0 = hash(step, hash(floor(div(draw0, 16777216)), hash(draw0, 10368889)))",
  );
});

test("specs keep seeds; a seed has neither a stream nor an index", () => {
  const { graph } = compilePipeline("gumbel(7)");
  const read = readSpec(writeSpec(graph));
  expect(read).toEqual(graph);
  const tokens = [graph, read].map((g) => {
    using evaluator = createEvaluator(chainOf(g).rowsGraph, 6, { backend: "reference" });
    return evaluator.evaluate(flat).token;
  });
  expect(tokens[0]).toBe(tokens[1]);
  for (const extra of [{ stream: 3 }, { at: "step" }] as const) {
    const spec = { ...toSpec(graph), draws: [{ kind: "seed", seed: 7, ...extra }] };
    expect(specFaults(spec)).toEqual(["draw 0: a seed has neither a stream nor an index"]);
    expect(() => fromSpec(spec)).toThrow("a seed has neither");
  }
});

test("programs that use the names for something else keep their meaning", () => {
  const source = `sampler hash(noise: f32) {
  let gumbel = noise * 2
  logit *= gumbel
}
sampler noise(hash: f32) { logit += hash }
chain c = hash(2) |> noise(1)`;
  using evaluator = createEvaluator(compile(source).rowsGraph, 2, {
    backend: "reference",
  });
  expect(evaluator.evaluate(Float32Array.of(1, 2)).candidates.map(({ logit }) => logit)).toEqual([5, 9]);
});

test.each([
  ["logit = hash()", "`hash`"],
  ["logit = hash(1, 2, 3, 4, 5)", "`hash`"],
  ["logit = hash(token > 1)", "a number"],
  ["logit = noise()", "`noise`"],
  ["logit = noise(1.5)", "seed"],
  ["logit = noise(1, token)", "known before the graph runs"],
])("%s is refused", (statement, message) => {
  expect(() => compile(`sampler s() { ${statement} }\nchain c = s()`)).toThrow(message);
});

// ---------------------------------------------------------------- statistics

/** Picks of `gumbel`, one for each step, in batches on the CPU. */
function gumbelCounts(logits: Float32Array, steps: number, seed: number): number[] {
  const rows = 2000;
  const { graph } = compilePipeline(`gumbel(${seed})`);
  const evaluator = new (loadBinding().Evaluator)(nativeGraph(graph), { vocabSize: logits.length, rows });
  const all = new Float32Array(rows * logits.length);
  for (let r = 0; r < rows; r++) all.set(logits, r * logits.length);
  const counts = new Array<number>(logits.length).fill(0);
  const start = startSequence(graph, logits.length);
  for (let first = 0; first < steps; first += rows) {
    const uniforms = new Float32Array(rows * graph.uniforms.length);
    for (let r = 0; r < rows; r++) uniforms.set(uniformsOf({ ...start, step: first + r }), r * graph.uniforms.length);
    for (const token of evaluator.evaluate({ logits: all, uniforms }).sampled!) counts[token]!++;
  }
  evaluator.dispose();
  return counts;
}

const r = random(3);
/** Weights of five distributions; 0 is a dropped token. */
const DISTRIBUTIONS: Readonly<Record<string, readonly number[]>> = {
  even: Array.from({ length: 16 }, () => 1),
  "a rare token": [999, 1],
  falling: Array.from({ length: 12 }, (_, i) => 2 ** -i),
  "with dropped tokens": [0, 3, 0, 0, 5, 1, 0, 2],
  random: Array.from({ length: 64 }, () => 0.05 + r.uniform()),
};

test.each(Object.keys(DISTRIBUTIONS))("200000 picks of gumbel follow the distribution: %s", (name) => {
  const weights = DISTRIBUTIONS[name]!;
  const steps = 200_000;
  const counts = gumbelCounts(Float32Array.from(weights, Math.log), steps, 11);
  const total = weights.reduce((a, b) => a + b, 0);
  const chi = weights.reduce((sum, w, i) => {
    const expected = (steps * w) / total;
    return sum + (expected === 0 ? (counts[i] === 0 ? 0 : Infinity) : (counts[i]! - expected) ** 2 / expected);
  }, 0);
  const freedom = weights.filter((w) => w > 0).length - 1;
  // about one in 10 000 is above this: Wilson and Hilferty's approximation
  const most = freedom * (1 - 2 / (9 * freedom) + 3.72 * Math.sqrt(2 / (9 * freedom))) ** 3;
  expect({ name, chi: chi < most ? "as expected" : chi }).toEqual({ name, chi: "as expected" });
});

test("noise is uniform: a million numbers of one seed, in 1000 bins", () => {
  const graph = compileBody("logit = noise(5, step)");
  const size = 10_000;
  const counts = new Float64Array(1000);
  const start = startSequence(graph, size);
  const evaluator = new (loadBinding().Evaluator)(nativeGraph(graph), { vocabSize: size });
  for (let step = 0; step < 100; step++) {
    const uniforms = uniformsOf({ ...start, step });
    const { logits } = evaluator.evaluate({ logits: new Float32Array(size), uniforms });
    for (const u of logits!) counts[Math.floor(1000 * u)]!++;
  }
  evaluator.dispose();
  const chi = counts.reduce((sum, n) => sum + (n - 1000) ** 2 / 1000, 0);
  expect(Math.abs(chi - 999) / Math.sqrt(2 * 999)).toBeLessThan(4);
});
