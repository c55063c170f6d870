/** A grammar as rules over characters. */
import { spend } from "../budget.js";

/** Ranges of code points, both ends included. */
export type Ranges = readonly (readonly [from: number, to: number])[];

export type Item =
  /** Code points. */
  | { readonly kind: "text"; readonly characters: readonly number[] }
  /** One character, never a surrogate. */
  | { readonly kind: "class"; readonly ranges: Ranges; readonly isNegated: boolean }
  /** It may be recursive, but not begin with itself. */
  | { readonly kind: "rule"; readonly name: string }
  | { readonly kind: "all"; readonly items: readonly Item[] }
  /** Without items, it matches nothing. */
  | { readonly kind: "any"; readonly items: readonly Item[] }
  | { readonly kind: "repeat"; readonly item: Item; readonly min: number; readonly max: number }
  /** One token, by its number or its text; `isNegated`: any other one. */
  | { readonly kind: "token"; readonly token: number | string; readonly isNegated: boolean }
  /** Texts that match each of the items, which are regular: without recursion and members. */
  | { readonly kind: "intersection"; readonly items: readonly Item[] }
  /** Texts that do not match the item, which is regular; only in an intersection, beside an item that is no complement. */
  | { readonly kind: "complement"; readonly item: Item }
  /** A part that a program asks about, by its name. */
  | { readonly kind: "mark"; readonly name: string; readonly item: Item }
  /**
   * Members of an object, or elements that come at most once: a list with `separator` between any two. Each of `members` comes at most
   * once, each required one exactly once; in their order, and then any number of `others`, or in any order, with `others` between them.
   * `min` and `max` count all of them.
   */
  | {
      readonly kind: "members";
      readonly members: readonly { readonly item: Item; readonly isRequired: boolean }[];
      readonly separator: Item;
      readonly order: "declared" | "any";
      readonly others?: Item;
      readonly min: number;
      readonly max: number;
    };

export const ROOT = "root";

/** The rules by name; `root` is the text. */
export type Rules = ReadonlyMap<string, Item>;

export function text(characters: readonly number[]): Item {
  spend(1 + characters.length / 8);
  return { kind: "text", characters };
}
export function textOf(value: string): Item {
  const characters: number[] = [];
  for (const character of value) characters.push(character.codePointAt(0)!);
  return text(characters);
}
export const all = (items: readonly Item[]): Item => listed("all", items);
export const any = (items: readonly Item[]): Item => listed("any", items);

function listed(kind: "all" | "any", items: readonly Item[]): Item {
  spend(items.length);
  return items.length === 1 ? items[0]! : { kind, items };
}

export const LAST_CHARACTER = 0x10ffff;

/** Sorted ranges that do not touch. */
export function normalized(ranges: Ranges): Ranges {
  spend(ranges.length);
  const result: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** The characters that are in none of the ranges; the zero character is in no text. */
export const complement = (ranges: Ranges): Ranges => gaps(ranges, 1);

/** The characters from `first` on that are in none of the ranges, which may come in any order. */
export function gaps(ranges: Ranges, first: number): Ranges {
  const result: [number, number][] = [];
  let next = first;
  for (const [from, to] of normalized(ranges)) {
    if (from > next) result.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= LAST_CHARACTER) result.push([next, LAST_CHARACTER]);
  return result;
}
