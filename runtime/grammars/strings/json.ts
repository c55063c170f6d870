/** What texts are inside of the quotes of a JSON string: each character in all of its spellings. */
import { spend, uncounted } from "../budget.js";
import { choice, EMPTY, NOTHING, oneOf, positive, repeat, sequence } from "../regular/items.js";
import { CHARACTERS, common, contains, without } from "../regular/ranges.js";
import { normalized, textOf, type Item, type Ranges } from "../text/rules.js";

/** Characters that can be themselves: no control characters, quotes and backslashes. */
const RAW: Ranges = without([
  [0, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
]);
/** The letter that stands for a character after a backslash. */
const SHORT: ReadonlyMap<number, string> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([letter, one]) => [one.codePointAt(0)!, letter],
  ),
);
const FIRST_WIDE = 0x10000;
/** The first surrogates of a pair begin here, and the second. */
const [HIGH, LOW] = [0xd800, 0xdc00];

/**
 * @param item a regular item: the values
 * @param speller what has spelled others of the same source
 */
export const inJson = (item: Item, speller = new Speller()): Item => speller.spelled(item);

/** All characters, and each character of ASCII, for all sources: most texts have no others. */
const COMMON = new Map<string, Item>();

export class Speller {
  private readonly classes = new Map<string, Item>();
  private readonly known = new Map<Item, Item>();

  spelled(item: Item): Item {
    const known = this.known.get(item);
    if (known) return known;
    spend();
    const spelled = this.made(item);
    this.known.set(item, spelled);
    return spelled;
  }

  private made(item: Item): Item {
    switch (item.kind) {
      case "text":
        return sequence(...item.characters.map((one) => this.class([[one, one]])));
      case "class":
        return this.class(positive(item));
      case "all":
      case "any":
      case "intersection":
        return { ...item, items: item.items.map((one) => this.spelled(one)) };
      case "repeat":
      case "complement":
        return { ...item, item: this.spelled(item.item) };
      default:
        throw new TypeError(`expected a regular item, found "${item.kind}"`);
    }
  }

  private class(ranges: Ranges): Item {
    const key = ranges.join(" ");
    const [from, to] = ranges[0] ?? [];
    const isCommon = ranges === CHARACTERS || (ranges.length === 1 && from === to && from! < 0x80);
    const classes = isCommon ? COMMON : this.classes;
    const known = classes.get(key) ?? (isCommon ? uncounted(() => ofClass(ranges)) : ofClass(ranges));
    classes.set(key, known);
    return known;
  }
}

function ofClass(ranges: Ranges): Item {
  spend(ranges.length);
  const letters = [...SHORT].filter(([one]) => contains(ranges, one)).map(([, letter]) => letter);
  const short =
    letters.length === 0
      ? NOTHING
      : oneOf(normalized(letters.map((one) => [one.codePointAt(0)!, one.codePointAt(0)!])));
  return choice(
    oneOf(common(ranges, RAW)),
    sequence(textOf("\\"), choice(short, sequence(textOf("u"), choice(units(ranges), pairs(ranges))))),
  );
}

/** The digits of characters below U+10000. */
const units = (ranges: Ranges): Item => digits(common(ranges, [[0, FIRST_WIDE - 1]]), 4);

/** The digits of characters above, as two surrogates. */
function pairs(ranges: Ranges): Item {
  const lows = new Map<number, (readonly [number, number])[]>();
  for (const [first, last] of common(ranges, [[FIRST_WIDE, 0x10ffff]])) {
    const [from, to] = [first - FIRST_WIDE, last - FIRST_WIDE];
    for (let high = from >> 10; high <= to >> 10; high++) {
      spend();
      const some = lows.get(high) ?? [];
      lows.set(high, some);
      some.push([LOW + (high === from >> 10 ? from & 0x3ff : 0), LOW + (high === to >> 10 ? to & 0x3ff : 0x3ff)]);
    }
  }
  const highs = new Map<string, number[]>();
  for (const [high, some] of lows) highs.set(some.join(" "), [...(highs.get(some.join(" ")) ?? []), HIGH + high]);
  const parts = [...highs.values()].map((some) =>
    sequence(
      digits(normalized(some.map((one) => [one, one] as const)), 4),
      textOf("\\u"),
      digits(lows.get(some[0]! - HIGH)!, 4),
    ),
  );
  return choice(...parts);
}

/** A number of these ranges by its hexadecimal digits. */
function digits(ranges: Ranges, count: number): Item {
  const size = 16 ** (count - 1);
  if (count === 0) return EMPTY;
  if (ranges.length === 0) return NOTHING;
  if (ranges.length === 1 && ranges[0]![1] - ranges[0]![0] === 16 * size - 1) return repeat(HEX, count, count);
  const rests = new Map<string, { readonly rest: Ranges; readonly digits: number[] }>();
  for (let digit = 0; digit < 16; digit++) {
    spend(1 + ranges.length / 16);
    const [begin, end] = [digit * size, (digit + 1) * size - 1];
    const rest = ranges
      .filter(([from, to]) => from <= end && begin <= to)
      .map(([from, to]) => [Math.max(from, begin) - begin, Math.min(to, end) - begin] as const);
    if (rest.length === 0) continue;
    const known = rests.get(rest.join(" ")) ?? { rest, digits: [] };
    rests.set(rest.join(" "), known);
    known.digits.push(digit);
  }
  return choice(
    ...[...rests.values()].map(({ rest, digits: some }) => sequence(hexDigits(some), digits(rest, count - 1))),
  );
}

const hexDigits = (some: readonly number[]): Item =>
  oneOf(
    normalized(
      some.flatMap((digit) =>
        [...new Set([digit.toString(16), digit.toString(16).toUpperCase()])].map(
          (one) => [one.charCodeAt(0), one.charCodeAt(0)] as const,
        ),
      ),
    ),
  );
const HEX = hexDigits(Array.from({ length: 16 }, (_, digit) => digit));
