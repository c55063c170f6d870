/**
 * The standard samplers and those of the examples against the logits processors of other programs: random vocabularies, logits,
 * prompts and continuations.
 */
import { describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { random } from "../parity/random.js";
import { MASKED, PROCESSORS, STEPS, without, type Case } from "./processors.js";

const BACKENDS = ["reference", "cpu", "wasm"] as const;
const CASES = 10;
/** Each case of an example compiles its file. */
const CASES_OF_EXAMPLES = 4;

/** Where the processor bans all, `keep` keeps the best one. */
const orBest = (processed: readonly number[], scores: readonly number[]): number[] =>
  processed.some((score) => score > MASKED)
    ? [...processed]
    : without(scores, (token) => token !== scores.indexOf(Math.max(...scores)));

function compiled({ stages, example }: Pick<Case, "stages" | "example">): ReturnType<typeof compile> {
  if (example !== undefined) {
    const text = readFileSync(`examples/${example}.ggsl`, "utf8");
    return compile(
      `${text}
chain tested() = ${stages}`,
      { chain: "tested" },
    );
  }
  const names = [...new Set(stages.match(/[a-z_]+(?=\()/g))].filter((name) => name !== "tokens");
  return compile(`import { ${names.join(", ")} } from "std"
chain c() = ${stages}`);
}

describe.each(Object.entries(PROCESSORS))("%s", (_, make) => {
  test.each(BACKENDS)("on %s", (backend) => {
    const r = random(7);
    const count = make(random(7), 12).example === undefined ? CASES : CASES_OF_EXAMPLES;
    for (let i = 0; i < count; i++) {
      const size = [5, 12, 33][r.below(3)]!;
      const made = make(r, size);
      const { stages, processor, texts = [], inputs = {}, tolerance = 1e-4 } = made;
      const prompt = Array.from({ length: 3 + r.below(4) }, () => r.below(4));
      const vocabulary = Array.from({ length: size }, (_, token) => texts[token] ?? `t${token}`);
      const { rowsGraph } = compiled(made);
      using evaluator = createEvaluator(rowsGraph, size, { backend, history: prompt, feed: { inputs, vocabulary } });
      const generated: number[] = [];
      for (let step = 0; step < STEPS; step++) {
        const scores = Array.from(Float32Array.from({ length: size }, () => 3 * r.normal()));
        const found = scores.map(() => MASKED);
        for (const { token, logit } of evaluator.evaluate(scores).candidates) found[token] = logit;
        const wanted = orBest(processor(scores, { prompt, generated }), scores);
        const differences = wanted.map((score, token) =>
          score === found[token] ? 0 : Math.abs(score - found[token]!),
        );
        if (Math.max(...differences) >= tolerance)
          expect({ stages, prompt, generated, rows: found }).toEqual({ rows: wanted });
        const token = r.below(3) ? r.below(Math.min(size, 4)) : r.below(size);
        generated.push(token);
        evaluator.accept(token);
      }
    }
  });
});

describe("WatermarkLogitsProcessor, whatever its hash", () => {
  test.each(BACKENDS)("a part of the vocabulary, which the last token determines, gains the bias: on %s", (backend) => {
    const [size, gamma, delta] = [2000, 0.25, 1.5];
    const { rowsGraph } = compiled({ stages: `watermark(15485863, ${gamma}, ${delta})` });
    const r = random(3);
    const scores = Array.from(Float32Array.from({ length: size }, () => r.normal()));
    const greenAfter = (history: readonly number[]): number[] => {
      using evaluator = createEvaluator(rowsGraph, size, { backend, history });
      const gains = evaluator
        .evaluate(scores)
        .candidates.map(({ token, logit }) => ({ token, gain: logit - scores[token]! }));
      const green = gains.filter(({ gain }) => gain > delta / 2);
      expect(Math.max(...green.map(({ gain }) => Math.abs(gain - delta)))).toBeLessThan(1e-5);
      expect(gains.filter(({ gain }) => gain !== 0).length).toBe(green.length);
      return green.map(({ token }) => token).sort((a, b) => a - b);
    };
    const lists = Array.from({ length: 8 }, (_, last) => greenAfter([last]));
    for (const { length } of lists) expect(Math.abs(length / size - gamma)).toBeLessThan(0.05);
    expect(new Set(lists.map((list) => list.join())).size).toBe(lists.length);
    expect(greenAfter([7, 1999, 3])).toEqual(lists[3]);
  });
});
