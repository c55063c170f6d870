/** What a chain reads besides the logits: the text so far and the request's biases. */
import * as fc from "fast-check";
import { random } from "./random.js";

export interface ContextSpec {
  readonly text: "empty" | "short" | "repetitive" | "loop" | "long";
  readonly biases: number;
  readonly seed: number;
}

export interface Context {
  readonly history: readonly number[];
  readonly bias: ReadonlyMap<number, number>;
  readonly vocabSize: number;
}

export const NO_CONTEXT: ContextSpec = { text: "empty", biases: 0, seed: 0 };

export const contextSpecs: fc.Arbitrary<ContextSpec> = fc.record({
  text: fc.constantFrom("empty", "short", "repetitive", "repetitive", "loop", "long"),
  biases: fc.constantFrom(0, 1, 2, 8),
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
});

const BIASES = [-Infinity, -Infinity, -100, -2.5, -0.5, 0, 1, 3, 50, 1e6];

export function makeContext({ text, biases, seed }: ContextSpec, vocabSize: number): Context {
  const r = random(seed);
  // a text may hold tokens that the model has no logit for, e.g. those of an image
  const token = (): number => r.below(vocabSize + (r.uniform() < 0.1 ? 3 : 0));
  const tokens = (count: number): number[] => Array.from({ length: count }, token);
  const phrase = tokens(1 + r.below(6));
  const history = {
    empty: () => [],
    short: () => tokens(1 + r.below(4)),
    repetitive: () => Array.from({ length: 2 + r.below(12) }, () => (r.uniform() < 0.7 ? phrase : tokens(2))).flat(),
    loop: () => Array.from({ length: 60 }, () => phrase).flat(),
    long: () => tokens(300),
  }[text]();
  // the rest of the last phrase would continue the repetition
  const cut = text === "empty" ? 0 : r.below(Math.min(phrase.length, history.length));
  const pairs = Array.from({ length: Math.min(biases, vocabSize) }, (): [number, number] => [
    r.below(vocabSize),
    Math.fround(BIASES[r.below(BIASES.length)]!),
  ]);
  return { history: history.slice(0, history.length - cut), bias: new Map(pairs), vocabSize };
}
