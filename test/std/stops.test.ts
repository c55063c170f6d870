/** The standard samplers that end texts, against what their sources say: random texts, and an arithmetic of its own. */
import { describe, expect, test } from "@jest/globals";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { random } from "../parity/random.js";

const BACKENDS = ["reference", "cpu"] as const;

/** Whether the generated tokens end with a pattern of `size` tokens, `count` times: each token of the last pattern is that of the same place in those before it. */
function endsWithPattern(tokens: readonly number[], size: number, count: number): boolean {
  for (let n = 1; n <= size; n++)
    for (let m = 1; m < count; m++)
      if (tokens[tokens.length - (size * m + n)] !== tokens[tokens.length - n]) return false;
  return true;
}

/** vLLM's `check_sequence_repetition`: sizes from the smallest to the largest, as long as the text has room for all repetitions. */
function repeats(tokens: readonly number[], max: number, count: number, min: number): boolean {
  for (let size = min; size <= max; size++) {
    if (size * count > tokens.length) return false;
    if (endsWithPattern(tokens, size, count)) return true;
  }
  return false;
}

/** Minus the mean of the logarithms of the `k` largest probabilities. */
function confidenceOf(logits: readonly number[], k: number): number {
  const largest = Math.max(...logits);
  const total = Math.log(logits.reduce((sum, x) => sum + Math.exp(x - largest), 0)) + largest;
  const best = [...logits].sort((a, b) => b - a).slice(0, k);
  return -best.reduce((sum, x) => sum + (x - total), 0) / best.length;
}

describe.each(BACKENDS)("%s", (backend) => {
  test("repetition_stop ends a text where vLLM's repetition_detection does", () => {
    const r = random(11);
    let stopped = 0;
    for (let i = 0; i < 30; i++) {
      const [count, min] = [2 + r.below(4), 1 + r.below(2)];
      const max = min + r.below(6);
      const size = 2 + r.below(2);
      const chain = compilePipeline(`repetition_stop(${max}, ${count}, ${min}) |> greedy()`);
      const history = Array.from({ length: r.below(6) }, () => r.below(size));
      using evaluator = createEvaluator(chain.rowsGraph, size, { backend, history });
      const tokens: number[] = [];
      for (let step = 0; step < 30; step++) {
        // mostly goes on with what it has written
        const token = r.below(4) > 0 && tokens.length > 2 ? tokens[tokens.length - 1 - r.below(3)]! : r.below(size);
        const { stop } = evaluator.evaluate(Array.from({ length: size }, (_, t) => (t === token ? 9 : 0)));
        evaluator.accept();
        tokens.push(token);
        const wanted = repeats(tokens, max, count, min);
        expect([max, count, min, tokens, stop]).toEqual([max, count, min, tokens, wanted ? "repetition" : undefined]);
        stopped += wanted ? 1 : 0;
      }
    }
    expect(stopped).toBeGreaterThan(50);
  });

  test("deepconf ends a text once its group confidence is below the threshold, behind other stages too", () => {
    const r = random(5);
    let stopped = 0;
    for (let i = 0; i < 20; i++) {
      const size = 5 + r.below(60);
      const [window, k] = [1 + r.below(9), 1 + r.below(25)];
      const threshold = 1.5 + 2 * r.uniform();
      const head = i % 2 === 0 ? "" : "temp(0.3) |> ";
      const chain = compilePipeline(`${head}deepconf(${threshold}, ${window}, ${k}) |> dist(3)`);
      using evaluator = createEvaluator(chain.rowsGraph, size, { backend });
      const confidences: number[] = [];
      for (let step = 0; step < 25; step++) {
        const spread = 3 * r.uniform();
        const logits = Array.from({ length: size }, () => Math.fround(spread * r.normal()));
        const { stop, measures } = evaluator.evaluate(logits);
        evaluator.accept();
        confidences.push(confidenceOf(logits, k));
        const last = confidences.slice(-window);
        const group = last.reduce((a, b) => a + b, 0) / last.length;
        expect(measures!["confidence"]).toBeCloseTo(group, 3);
        const wanted = confidences.length >= window && group < threshold;
        if (Math.abs(group - threshold) > 1e-3) expect(stop).toBe(wanted ? "unsure" : undefined);
        stopped += wanted ? 1 : 0;
      }
    }
    expect(stopped).toBeGreaterThan(40);
    expect(stopped).toBeLessThan(450);
  });
});
