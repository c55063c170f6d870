/** The model's own probabilities, from its raw logits. */
import type { Logprob } from "./pieces.js";

/**
 * The logarithm of the probability of a token, the `count` likeliest tokens, the first of ties first, and the entropy of all, in
 * nats.
 */
export function logprobsOf(
  logits: Float32Array,
  token: number,
  count: number,
): { logprob: number; entropy: number; logprobs: Logprob[] } {
  let most = -Infinity;
  for (const logit of logits) if (logit > most) most = logit;
  let [sum, weighted] = [0, 0];
  for (const logit of logits) {
    const weight = Math.exp(logit - most);
    sum += weight;
    // -inf has no weight
    if (weight > 0) weighted += weight * (logit - most);
  }
  const total = most + Math.log(sum);
  return {
    logprob: logits[token]! - total,
    // -sum of p log p, where log p = (logit - most) - log(sum)
    entropy: Math.log(sum) - weighted / sum,
    logprobs: largest(logits, count).map((one) => ({ token: one, logprob: logits[one]! - total })),
  };
}

/** The indices of the `count` largest values, the largest first. */
function largest(values: Float32Array, count: number): number[] {
  const best: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (best.length === count && !(count > 0 && value > values[best[count - 1]!]!)) continue;
    let at = best.length;
    while (at > 0 && value > values[best[at - 1]!]!) at--;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}
