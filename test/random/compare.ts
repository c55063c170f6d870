/** What must hold for every outcome, and the comparison of two outcomes. */
import type { Program } from "./program.js";
import { faultOf } from "../parity/compare.js";
import { PROBABILITY_TOLERANCE } from "../parity/settings.js";
import type { Rows } from "../parity/rows.js";
import type { Step } from "./outcome.js";

/** The fault of an outcome by itself, if any. */
export function outcomeFault(
  steps: readonly Step[],
  logits: readonly Float32Array[],
  { picks }: Program,
): string | undefined {
  for (const [i, step] of steps.entries()) {
    const fault = stepFault(step, logits[i]!, picks);
    if (fault !== undefined) return `step ${i}: ${fault}`;
  }
  return undefined;
}

function stepFault(
  { rows, token, states, measures, stops, numbers }: Step,
  logits: Float32Array,
  picks: Program["picks"],
): string | undefined {
  const bad = [...states, ...measures, ...stops].find(([, value]) => !Number.isFinite(value));
  if (bad) return `${bad[0]} is ${bad[1]}`;
  if (numbers.some(Number.isNaN)) return "a dropped row holds NaN";
  if ((picks !== undefined) !== (token !== undefined)) return picks ? "no token is picked" : `token ${token} is picked`;
  if (token !== undefined && !(token >= 0 && token < logits.length)) return `the token is ${token}`;
  if (!rows) return undefined;
  const fault = faultOf(rows, logits);
  if (fault !== undefined || token === undefined) return fault;
  const row = rows.tokens.indexOf(token);
  if (row < 0) return `token ${token} is picked, but was dropped`;
  return picks === "sample" && !(rows.probs[row]! > 0) ? `token ${token} is picked, but has probability 0` : undefined;
}

export interface Mismatch {
  readonly step: number;
  readonly fault: string;
  /** Distance of the outcomes; Infinity for different rows or tokens. */
  readonly distance: number;
}

/** The largest difference of each step that differs. The order of ties depends on the device, so order is compared only on request. */
export function mismatchesOf(found: readonly Step[], wanted: readonly Step[], isSameOrder: boolean): Mismatch[] {
  return wanted.flatMap((there, step) => {
    const here = found[step]!;
    const differences = [
      here.rows && there.rows && rowsMismatch(here.rows, there.rows, isSameOrder),
      here.written === there.written
        ? undefined
        : different(`token ${here.written} is written, expected ${there.written}`),
      here.disallowed === there.disallowed
        ? undefined
        : different(`${here.disallowed} tokens were not allowed, expected ${there.disallowed}`),
      here.token === there.token ? undefined : different(`token ${here.token}, expected ${there.token}`),
      scalarsMismatch("state", here.states, there.states),
      scalarsMismatch("measure", here.measures, there.measures),
      scalarsMismatch("stop", here.stops, there.stops),
    ].filter((d) => d !== undefined);
    return differences.length === 0 ? [] : { step, ...differences.reduce((a, b) => (b.distance > a.distance ? b : a)) };
  });
}

type Difference = Omit<Mismatch, "step">;

const different = (fault: string): Difference => ({ fault, distance: Infinity });

function rowsMismatch(found: Rows, wanted: Rows, isSameOrder: boolean): Difference | undefined {
  const probs = new Map(wanted.tokens.map((token, i) => [token, wanted.probs[i]!]));
  const stray = found.tokens.find((token) => !probs.has(token));
  if (stray !== undefined || found.tokens.length !== wanted.tokens.length)
    return different(`the rows ${show(found.tokens)} are left, expected ${show(wanted.tokens)}`);
  if (isSameOrder && found.tokens.some((token, i) => token !== wanted.tokens[i]))
    return different(`the rows are in the order ${show(found.tokens)}, expected ${show(wanted.tokens)}`);
  let worst: Difference | undefined;
  found.tokens.forEach((token, i) => {
    const distance = Math.abs(found.probs[i]! - probs.get(token)!);
    if (distance > Math.max(PROBABILITY_TOLERANCE, worst?.distance ?? 0))
      worst = { fault: `token ${token} has probability ${found.probs[i]}, expected ${probs.get(token)}`, distance };
  });
  return worst;
}

const show = (tokens: readonly number[]): string =>
  tokens.length <= 12 ? `[${tokens.join(", ")}]` : `[${tokens.slice(0, 12).join(", ")}, ... ${tokens.length} in all]`;

/** Largest allowed difference of two values of a state or a measure, relative to the larger one. */
const SCALAR_TOLERANCE = 1e-5;

type Scalars = ReadonlyMap<string, number>;

/** Some graphs omit states that nothing depends on. No graph omits a measure. */
function scalarsMismatch(what: "state" | "measure" | "stop", found: Scalars, wanted: Scalars): Difference | undefined {
  if (what === "measure" && found.size !== wanted.size)
    return different(`there are ${found.size} measures, expected ${wanted.size}`);
  for (const [name, value] of found) {
    const other = wanted.get(name);
    if (other === undefined) continue;
    const distance = Math.abs(value - other) / Math.max(1, Math.abs(value), Math.abs(other));
    if (!(distance <= SCALAR_TOLERANCE))
      return { fault: `the ${what} ${name} is ${value}, expected ${other}`, distance };
  }
  return undefined;
}
