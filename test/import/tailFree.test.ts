/** KoboldCpp's tail-free sampling (sample_tail_free in gpttype_adapter.cpp), on rows where it is unusual. */
import { expect, test } from "@jest/globals";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { importFile } from "../../settings/from/import.js";
import { textSource } from "./gguf.js";

/** A graph of the tail-free sampler alone. */
function tailFree(z: number): ReturnType<typeof compile> {
  const { text } = importFile(textSource(JSON.stringify({ tfs: z, sampler_order: [3] })), "request.json", "koboldcpp");
  const declaration = /\/\/\/ Tail-free[^]*?\n\}\n/.exec(text)![0];
  return compile(`${declaration}\nchain c(z: f32 in [0, 1] = ${z}) = kobold_tail_free(z)`);
}

/** How many rows KoboldCpp keeps: the definition, in f64. */
function kept(logits: readonly number[], z: number): number {
  if (z >= 1 || logits.length <= 2) return logits.length;
  const weights = logits.map(Math.exp).sort((a, b) => b - a);
  const all = weights.reduce((a, b) => a + b, 0);
  const probs = weights.map((w) => w / all);
  const first = probs.slice(1).map((p, i) => probs[i]! - p);
  const second = first.slice(1).map((d, i) => Math.abs(first[i]! - d));
  const total = second.reduce((a, b) => a + b, 0);
  let sum = 0;
  for (const [i, value] of second.entries()) {
    sum += total > 1e-6 ? value / total : 1 / second.length;
    if (sum > z && i >= 1) return i;
  }
  return logits.length;
}

test.each([
  ["three rows", [3, 1, 0], 0.5, 3],
  ["three equal rows", [1, 1, 1], 0.1, 3],
  ["four equal rows", [1, 1, 1, 1], 0.9, 1],
  ["eight equal rows", [1, 1, 1, 1, 1, 1, 1, 1], 0.6, 3],
  ["one row far ahead", [9, 0, 0, 0, 0, 0], 0.3, 1],
  ["a slope", [4, 3.5, 3, 2, 1, 0, -1], 0.9, undefined],
  ["two rows", [2, 1], 0.1, 2],
])("%s", (_, logits, z, wanted) => {
  for (const backend of ["reference", "cpu"] as const) {
    using evaluator = createEvaluator(tailFree(z).rowsGraph, logits.length, { backend });
    const { candidates } = evaluator.evaluate(logits);
    expect([backend, candidates.length]).toEqual([backend, kept(logits, z)]);
  }
  expect(kept(logits, z)).toBe(wanted ?? kept(logits, z));
});

test("random rows", () => {
  let seed = 1;
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 40; round++) {
    const logits = Array.from({ length: 4 + Math.floor(random() * 30) }, () => 4 * random());
    const z = 0.05 + 0.9 * random();
    using evaluator = createEvaluator(tailFree(0.5).rowsGraph, logits.length, { uniforms: { z } });
    expect([round, evaluator.evaluate(logits).candidates.length]).toEqual([round, kept(logits, z)]);
  }
});
