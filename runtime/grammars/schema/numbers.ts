/**
 * Numbers in a range, as decimals without an exponent. A text is compared with the bounds digit by digit; with at most 15 digits no two
 * decimals are the same number in JavaScript, so that a text beyond an excluded bound is not rounded to it.
 */
import { all, any, textOf, type Item } from "../text/rules.js";
import { between, digits } from "./integers.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

const MOST_DIGITS = 15;

/** A bound that is not negative: its digits before and after the point, without zeros at the end. */
interface Bound {
  readonly whole: number;
  readonly fraction: string;
  readonly isExcluded: boolean;
}

export interface NumberBounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

const values = (bounds: NumberBounds): readonly number[] => Object.values(bounds) as number[];
const fractionOf = (value: number): string => String(Math.abs(value)).split(".")[1] ?? "";
const wholeOf = (value: number): number => Math.trunc(Math.abs(value));
/** Digits after the point that a text can have. */
const placesFor = (bounds: NumberBounds): number =>
  MOST_DIGITS -
  greatest(
    values(bounds).map((value) => String(wholeOf(value)).length),
    1,
  );

/** Whether the bounds have few enough digits. */
export const haveDecimals = (bounds: NumberBounds): boolean =>
  values(bounds).every((value) => !String(value).includes("e") && fractionOf(value).length < placesFor(bounds));

/** Undefined if there is no such number with few enough digits. */
export function numbers(bounds: NumberBounds): Item | undefined {
  const places = placesFor(bounds);
  const min = bounds.minimum ?? bounds.exclusiveMinimum ?? -Infinity;
  const max = bounds.maximum ?? bounds.exclusiveMaximum ?? Infinity;
  const lower = boundOf(min, bounds.exclusiveMinimum !== undefined);
  const upper = boundOf(max, bounds.exclusiveMaximum !== undefined);
  const zero = boundOf(0, false);
  const items = [
    ...(min < 0 ? within(max <= 0 ? upper : zero, lower, places).map((item) => all([textOf("-"), item])) : []),
    ...(max >= 0 ? within(min >= 0 ? lower : zero, upper, places) : []),
  ];
  return items.length === 0 ? undefined : any(items);
}

const boundOf = (value: number, isExcluded: boolean): Bound => ({
  whole: wholeOf(value),
  fraction: fractionOf(value),
  isExcluded,
});

/** From a bound to another, neither negative; the upper one can be infinite. */
function within(lower: Bound, upper: Bound, places: number): Item[] {
  if (lower.whole > upper.whole) return [];
  const number = (whole: number, rest: Digits): Item[] =>
    withPoint(rest).map((fraction) => all([textOf(String(whole)), fraction]));
  if (lower.whole === upper.whole) return number(lower.whole, both(lower, upper, places));
  const whole = between(lower.whole + 1, upper.whole - 1);
  return [
    ...number(lower.whole, atLeast(lower, places)),
    ...(whole.length > 0 ? withPoint(anything(places)).map((fraction) => all([any(whole), fraction])) : []),
    ...(upper.whole === Infinity ? [] : number(upper.whole, atMost(upper, places))),
  ];
}

/** Digits after the point: whether there can be none, and the others. */
interface Digits {
  readonly canBeNone: boolean;
  readonly some: readonly Item[];
}

const NONE: Digits = { canBeNone: false, some: [] };
const optional = (item: Item): Item => ({ kind: "repeat", item, min: 0, max: 1 });

function withPoint({ canBeNone, some }: Digits): Item[] {
  if (some.length === 0) return canBeNone ? [textOf("")] : [];
  const fraction = all([textOf("."), any(some)]);
  return [canBeNone ? optional(fraction) : fraction];
}

/** A digit of a range, and what comes after it. */
function after(from: number, to: number, { canBeNone, some }: Digits): Item[] {
  if (from > to) return [];
  if (some.length === 0) return canBeNone ? [digits(from, to)] : [];
  return [all([digits(from, to), canBeNone ? optional(any(some)) : any(some)])];
}

const anything = (left: number): Digits => ({
  canBeNone: true,
  some: left === 0 ? [] : [all([digits(0, 9), { kind: "repeat", item: digits(0, 9), min: 0, max: left - 1 }])],
});

const rest = (bound: Bound): Bound => ({ ...bound, fraction: bound.fraction.slice(1) });
const first = ({ fraction }: Bound): number => Number(fraction[0] ?? 0);

function atLeast(bound: Bound, left: number): Digits {
  if (bound.fraction === "" && !bound.isExcluded) return anything(left);
  if (left === 0) return NONE;
  const digit = first(bound);
  return {
    canBeNone: false,
    some: [...after(digit + 1, 9, anything(left - 1)), ...after(digit, digit, atLeast(rest(bound), left - 1))],
  };
}

function atMost(bound: Bound, left: number): Digits {
  if (bound.fraction === "") {
    if (bound.isExcluded) return NONE;
    const zeros: Item = { kind: "repeat", item: digits(0, 0), min: 1, max: left };
    return { canBeNone: true, some: left === 0 ? [] : [zeros] };
  }
  const digit = first(bound);
  return {
    canBeNone: true,
    some: [...after(0, digit - 1, anything(left - 1)), ...after(digit, digit, atMost(rest(bound), left - 1))],
  };
}

function both(lower: Bound, upper: Bound, left: number): Digits {
  if (lower.fraction === "" && !lower.isExcluded) return atMost(upper, left);
  if (left === 0) return NONE;
  const [low, high] = [first(lower), first(upper)];
  if (low > high) return NONE;
  if (low === high) return { canBeNone: false, some: after(low, low, both(rest(lower), rest(upper), left - 1)) };
  return {
    canBeNone: false,
    some: [
      ...after(low + 1, high - 1, anything(left - 1)),
      ...after(low, low, atLeast(rest(lower), left - 1)),
      ...after(high, high, atMost(rest(upper), left - 1)),
    ],
  };
}
