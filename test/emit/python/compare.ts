/** Differences between the results of emitted Python and of the reference. */
import { PROBABILITY_TOLERANCE } from "../../parity/settings.js";
import type { Found, Result } from "./python.js";

/** Largest difference of a state or a measure, relative to the larger one. */
const SCALAR_TOLERANCE = 1e-5;

/** The first difference, if any. */
export function differenceOf(wanted: readonly (readonly Result[])[], found: Found): string | undefined {
  if (typeof found === "string") return found;
  for (const [step, texts] of wanted.entries())
    for (const [b, want] of texts.entries()) {
      const difference = resultDifference(want, found[step]![b]!);
      if (difference !== undefined) return `step ${step}, text ${b}: ${difference}`;
    }
  return undefined;
}

function resultDifference(want: Result, found: Result): string | undefined {
  if (want.token !== found.token) return `token ${found.token}, expected ${want.token}`;
  const [left, there] = [found, want].map(({ rows }) => rows?.tokens.join());
  if (left !== there) return `rows ${left?.slice(0, 200)}, expected ${there?.slice(0, 200)}`;
  const far = want.rows?.probs.findIndex((p, i) => !(Math.abs(p - found.rows!.probs[i]!) <= PROBABILITY_TOLERANCE));
  if (far !== undefined && far >= 0) return `probability ${found.rows!.probs[far]}, expected ${want.rows!.probs[far]}`;
  const isFar = (x: number, i: number): boolean =>
    !(Math.abs(x - found.scalars[i]!) <= SCALAR_TOLERANCE * Math.max(1, Math.abs(x)));
  const scalar = want.scalars.findIndex(isFar);
  return scalar < 0 ? undefined : `scalar ${scalar} is ${found.scalars[scalar]}, expected ${want.scalars[scalar]}`;
}
