/**
 * What a chain draws from, by the likeliest tokens that a server lists. What the other tokens have is known only in sum, so the chain is
 * computed with two guesses of it; where these differ, the list is too short for the chain.
 */
import { least } from "@ggsl/compiler/core/extremes.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { createEvaluator, type Evaluation } from "ggsl/chain/evaluate.js";
import { takesDraws } from "ggsl/sequence/streams.js";

/** A token that a server lists. */
export interface Listed {
  /** Its text, or its id in the form `#7` where the server gives one. */
  readonly name: string;
  /** In nats, of the model alone. */
  readonly logprob: number;
}

/** Why a list does not tell what the chain draws from. */
export type Unknown =
  /** The chain keeps tokens that are not listed, or what it keeps depends on them. */
  | "short"
  /** The last digits of the probabilities decide what is kept. */
  | "close"
  /** The chain tells tokens apart by their ids, or uses the logits themselves, not only their differences. */
  | "ids";

/** The probability of each listed token. */
type Distribution = readonly number[];

/** The most rows in place of tokens that are not listed. */
const MOST_OTHERS = 50_000;
/** Probabilities that differ by less are the same. */
const SAME = 1e-5;
/** By how much probabilities of a server may be rounded, relative to their logarithms. */
const ROUNDING = 2e-4;
/** What is missing of 1 by rounding alone. */
const NOTHING = 1e-6;

/** The distribution over the listed tokens, or why it is not known. */
export function distributionOf(graph: Graph, listed: readonly Listed[]): Distribution | Unknown {
  const logprobs = listed.map(({ logprob }) => logprob);
  const rest = 1 - logprobs.reduce((sum, one) => sum + Math.exp(one), 0);
  const leastLikely = Math.exp(least(logprobs));
  // each is at most as likely as the least likely one that is listed
  const others = rest < NOTHING ? 0 : Math.min(Math.ceil(rest / leastLikely), MOST_OTHERS);
  const compute = (values: readonly number[], count = others, shift = 0): Distribution | undefined =>
    drawnFrom(graph, [...values, ...Array.from({ length: count }, () => Math.log(rest / count))], values.length, shift);
  const found = compute(logprobs);
  if (!found) return "short";
  const isSame = (other: Distribution | undefined): boolean =>
    other !== undefined && found.every((p, i) => Math.abs(p - other[i]!) < SAME);
  const reversed = compute(logprobs.toReversed());
  if (!isSame(reversed?.toReversed())) return "ids";
  if (!isSame(compute(logprobs, others, 3))) return "ids";
  if (others > 0 && !isSame(compute(logprobs, 4 * others))) return "short";
  for (const sharper of [1 - ROUNDING, 1 + ROUNDING]) {
    const other = compute(logprobs.map((one) => one * sharper));
    if (!other || found.some((p, i) => p > 0 !== other[i]! > 0)) return "close";
  }
  return found;
}

/** The probabilities of the first `count` tokens; undefined if the chain keeps others. */
function drawnFrom(graph: Graph, logprobs: readonly number[], count: number, shift: number): Distribution | undefined {
  const { candidates } = evaluated(
    graph,
    Float32Array.from(logprobs, (one) => one + shift),
  );
  if (candidates.some(({ token, prob }) => token >= count && prob > 0)) return undefined;
  const result = Array.from({ length: count }, () => 0);
  for (const { token, prob } of candidates) result[token] = prob;
  return result;
}

/** Draws at which the pick is compared with what the probabilities of the rows give. */
const DRAWS = [0.03, 0.27, 0.5, 0.74, 0.93];

/** Whether a chain draws once, a row by the probabilities that it leaves: the token is the first whose sum of probabilities reaches the draw. */
export function drawsByProbability(graph: Graph): boolean {
  if (graph.draws.length !== 1 || !takesDraws(graph)) return false;
  const logits = Float32Array.from([1, 3, 0, 2, 2.5, 0.5, 1.5, 2.2]);
  return DRAWS.every((draw) => {
    const { token, candidates } = evaluated(graph, logits, draw);
    let sum = 0;
    return candidates.find(({ prob }) => (sum += prob) >= draw)?.token === token;
  });
}

function evaluated(graph: Graph, logits: Float32Array, draw?: number): Evaluation {
  const draws = draw === undefined ? {} : { draws: [draw] };
  using evaluator = createEvaluator(graph, logits.length, { backend: "reference", ...draws });
  return evaluator.evaluate(logits);
}
