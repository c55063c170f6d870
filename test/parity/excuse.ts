/** Why a difference may be none: only what llama.cpp's own numbers say counts. */
import { momentOf, rowsBefore, type Given } from "./llama.js";
import type { Rows } from "./rows.js";
import { BOUNDARY } from "./settings.js";
import { specOf } from "./stages.js";

/** What an excuse is counted as. */
export type Excuse = "undefinedThere" | "masked" | "atBoundary" | "withinRounding";

const ORDER: readonly Excuse[] = ["undefinedThere", "masked", "atBoundary", "withinRounding"];

/** What running sums of `count` f32 terms up to a total of 1 can be off, theirs and ours together. */
const roundingOf = (count: number): number => count * 2 ** -24;

export const excuseFor = (distance: number, count: number): Excuse | undefined =>
  distance < BOUNDARY ? "atBoundary" : distance < roundingOf(count) ? "withinRounding" : undefined;

/** Whether some stage's decision was so close that rounding settled it, by the rows before it after `accepted`. */
export function excuseOf(given: Given, accepted: readonly number[]): Excuse | undefined {
  const excuses = given.stages.map((stage, i): Excuse | undefined => {
    const { margin, isUndefined, countsMasked, mayOverflow } = specOf(stage);
    const before = rowsBefore(given, i, accepted);
    const moment = momentOf(given, i, accepted);
    const isBroken = before.tokens.length === 0 || !before.logits.every(Number.isFinite);
    if (isBroken || isSortUndefined(before) || isUndefined?.(before, stage.args, moment)) return "undefinedThere";
    if (mayOverflow && rowsBefore(given, i + 1, accepted).masked > before.masked) return "undefinedThere";
    if (countsMasked && before.masked > 0) return "masked";
    return margin && excuseFor(margin(before, stage.args, moment), before.tokens.length);
  });
  return ORDER.find((excuse) => excuses.includes(excuse));
}

/** llama.cpp sorts more than 128 rows by way of buckets, whose numbers are beyond an integer for such logits. */
const isSortUndefined = ({ tokens, logits, masked }: Rows): boolean =>
  tokens.length + masked > 128 && logits.some((x) => Math.abs(x) > 3e8);

/** Whether llama.cpp's order depends on the rows or on a draw, or on the value of what is a uniform here. */
export const mayOrderOtherwise = (given: Given, accepted: readonly number[]): boolean =>
  given.stages.some((s, i) => specOf(s).llamaSorts?.(rowsBefore(given, i, accepted), s.args) ?? false);
