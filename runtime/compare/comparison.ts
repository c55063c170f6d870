/** The result of a comparison. */
import { curveOf, type Curve } from "./curves.js";
import { measure, type Measured, type WrittenText } from "./measures.js";

/** The texts of one chain, and what is measured on them. */
export interface ChainResult {
  readonly name: string;
  /** False if the chain draws nothing, or fixes all its seeds: its texts do not depend on the seed. */
  readonly hasOpenSeed: boolean;
  readonly measures: Measured;
  readonly curves: Readonly<Record<CurveName, Curve>>;
  readonly texts: readonly WrittenText[];
}

export interface Comparison {
  /** The text of the prompt. */
  readonly prompt: string;
  /** Of the first text of each chain; the others have the next ones. */
  readonly seed: number;
  /** The most tokens of a text. */
  readonly tokens: number;
  readonly chains: readonly ChainResult[];
}

/** What curves show, and where their values come from. */
export const CURVES = {
  entropy: { title: "entropy of the model", unit: "nats", of: ({ entropies }: WrittenText) => entropies },
  logprob: { title: "log-probability of the picked token", unit: "nats", of: ({ logprobs }: WrittenText) => logprobs },
} as const;

export type CurveName = keyof typeof CURVES;

export const CURVE_NAMES = Object.keys(CURVES) as CurveName[];

interface Written {
  readonly name: string;
  readonly hasOpenSeed: boolean;
  readonly texts: readonly WrittenText[];
}

export const resultOf = ({ name, hasOpenSeed, texts }: Written): ChainResult => ({
  name,
  hasOpenSeed,
  measures: measure(texts),
  curves: Object.fromEntries(CURVE_NAMES.map((curve) => [curve, curveOf(texts.map(CURVES[curve].of))])) as Record<
    CurveName,
    Curve
  >,
  texts,
});
