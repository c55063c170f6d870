/**
 * A text without phrases by brute force: each token is picked from the model's logits alone; where the text has a phrase, it is cut at
 * the token in which the phrase begins, that token is left out there, and the draw of that place picks again. A token is given when no
 * phrase can begin in it or before it; what was given is never cut.
 */
import { drawF64, mt19937 } from "../../runtime/core/mt19937.js";
import type { Model } from "../../runtime/index.js";

/** A phrase as parts, one after another, each a regular expression of one character, or of some that are alike. */
export interface Parts {
  readonly parts: readonly string[];
  readonly ignoreCase?: boolean;
}

/** Matches a phrase, and the beginning of one, from begin to end. */
function patternsOf({ parts, ignoreCase }: Parts): { readonly whole: RegExp; readonly begun: RegExp } {
  const flags = ignoreCase ? "is" : "s";
  const begun = parts.slice(0, -1).reduceRight((after, part) => `${part}(?:${after})?`, parts.at(-1)!);
  return { whole: new RegExp(`^(?:${parts.join("")})$`, flags), begun: new RegExp(`^(?:${begun})$`, flags) };
}

interface Asked {
  readonly prompt: string;
  readonly phrases: readonly Parts[];
  readonly seed: number;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly maxRewinds?: number;
  /** The tokens that may come after a text; any without it. */
  readonly allowed?: (text: string, token: number) => boolean;
}

interface Written {
  readonly tokens: number[];
  readonly rewinds: number;
  readonly takenBackTokens: number;
  readonly isCut: boolean;
}

/** Where the phrase begins that is complete first, of several the longest, in characters; no earlier end is possible. */
function beginOf(text: string, known: number, phrases: readonly RegExp[]): number | undefined {
  for (let end = known + 1; end <= text.length; end++)
    for (let begin = Math.max(0, end - 80); begin < end; begin++)
      if (phrases.some((phrase) => phrase.test(text.slice(begin, end)))) return begin;
  return undefined;
}

/** Where what may become a phrase begins. */
function begunAt(text: string, phrases: readonly RegExp[]): number {
  for (let begin = Math.max(0, text.length - 80); begin < text.length; begin++)
    if (phrases.some((phrase) => phrase.test(text.slice(begin)))) return begin;
  return text.length;
}

export async function writtenAgain(model: Model, asked: Asked): Promise<Written> {
  const { phrases, seed, temperature, maxTokens, maxRewinds = 256 } = asked;
  const prompt = [...model.tokenize(asked.prompt)];
  const rng = mt19937(seed);
  const draws = Array.from({ length: maxTokens }, () => Math.fround(drawF64(rng)));
  const logits = new Map<string, Float32Array>();
  let tokens: number[] = [];
  const leftOut = new Map<number, Set<number>>();
  let [rewinds, takenBackTokens, given] = [0, 0, 0];
  const patterns = phrases.map(patternsOf);
  const [wholes, begun] = [patterns.map(({ whole }) => whole), patterns.map(({ begun: one }) => one)];
  const textOf = (some: readonly number[]): string =>
    Buffer.concat(some.map((token) => model.bytesOf(token))).toString("latin1");
  while (tokens.length < maxTokens) {
    const place = tokens.length;
    const key = tokens.join(" ");
    const row = logits.get(key) ?? (await model.logits(Int32Array.from([...prompt, ...tokens])));
    logits.set(key, row);
    const out = leftOut.get(place);
    const text = textOf(tokens);
    const weights = Array.from(row, (logit, token) =>
      out?.has(token) || asked.allowed?.(text, token) === false ? 0 : Math.exp(logit / temperature),
    );
    const total = weights.reduce((sum, one) => sum + one, 0);
    let sum = 0;
    const token = weights.findIndex((weight) => (sum += weight / total) >= draws[place]!);
    if (token === model.info.eos) break;
    tokens.push(token);
    const whole = textOf(tokens);
    const begin = beginOf(whole, text.length, wholes);
    if (begin === undefined) {
      const open = begunAt(whole, begun);
      while (given < tokens.length && textOf(tokens.slice(0, given + 1)).length <= open) given++;
      continue;
    }
    let first = given;
    while (textOf(tokens.slice(0, first + 1)).length <= begin) first++;
    for (const later of leftOut.keys()) if (later > first) leftOut.delete(later);
    leftOut.set(first, (leftOut.get(first) ?? new Set()).add(tokens[first]!));
    takenBackTokens += tokens.length - first;
    tokens = tokens.slice(0, first);
    if (rewinds === maxRewinds) return { tokens, rewinds, takenBackTokens, isCut: true };
    rewinds++;
  }
  return { tokens, rewinds, takenBackTokens, isCut: false };
}
