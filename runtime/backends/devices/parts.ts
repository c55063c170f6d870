/** The parts of a model that devices have. */
import { invalid } from "../../core/errors.js";

/** Throws `InputError` unless there is one part for each device, finite and not negative, and one above 0. */
export function checkSplit(split: readonly number[] | undefined, devices: number): void {
  if (split === undefined) return;
  const isRight =
    split.length === devices &&
    split.every((part) => Number.isFinite(part) && part >= 0) &&
    split.some((part) => part > 0);
  if (isRight) return;
  throw invalid(
    `\`split\` must have one number for each of the ${devices} devices, none below 0 and one above it, found ${split.join(", ") || "none"}`,
  );
}
