/** Rows of imported settings beside the other tools' definitions of them. */
import { expect } from "@jest/globals";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { importFile, type ImportOptions } from "../../settings/from/import.js";
import { textSource } from "./gguf.js";

export const V = 12;
export const BACKENDS = ["reference", "cpu", "wasm"] as const;
export const EOS = 2;

export type Logits = number[];
/** `prompt` and `generated` are the tokens so far; banned tokens get minus infinity. */
export type Meaning = (logits: Logits, prompt: readonly number[], generated: readonly number[]) => Logits;

/** A generator of numbers below `limit`. */
export function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
}

export const programOf = (kind: string, settings: object, options: ImportOptions = {}): string =>
  importFile(textSource(JSON.stringify(settings)), "settings.json", kind, options).text;

/** Follows a random text, and compares the rows of each step with the definition. */
export function expectMeaning(
  program: string,
  meaning: Meaning,
  prompt: readonly number[],
  vocabulary?: string[],
): void {
  const { rowsGraph } = compile(program);
  for (const backend of BACKENDS) {
    const random = generator(7);
    const feed = vocabulary ? { vocabulary } : {};
    using evaluator = createEvaluator(rowsGraph, V, { backend, history: prompt, feed });
    const generated: number[] = [];
    for (let i = 0; i < 40; i++) {
      const logits = Array.from({ length: V }, () => (random(2001) - 1000) / 250);
      const expected = meaning([...logits], prompt, generated);
      const found = new Array<number>(V).fill(-Infinity);
      for (const { token, logit } of evaluator.evaluate(logits).candidates) found[token] = logit;
      const told = { backend, text: [...prompt, ...generated] };
      expect({ ...told, kept: kept(found) }).toEqual({ ...told, kept: kept(expected) });
      for (const token of kept(expected)) {
        const off = Math.abs(found[token]! - expected[token]!);
        expect({ ...told, token, off: off < 1e-5 * Math.max(1, Math.abs(expected[token]!)) }).toMatchObject({
          off: true,
        });
      }
      const token = random(5);
      generated.push(token);
      evaluator.accept(token);
    }
  }
}

const kept = (logits: Logits): number[] => [...logits.keys()].filter((token) => logits[token] !== -Infinity);

export const mapped = (logits: Logits, change: (logit: number, token: number) => number): Logits => logits.map(change);
export const banned = (logits: Logits, isBanned: (token: number) => boolean): Logits =>
  mapped(logits, (logit, token) => (isBanned(token) ? -Infinity : logit));

export const endsWith = (text: readonly number[], end: readonly number[]): boolean =>
  text.length >= end.length && end.every((token, i) => text[text.length - end.length + i] === token);
