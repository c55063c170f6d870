/** Integers in a range, as digits. */
import { all, any, textOf, type Item } from "../text/rules.js";

export const digits = (from: number, to: number): Item => ({
  kind: "class",
  ranges: [[48 + from, 48 + to]],
  isNegated: false,
});
const anyDigits = (count: number): Item[] =>
  count === 0 ? [] : [{ kind: "repeat", item: digits(0, 9), min: count, max: count }];

/** Undefined without a bound. */
export function integers({ minimum, maximum }: Readonly<Record<string, number>>): Item | undefined {
  if (minimum === undefined && maximum === undefined) return undefined;
  const [min, max] = [minimum ?? -Infinity, maximum ?? Infinity];
  const negative = min < 0 ? [all([textOf("-"), any(between(Math.max(1, -max), -min))])] : [];
  return any([...negative, ...(max >= 0 ? between(Math.max(min, 0), max) : [])]);
}

/** From an integer that is not negative to another or to infinity. */
export function between(from: number, to: number): Item[] {
  const items: Item[] = [];
  for (let first = from; first <= to;) {
    const { length } = String(first);
    const last = 10 ** length - 1;
    if (to === Infinity && length >= 15) break;
    for (const one of sameLength(String(first), String(Math.min(last, to)))) items.push(one);
    first = last + 1;
  }
  // more digits than any integer that JavaScript has exactly
  if (to === Infinity)
    items.push(all([digits(1, 9), ...anyDigits(14), { kind: "repeat", item: digits(0, 9), min: 0, max: Infinity }]));
  return items;
}

/** Between two texts of as many digits. */
function sameLength(from: string, to: string): Item[] {
  if (from === to) return [textOf(from)];
  const [a, b] = [Number(from[0]), Number(to[0])];
  const rest = from.length - 1;
  if (rest === 0) return [digits(a, b)];
  if (a === b) return sameLength(from.slice(1), to.slice(1)).map((item) => all([textOf(from[0]!), item]));
  const isLowest = /^.0*$/.test(from);
  const isHighest = /^.9*$/.test(to);
  const [low, high] = [isLowest ? a : a + 1, isHighest ? b : b - 1];
  return [
    ...(isLowest ? [] : sameLength(from.slice(1), "9".repeat(rest)).map((item) => all([textOf(from[0]!), item]))),
    ...(low <= high ? [all([digits(low, high), ...anyDigits(rest)])] : []),
    ...(isHighest ? [] : sameLength("0".repeat(rest), to.slice(1)).map((item) => all([textOf(to[0]!), item]))),
  ];
}
