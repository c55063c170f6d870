/** Programs with sets of tokens, texts, measures and the model's own numbers, and what they must give, computed here. */
import { expect } from "@jest/globals";

export const COUNT = 8;
export const PROMPT = "";

/** On plain logits: the best eight rows, each raised by what it is in. */
export const COLUMNS = `input source: tokens(8)
sampler head() { top 8 }
sampler raised(listed: tokens) {
  logit += token in tokens(1, 3, 5) ? 10 : 0
  logit += token not in listed ? 0 : 100
  logit += 1000 * occurrences(-1, in: source) + 0.5 * raw_logit
  measure rows = n
  measure likeliest = max(raw_prob)
}
chain c(listed: tokens(4)) = head() |> raised(listed)`;
export const SOURCE = [6, 6, 9, 3];
/** The lists of one step after the other. */
export const LISTS = [[2], [3, 7, 9], []];
export const LOGITS = Array.from({ length: 12 }, (_, i) => ((i * 7) % 12) / 4);

export interface Step {
  readonly candidates: readonly { readonly token: number; readonly logit: number }[];
  readonly measures: Readonly<Record<string, number>>;
}

export function expectColumns(steps: readonly Step[]): void {
  const kept = [...LOGITS.keys()].sort((a, b) => LOGITS[b]! - LOGITS[a]!).slice(0, 8);
  const total = LOGITS.reduce((sum, x) => sum + Math.exp(x), 0);
  expect(steps.length).toBe(LISTS.length);
  for (const [i, { candidates, measures }] of steps.entries()) {
    const wanted = kept.map((token) => {
      const counted = SOURCE.filter((t) => t === token).length;
      const sets = ([1, 3, 5].includes(token) ? 10 : 0) + (LISTS[i]!.includes(token) ? 100 : 0);
      return [token, 1.5 * LOGITS[token]! + sets + 1000 * counted] as const;
    });
    const found = new Map(candidates.map(({ token, logit }) => [token, logit]));
    expect(found.size).toBe(8);
    for (const [token, logit] of wanted) expect([token, found.get(token)]).toEqual([token, expect.closeTo(logit, 3)]);
    expect(measures["rows"]).toBe(8);
    expect(measures["likeliest"]).toBeCloseTo(Math.exp(Math.max(...LOGITS)) / total, 5);
  }
}

/** With a model: vowels only, by a set of the program, and without a list, by a set of the request. */
export const GENERATED = `import { greedy } from "std"
sampler vowels(banned: tokens) {
  keep token in tokens(/^[ aeiou]+$/) and token not in tokens.end
  keep token not in banned
  measure rows = n
}
sampler watched() {
  pick argmax(logit)
  measure raw = picked(raw_prob)
  measure share = picked(prob)
}
chain c(banned: tokens(64)) = vowels(banned) |> watched()`;

export interface Report {
  readonly tokens: readonly number[];
  readonly measures: readonly Readonly<Record<string, number>>[];
  readonly uploads: readonly number[];
  readonly columnBytes: number;
  /** What the second generation got for the next token, each time the last token. */
  readonly changed: readonly number[];
}

/** Whatever runs the generations does so with `banned: []`, and then with the last token as the list. */
export function expectGenerated(report: Report, vocabulary: readonly string[], ends: readonly number[]): void {
  const { tokens, measures, uploads, columnBytes, changed } = report;
  const vowels = vocabulary.flatMap((text, id) => (/^[ aeiou]+$/.test(text) && !ends.includes(id) ? [id] : []));
  expect(tokens.length).toBe(COUNT);
  for (const token of [...tokens, ...changed]) expect(vowels).toContain(token);
  for (const { rows, raw, share } of measures) {
    expect(rows).toBe(vowels.length);
    // of the whole vocabulary, and of the rows that are left
    expect(raw).toBeGreaterThan(0);
    expect(raw).toBeLessThan(share!);
  }
  expect(changed.length).toBe(COUNT);
  expect(changed[0]).toBe(tokens[0]);
  for (const [i, token] of changed.slice(1).entries()) expect(token).not.toBe(changed[i]);
  // the list, as ids and values, and no column
  const perToken = new Set(uploads.slice(1).map((bytes, i) => bytes - uploads[i]!));
  expect(perToken.size).toBe(1);
  expect([...perToken][0]).toBeLessThan(2 * 4 * 64 + 100);
  expect(uploads[0]).toBeGreaterThanOrEqual(4 * vocabulary.length);
  expect(columnBytes).toBeGreaterThanOrEqual(4 * vocabulary.length);
}
