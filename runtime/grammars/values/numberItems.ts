/**
 * Numbers in a range, as JavaScript and Python write them: decimals of any length, compared with the bounds digit by digit, and from
 * 1e16 on and below 1e-4 also with an exponent. The bounds are included: an excluded one was replaced by the next number in double
 * precision, so that no text beyond it is rounded to it. Integers are digits alone.
 */
import { spend } from "../budget.js";
import { all, any, textOf, type Item } from "../text/rules.js";
import { decimalOf, digitsOf, type Decimal } from "./decimals.js";
import type { NumberRange } from "./values.js";

export const digits = (from: number, to: number): Item => ({
  kind: "class",
  ranges: [[48 + from, 48 + to]],
  isNegated: false,
});
const repeat = (item: Item, min: number, max: number): Item => ({ kind: "repeat", item, min, max });
const optional = (item: Item): Item => repeat(item, 0, 1);
const DIGIT = digits(0, 9);
const DIGITS = repeat(DIGIT, 0, Infinity);
/** No text. */
const NONE: Item = { kind: "any", items: [] };
const EMPTY = textOf("");
const some = (...items: readonly Item[]): Item => any(items.filter((item) => item !== NONE));
const both = (...items: readonly Item[]): Item => (items.includes(NONE) ? NONE : all(items));

const NATURAL = any([textOf("0"), all([digits(1, 9), DIGITS])]);
export const INTEGER: Item = all([optional(textOf("-")), NATURAL]);
const FRACTION = all([textOf("."), repeat(DIGIT, 1, Infinity)]);
const E: Item = {
  kind: "class",
  ranges: [
    [69, 69],
    [101, 101],
  ],
  isNegated: false,
};
const SIGN: Item = {
  kind: "class",
  ranges: [
    [43, 43],
    [45, 45],
  ],
  isNegated: false,
};

export function rangeItem(range: NumberRange): Item {
  const { min, max, kind } = range;
  if (kind === "integer") return integers(min, max);
  if (min === -Infinity && max === Infinity && kind === "any") return NUMBER;
  const below = min < 0 ? both(textOf("-"), magnitudes(max < 0 ? -max : 0, -min)) : NONE;
  const item = some(below, max >= 0 ? magnitudes(Math.max(min, 0), max) : NONE);
  return kind === "any" ? item : { kind: "intersection", items: [item, NO_INTEGER] };
}

const NO_INTEGER: Item = all([
  optional(textOf("-")),
  any([
    all([NATURAL, textOf("."), DIGITS, digits(1, 9), DIGITS]),
    all([digits(1, 9), optional(FRACTION), E, withSign(-323, -5)]),
  ]),
]);

function integers(min: number, max: number): Item {
  if (min === -Infinity && max === Infinity) return INTEGER;
  const negative = min < 0 ? both(textOf("-"), naturals(Math.max(1, -max), -min)) : NONE;
  return some(negative, max >= 0 ? naturals(Math.max(min, 0), max) : NONE);
}

const wholeText = (value: number): string | undefined =>
  Number.isFinite(value) ? BigInt(Math.trunc(value)).toString() : undefined;

const naturals = (from: number, to: number): Item => naturalTexts(wholeText(from)!, wholeText(to));

/** Between two natural numbers; without an upper one all from the lower one on. */
function naturalTexts(from: string, to: string | undefined): Item {
  if (to === undefined) {
    if (from === "0") return NATURAL;
    return some(sameLength(from, "9".repeat(from.length)), all([digits(1, 9), repeat(DIGIT, from.length, Infinity)]));
  }
  if (from.length > to.length || (from.length === to.length && from > to)) return NONE;
  if (from.length === to.length) return sameLength(from, to);
  const [least, most] = [from.length, to.length - 2];
  return some(
    sameLength(from, "9".repeat(from.length)),
    least <= most ? all([digits(1, 9), repeat(DIGIT, least, most)]) : NONE,
    sameLength(`1${"0".repeat(to.length - 1)}`, to),
  );
}

/** Between two texts of as many digits. */
function sameLength(from: string, to: string): Item {
  spend(1 + from.length / 8);
  if (from === to) return textOf(from);
  const [a, b] = [Number(from[0]), Number(to[0])];
  const rest = from.length - 1;
  if (rest === 0) return digits(a, b);
  if (a === b) return all([textOf(from[0]!), sameLength(from.slice(1), to.slice(1))]);
  const [isLowest, isHighest] = [/^.0*$/.test(from), /^.9*$/.test(to)];
  const [low, high] = [isLowest ? a : a + 1, isHighest ? b : b - 1];
  return some(
    isLowest ? NONE : all([textOf(from[0]!), sameLength(from.slice(1), "9".repeat(rest))]),
    low <= high ? all([digits(low, high), repeat(DIGIT, rest, rest)]) : NONE,
    isHighest ? NONE : all([textOf(to[0]!), sameLength("0".repeat(rest), to.slice(1))]),
  );
}

/** Numbers that are not negative, between two that are included. */
function magnitudes(min: number, max: number): Item {
  return some(decimals(decimalOf(min), Number.isFinite(max) ? decimalOf(max) : undefined), scientific(min, max));
}

/** Digits with a point, or without one. */
function decimals(lower: Decimal, upper: Decimal | undefined): Item {
  if (upper?.whole === lower.whole)
    return both(textOf(lower.whole), withPoint(between(lower.fraction, upper.fraction)));
  const after = (BigInt(lower.whole) + 1n).toString();
  const before = upper && (BigInt(upper.whole) - 1n).toString();
  if (upper && BigInt(upper.whole) < BigInt(lower.whole)) return NONE;
  return some(
    both(textOf(lower.whole), withPoint(atLeast(lower.fraction))),
    both(naturalTexts(after, before), withPoint(ANYTHING)),
    upper ? both(textOf(upper.whole), withPoint(atMost(upper.fraction))) : NONE,
  );
}

/** Digits after the point: whether there can be none, and the others. */
interface Digits {
  readonly canEnd: boolean;
  readonly item: Item;
}

const ANYTHING: Digits = { canEnd: true, item: repeat(DIGIT, 1, Infinity) };

/** The digits, none included where there can be none. */
function tail({ canEnd, item }: Digits): Item {
  if (item === NONE) return canEnd ? EMPTY : NONE;
  return canEnd ? optional(item) : item;
}

const withPoint = ({ canEnd, item }: Digits): Item => tail({ canEnd, item: both(textOf("."), item) });

function atLeast(fraction: string): Digits {
  spend(1 + fraction.length / 8);
  if (fraction === "") return ANYTHING;
  const zeros = /^0*/.exec(fraction)![0].length;
  const digit = Number(fraction[zeros]);
  const after = all([
    zeros > 0 ? repeat(digits(0, 0), zeros, zeros) : EMPTY,
    some(
      digit < 9 ? all([digits(digit + 1, 9), DIGITS]) : NONE,
      all([digits(digit, digit), tail(atLeast(fraction.slice(zeros + 1)))]),
    ),
  ]);
  const sooner = zeros > 0 ? all([repeat(digits(0, 0), 0, zeros - 1), digits(1, 9), DIGITS]) : NONE;
  return { canEnd: false, item: some(after, sooner) };
}

function atMost(fraction: string): Digits {
  spend(1 + fraction.length / 8);
  if (fraction === "") return { canEnd: true, item: repeat(digits(0, 0), 1, Infinity) };
  const digit = Number(fraction[0]);
  return {
    canEnd: true,
    item: some(
      digit > 0 ? all([digits(0, digit - 1), DIGITS]) : NONE,
      all([digits(digit, digit), tail(atMost(fraction.slice(1)))]),
    ),
  };
}

function between(lower: string, upper: string): Digits {
  spend(1 + lower.length / 8);
  if (lower === "") return atMost(upper);
  if (lower > upper) return { canEnd: false, item: NONE };
  const [low, high] = [Number(lower[0]), Number(upper[0])];
  const [more, less] = [lower.slice(1), upper.slice(1)];
  if (low === high) return { canEnd: false, item: both(digits(low, low), tail(between(more, less))) };
  return {
    canEnd: false,
    item: some(
      low + 1 < high ? all([digits(low + 1, high - 1), DIGITS]) : NONE,
      all([digits(low, low), tail(atLeast(more))]),
      all([digits(high, high), tail(atMost(less))]),
    ),
  };
}

const LARGEST = Number.MAX_VALUE;
/** Powers of ten that are written as exponents. */
const SMALL = { from: -323, to: -5 };
const LARGE = { from: 16, to: 308 };

/** One digit, perhaps more after a point, and an exponent. */
function scientific(min: number, most: number): Item {
  const max = Math.min(most, LARGEST);
  return some(
    ...[SMALL, LARGE].map(({ from, to }) => {
      const lower = min === 0 || digitsOf(min).exponent < from ? { digits: "1", exponent: from } : digitsOf(min);
      const upper = max === 0 || digitsOf(max).exponent < from ? undefined : digitsOf(max);
      if (!upper || lower.exponent > to) return NONE;
      const isBelow = upper.exponent <= to;
      const last = isBelow ? upper.exponent : to;
      if (lower.exponent > last) return NONE;
      if (lower.exponent === last)
        return powers(isBelow ? mantissas(lower.digits, upper.digits) : mantissas(lower.digits), last, last);
      return some(
        powers(mantissas(lower.digits), lower.exponent, lower.exponent),
        powers(mantissas("1"), lower.exponent + 1, isBelow ? last - 1 : last),
        isBelow ? powers(mantissas("1", upper.digits), last, last) : NONE,
      );
    }),
  );
}

const trimmed = (text: string): string => text.replace(/0+$/, "");

/** From 1 to 10, by their digits. */
function mantissas(from: string, to?: string): Item {
  const lower = { whole: from[0]!, fraction: trimmed(from.slice(1)) };
  if (to !== undefined) return decimals(lower, { whole: to[0]!, fraction: trimmed(to.slice(1)) });
  const first = Number(from[0]);
  return some(
    both(textOf(lower.whole), withPoint(atLeast(lower.fraction))),
    first < 9 ? all([digits(first + 1, 9), optional(FRACTION)]) : NONE,
  );
}

const powers = (mantissa: Item, from: number, to: number): Item =>
  mantissa === NONE || from > to ? NONE : all([mantissa, E, withSign(from, to)]);

/** Exponents of one sign; Python writes at least two digits. */
function withSign(from: number, to: number): Item {
  const [low, high] = from < 0 ? [-to, -from] : [from, to];
  const texts = naturalTexts(String(low), String(high));
  const padded = low < 10 ? all([textOf("0"), naturalTexts(String(low), String(Math.min(high, 9)))]) : NONE;
  return all([from < 0 ? textOf("-") : optional(textOf("+")), some(texts, padded)]);
}

/** A listed number, as JavaScript and Python write it. */
export function listedNumber(value: number): Item {
  const own = JSON.stringify(value);
  const { digits: all_, exponent } = digitsOf(value);
  if (value === 0 || (exponent >= -4 && exponent < 16)) return textOf(own);
  const sign = value < 0 ? "-" : "";
  const power = `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  const python = `${sign}${all_[0]!}${all_.length > 1 ? `.${all_.slice(1)}` : ""}e${power}`;
  return python === own ? textOf(own) : any([textOf(own), textOf(python)]);
}

/** Any number that double precision has. */
export const NUMBER: Item = all([
  optional(textOf("-")),
  any([
    all([NATURAL, optional(FRACTION), optional(all([E, optional(SIGN), repeat(DIGIT, 1, 2)]))]),
    all([digits(1, 9), optional(FRACTION), E, any([withSign(100, LARGE.to - 1), withSign(SMALL.from, -100)])]),
    powers(mantissas("1", digitsOf(LARGEST).digits), LARGE.to, LARGE.to),
  ]),
]);
