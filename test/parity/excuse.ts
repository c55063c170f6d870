/** Reasons to accept a difference, taken from llama.cpp's own numbers alone. */
import { momentOf, rowsBefore, type Given } from "./llama.js";
import type { Rows } from "./rows.js";
import { BOUNDARY } from "./settings.js";
import { specOf } from "./stages.js";

/** The counter of an excuse. */
export type Excuse = "undefinedThere" | "masked" | "atBoundary" | "withinRounding";

const ORDER: readonly Excuse[] = ["undefinedThere", "masked", "atBoundary", "withinRounding"];

/** Error bound of prefix sums of `count` f32 terms with a total of 1, theirs and ours together. */
const roundingOf = (count: number): number => count * 2 ** -24;

export const excuseFor = (distance: number, count: number): Excuse | undefined =>
  distance < BOUNDARY ? "atBoundary" : distance < roundingOf(count) ? "withinRounding" : undefined;

/** Whether rounding may have settled the decision of some stage, judged by the rows before it after `accepted`. */
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

/** llama.cpp bucket-sorts more than 128 rows; for such logits the bucket index overflows an integer. */
const isSortUndefined = ({ tokens, logits, masked }: Rows): boolean =>
  tokens.length + masked > 128 && logits.some((x) => Math.abs(x) > 3e8);

/** Whether llama.cpp's order depends on the rows, on a draw, or on a value that is a uniform here. */
export const mayOrderOtherwise = (given: Given, accepted: readonly number[]): boolean =>
  given.stages.some((s, i) => specOf(s).llamaSorts?.(rowsBefore(given, i, accepted), s.args) ?? false);
