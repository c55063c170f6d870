/** What is measured on the texts of a chain: the one table that tables, files and documentation are made from. */
import { distinct, repetition } from "./ngrams.js";

/** A text that a chain has written. */
export interface WrittenText {
  readonly seed: number;
  readonly text: string;
  readonly tokens: readonly number[];
  /** For each token the entropy of the model's distribution, before the chain, in nats. */
  readonly entropies: readonly number[];
  /** For each token the logarithm of its probability in that distribution. */
  readonly logprobs: readonly number[];
  /** What ended it, as in `GenerationStats.finish`. */
  readonly finish: string;
}

interface Measure {
  /** Its name in tables. */
  readonly title: string;
  readonly unit?: string;
  /** Digits after the point. */
  readonly digits: number;
  readonly doc: string;
  /** NaN if the texts do not have it. */
  readonly of: (texts: readonly WrittenText[]) => number;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const tokensOf = (texts: readonly WrittenText[]): readonly (readonly number[])[] => texts.map(({ tokens }) => tokens);

const ngrams = (n: number): Measure => ({
  title: `distinct-${n}`,
  digits: 3,
  doc: `different ${n === 1 ? "tokens" : `${n}-grams`} of all texts, divided by all ${n === 1 ? "tokens" : `${n}-grams`}`,
  of: (texts) => distinct(tokensOf(texts), n),
});

const measures = {
  distinct1: ngrams(1),
  distinct2: ngrams(2),
  distinct3: ngrams(3),
  repetition4: {
    title: "seq-rep-4",
    digits: 3,
    doc: "the part of a text's 4-grams that repeat an earlier one of the text, mean over the texts",
    of: (texts) => repetition(tokensOf(texts), 4),
  },
  entropy: {
    title: "entropy",
    unit: "nats",
    digits: 2,
    doc: "of the model's distribution, before the chain; mean over all tokens",
    of: (texts) => mean(texts.flatMap(({ entropies }) => entropies)),
  },
  logprob: {
    title: "log-probability",
    unit: "nats",
    digits: 2,
    doc: "of the picked token in the model's distribution; mean over all tokens",
    of: (texts) => mean(texts.flatMap(({ logprobs }) => logprobs)),
  },
  length: {
    title: "length",
    unit: "tokens",
    digits: 1,
    doc: "tokens of a text, mean over the texts",
    of: (texts) => mean(texts.map(({ tokens }) => tokens.length)),
  },
  ended: {
    title: "ended",
    digits: 2,
    doc: "the part of the texts that the model ended before the greatest number of tokens",
    of: (texts) => mean(texts.map(({ finish }) => (finish === "end" ? 1 : 0))),
  },
  different: {
    title: "different",
    digits: 0,
    doc: "the number of texts that differ",
    of: (texts) => new Set(tokensOf(texts).map((tokens) => tokens.join())).size,
  },
} satisfies Readonly<Record<string, Measure>>;

export type MeasureName = keyof typeof measures;

export const MEASURES: Readonly<Record<MeasureName, Measure>> = measures;

export type Measured = Readonly<Record<MeasureName, number>>;

export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[];

export const measure = (texts: readonly WrittenText[]): Measured =>
  Object.fromEntries(MEASURE_NAMES.map((name) => [name, MEASURES[name].of(texts)])) as Measured;

/** `entropy, nats` */
export function titleOf(name: MeasureName): string {
  const { title, unit } = MEASURES[name];
  return unit === undefined ? title : `${title}, ${unit}`;
}

/** The value with the digits of its measure; `-` for NaN. */
export const valueText = (name: MeasureName, value: number): string =>
  Number.isNaN(value) ? "-" : value.toFixed(MEASURES[name].digits);
