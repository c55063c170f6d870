/** Sets of numbers: intersections and differences of ranges. */
import { spend } from "../budget.js";
import { common, divides, hasMultiple, isMultiple, next } from "./decimals.js";
import { NoForm, type NumberRange, type Step } from "./values.js";

/** Undefined if it is empty. */
export function narrowed(range: NumberRange): NumberRange | undefined {
  const { kind, step } = range;
  const isInteger = kind === "integer";
  const min = isInteger ? Math.ceil(range.min) + 0 : range.min;
  const max = isInteger ? Math.floor(range.max) + 0 : range.max;
  if (min > max || (kind === "fraction" && min === max && Number.isInteger(min))) return undefined;
  if (step) {
    if (kind === "fraction" && step.places === 0) return undefined;
    const every = isInteger ? common(step, ONE) : step;
    const [least, most] = min > 0 ? [min, max] : max < 0 ? [-max, -min] : [0, 0];
    if (!hasMultiple(least, most, every)) return undefined;
  }
  return isInteger ? { ...range, min, max } : range;
}

const ONE: Step = { units: 1n, places: 0 };

export function intersectRanges(a: NumberRange, b: NumberRange): NumberRange | undefined {
  if (a.kind !== b.kind && a.kind !== "any" && b.kind !== "any") return undefined;
  const step = a.step && b.step ? common(a.step, b.step) : (a.step ?? b.step);
  return narrowed({
    min: Math.max(a.min, b.min),
    max: Math.min(a.max, b.max),
    kind: a.kind === "any" ? b.kind : a.kind,
    ...(step && { step, at: a.at ?? b.at }),
  });
}

export const isInRange = (value: number, { min, max, kind, step }: NumberRange): boolean =>
  value >= min &&
  value <= max &&
  (kind === "any" || Number.isInteger(value) === (kind === "integer")) &&
  (step === undefined || isMultiple(value, step));

/** The ranges without some numbers. */
export function subtractNumbers(ranges: readonly NumberRange[], numbers: ReadonlySet<number>): readonly NumberRange[] {
  if (numbers.size === 0 || ranges.length === 0) return ranges;
  spend(numbers.size * (1 + ranges.length / 4));
  const sorted = [...numbers].sort((a, b) => a - b);
  return ranges.flatMap((range) => {
    const parts: (NumberRange | undefined)[] = [];
    let { min } = range;
    for (const one of sorted) {
      if (one < min || one > range.max) continue;
      parts.push(narrowed({ ...range, min, max: next(one, false) }));
      min = next(one, true);
    }
    return [...parts, narrowed({ ...range, min })].filter((part) => part !== undefined);
  });
}

/** What is in the first range and not in the second. */
export function subtractRange(a: NumberRange, b: NumberRange): NumberRange[] {
  if (intersectRanges(a, b) === undefined) return [a];
  const sides = [
    { ...a, max: Math.min(a.max, next(b.min, false)) },
    { ...a, min: Math.max(a.min, next(b.max, true)) },
  ].filter((_, i) => Number.isFinite(i === 0 ? b.min : b.max));
  const between = { ...a, min: Math.max(a.min, b.min), max: Math.min(a.max, b.max) };
  const others: NumberRange[] = [];
  if (b.kind !== "any" && a.kind === "any")
    others.push({ ...between, kind: b.kind === "integer" ? "fraction" : "integer" });
  if (b.step && !(a.step && divides(a.step, b.step)))
    throw new NoForm("numbers that are no multiples of a number have no grammar");
  return [...sides, ...others].flatMap((range) => narrowed(range) ?? []);
}
