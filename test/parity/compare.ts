/** Whether two implementations leave the same rows. Tokens of equal logits are interchangeable. */
import { PROBABILITY_TOLERANCE } from "./settings.js";
import type { Rows } from "./rows.js";
import type { Order } from "./samplers.js";

/** A message about the first difference, and the largest difference of two probabilities. */
interface Comparison {
  readonly fault: string | undefined;
  readonly worst: number;
}

/** What must hold for the rows of any chain. */
export function faultOf({ tokens, logits, probs }: Rows, input: Float32Array): string | undefined {
  if (tokens.length === 0) return "no row is left";
  if (new Set(tokens).size !== tokens.length) return "a token occurs twice";
  const bad = tokens.findIndex(
    (t, i) => !(t >= 0 && t < input.length && Number.isFinite(logits[i]) && Number.isFinite(probs[i])),
  );
  if (bad >= 0) return `row ${bad} is token ${tokens[bad]} with logit ${logits[bad]} and probability ${probs[bad]}`;
  const dead = tokens.find((t) => input[t] === -Infinity);
  if (dead !== undefined && input.some((x) => x !== -Infinity)) return `token ${dead} had the logit -inf on entry`;
  const total = probs.reduce((a, b) => a + b, 0);
  return Math.abs(total - 1) <= PROBABILITY_TOLERANCE ? undefined : `the probabilities sum to ${total}`;
}

/** Rows by their input logit: tokens of equal logits are interchangeable. */
const byInput = (rows: Rows, input: Float32Array): number[] =>
  [...rows.tokens.keys()].sort(
    (a, b) => input[rows.tokens[b]!]! - input[rows.tokens[a]!]! || rows.logits[b]! - rows.logits[a]!,
  );

export function compareRows(ours: Rows, theirs: Rows, input: Float32Array, logitStretch = 1): Comparison {
  if (ours.tokens.length !== theirs.tokens.length)
    return { fault: `${ours.tokens.length} rows are left, expected ${theirs.tokens.length}`, worst: 0 };
  const [a, b] = [byInput(ours, input), byInput(theirs, input)];
  let worst = 0;
  let fault: string | undefined;
  a.forEach((i, n) => {
    const j = b[n]!;
    const [token, other] = [ours.tokens[i]!, theirs.tokens[j]!];
    if (input[token] !== input[other])
      fault ??= `token ${token} (${input[token]}) is left, expected ${other} (${input[other]})`;
    const distance = Math.abs(ours.probs[i]! - theirs.probs[j]!);
    worst = Math.max(worst, distance);
    if (!(distance <= PROBABILITY_TOLERANCE))
      fault ??= `token ${token} has probability ${ours.probs[i]}, expected ${theirs.probs[j]}`;
    if (!isClose(ours.logits[i]!, theirs.logits[j]!, logitStretch))
      fault ??= `token ${token} has logit ${ours.logits[i]}, expected ${theirs.logits[j]}`;
  });
  return { fault, worst };
}

/** Logits of this magnitude may saturate; only their sign matters. */
const SATURATED = 1e12;

function isClose(a: number, b: number, stretch: number): boolean {
  if (Math.min(Math.abs(a), Math.abs(b)) > SATURATED) return Math.sign(a) === Math.sign(b);
  return Math.abs(a - b) <= 1e-5 * stretch * Math.max(1, Math.abs(a), Math.abs(b));
}

/** Our own rule: vocabulary order on entry, best first after `top` and `sort`. */
export function orderFault({ tokens, logits }: Rows, order: Order | undefined): string | undefined {
  if (order === "other") return undefined;
  const values = order ? logits.map((x) => -x) : tokens;
  const at = values.findIndex((x, i) => i > 0 && values[i - 1]! > x);
  return at < 0 ? undefined : `row ${at} is out of ${order ? "the order of logits" : "vocabulary order"}`;
}

/** Whether both are in the same order. Ties may swap after a sort, or where a cut chose among them. */
export function hasSameOrder(a: Rows, b: Rows, input: Float32Array, order: Order | undefined): boolean {
  const areTiesOpen = order !== undefined || !isSubset(b.tokens, a.tokens);
  return a.tokens.every((token, i) => (areTiesOpen ? input[token] === input[b.tokens[i]!] : token === b.tokens[i]));
}

const isSubset = (some: readonly number[], all: readonly number[]): boolean => {
  const known = new Set(all);
  return some.every((x) => known.has(x));
};
