/** The stream of draws equals that of libstdc++, which llama.cpp uses; a draw picks the first row that reaches it. */
import { expect, test } from "@jest/globals";
import { mt19937, drawF32, drawF64 } from "../../runtime/core/mt19937.js";
import { acceptToken, startSequence, uniformsOf } from "../../runtime/sequence/sequence.js";
import { loadOracle, type LlamaSampler } from "../native/oracle.js";
import { BACKENDS, runOf, type Backend } from "./backends.js";
import { compileIn } from "./stages.js";

const STEPS = 1000;
const SEEDS = [0, 1, 42, 12345, 2 ** 31, 2 ** 32 - 2];

/** Tokens of llama.cpp, on logits that may differ from step to step. */
function llamaTokens(samplers: readonly LlamaSampler[], logitsAt: (step: number) => Float32Array): number[] {
  const chain = new (loadOracle().LlamaChain)(samplers);
  return Array.from({ length: STEPS }, (_, step) => chain.apply(logitsAt(step)).selected);
}

const DRAWS = 10;

test.each(SEEDS)("each of 1000 draws of seed %p is bracketed to 2^-10 by the tokens of llama.cpp", (seed) => {
  // replay the stream; each time the logit bisects the interval of the draw
  const low = new Float64Array(STEPS);
  const high = new Float64Array(STEPS).fill(1);
  for (let bit = 0; bit < DRAWS; bit++) {
    const share = (step: number): number => (low[step]! + high[step]!) / 2;
    const logitsAt = (step: number): Float32Array => Float32Array.of(Math.log(share(step) / (1 - share(step))), 0);
    const tokens = llamaTokens([{ name: "dist", seed }], logitsAt);
    tokens.forEach((token, step) => (token === 0 ? high : low).fill(share(step), step, step + 1));
  }
  const rng = mt19937(seed);
  const draws = Array.from({ length: STEPS }, () => drawF64(rng));
  const outside = draws.filter((u, i) => u < low[i]! - 1e-7 || u > high[i]! + 1e-7);
  expect(outside).toEqual([]);
  expect(Math.max(...high.map((h, i) => h - low[i]!))).toBeLessThanOrEqual(2 ** -DRAWS);
});

test.each(SEEDS)("1000 f32 draws of seed %p decide like those of xtc", (seed) => {
  // xtc drops the best of two tokens if its draw is at most p
  for (const p of [0.1, 0.25, 0.5, 0.9]) {
    const samplers: LlamaSampler[] = [{ name: "xtc", p, t: 0.1, min_keep: 1, seed }, { name: "greedy" }];
    const tokens = llamaTokens(samplers, () => Float32Array.of(0.5, 0));
    const rng = mt19937(seed);
    expect(tokens).toEqual(Array.from({ length: STEPS }, () => (drawF32(rng) <= Math.fround(p) ? 1 : 0)));
  }
});

function sampled(backend: Backend, logits: Float32Array, draws: readonly number[]): number[] {
  const { graph } = compileIn("constant", [{ sampler: "dist", args: { seed: 1 } }], ["sampled"]);
  const run = runOf(backend, graph, logits.length);
  let sequence = startSequence(graph, logits.length, { draws });
  return draws.map(() => {
    const { sampled: row } = run(logits, uniformsOf(sequence));
    const token = typeof row === "number" ? row : row![0]!;
    sequence = acceptToken(sequence, token, new Float32Array(0));
    return token;
  });
}

test.each(BACKENDS)("a draw picks the first row whose prefix sum reaches it, on %s", (backend) => {
  const even = Float32Array.of(0, 0, 0, 0);
  expect(sampled(backend, even, [0, 0.2, 0.25, 0.26, 0.5, 0.75, 0.76, 1])).toEqual([0, 0, 0, 1, 1, 2, 3, 3]);
  const gaps = Float32Array.of(-Infinity, 0, -Infinity, 0, -Infinity);
  expect(sampled(backend, gaps, [0, 0.25, 0.5, 0.500001, 1])).toEqual([1, 1, 1, 3, 3]);
});

test.each(BACKENDS)("1000 tokens of each seed are those of llama.cpp, on %s", (backend) => {
  const logits = Float32Array.of(0, 0, -1, 2, 0.5);
  for (const seed of SEEDS) {
    const { graph } = compileIn("constant", [{ sampler: "dist", args: { seed } }], ["sampled"]);
    const run = runOf(backend, graph, logits.length);
    let sequence = startSequence(graph, logits.length);
    const ours = Array.from({ length: STEPS }, () => {
      const { sampled: row } = run(logits, uniformsOf(sequence));
      const token = typeof row === "number" ? row : row![0]!;
      sequence = acceptToken(sequence, token, new Float32Array(0));
      return token;
    });
    expect(ours).toEqual(llamaTokens([{ name: "dist", seed }], () => logits));
  }
});
