/** Regular items in short forms, and what their texts have in common. */
import { spend } from "../budget.js";
import { normalized, text, textOf, type Item, type Ranges } from "../text/rules.js";
import { CHARACTERS, without } from "./ranges.js";

export const NOTHING: Item = { kind: "any", items: [] };
export const EMPTY: Item = { kind: "text", characters: [] };
export const ONE_CHARACTER: Item = { kind: "class", ranges: CHARACTERS, isNegated: false };
export const ANY_TEXT: Item = { kind: "repeat", item: ONE_CHARACTER, min: 0, max: Infinity };

/** One character; without any, nothing matches. */
export function oneOf(ranges: Ranges): Item {
  if (ranges.length === 0) return NOTHING;
  const [from, to] = ranges[0]!;
  return ranges.length === 1 && from === to ? text([from]) : { kind: "class", ranges, isNegated: false };
}

export function sequence(...items: readonly Item[]): Item {
  spend(items.length);
  const result: Item[] = [];
  for (const item of items.flatMap((one) => (one.kind === "all" ? one.items : [one]))) {
    const last = result.at(-1);
    if (item.kind === "text" && last?.kind === "text")
      result[result.length - 1] = text([...last.characters, ...item.characters]);
    else if (isNothing(item)) return NOTHING;
    else if (item.kind !== "text" || item.characters.length > 0) result.push(item);
  }
  if (result.length === 0) return EMPTY;
  return result.length === 1 ? result[0]! : { kind: "all", items: result };
}

export function choice(...items: readonly Item[]): Item {
  spend(items.length);
  const flat = items.flatMap((one) => (one.kind === "any" ? one.items : [one]));
  const classes = flat.flatMap((one) => (one.kind === "class" ? [one] : []));
  const others = flat.filter((one) => one.kind !== "class");
  const merged = classes.length === 0 ? [] : [oneOf(normalized(classes.flatMap(positive)))];
  const all = [...merged, ...others];
  return all.length === 1 ? all[0]! : { kind: "any", items: all };
}

/** The texts of a list. */
export const oneOfTexts = (texts: readonly string[]): Item => choice(...texts.map(textOf));

export function repeat(item: Item, min: number, max = Infinity): Item {
  if (max < min) return NOTHING;
  if (max === 0 || isEmptyText(item)) return EMPTY;
  if (isNothing(item)) return min === 0 ? EMPTY : NOTHING;
  return min === 1 && max === 1 ? item : { kind: "repeat", item, min, max };
}

/** Texts that match all of the items. */
export function both(...items: readonly Item[]): Item {
  spend(items.length);
  const flat = items.flatMap((one) => (one.kind === "intersection" ? one.items : [one]));
  if (flat.some(isNothing)) return NOTHING;
  const kept = [...new Set(flat)].filter((one) => !isAnyText(one));
  if (kept.length === 0) return ANY_TEXT;
  if (kept.every((one) => one.kind === "complement")) return { kind: "intersection", items: [ANY_TEXT, ...kept] };
  return kept.length === 1 ? kept[0]! : { kind: "intersection", items: kept };
}

/** Texts of the first item that do not match the others. */
export const except = (item: Item, ...others: readonly Item[]): Item =>
  both(item, ...others.filter((one) => !isNothing(one)).map((one) => ({ kind: "complement", item: one }) as const));

const isAnyText = (item: Item): boolean =>
  item.kind === "repeat" && item.item === ONE_CHARACTER && item.min === 0 && item.max === Infinity;
export const isNothing = (item: Item): boolean => item.kind === "any" && item.items.length === 0;
const isEmptyText = (item: Item): boolean => item.kind === "text" && item.characters.length === 0;
export const positive = (item: Item & { readonly kind: "class" }): Ranges =>
  item.isNegated ? without(item.ranges) : item.ranges;

/** Whether the empty text matches. */
export function isNullable(item: Item): boolean {
  spend();
  switch (item.kind) {
    case "text":
      return item.characters.length === 0;
    case "all":
    case "intersection":
      return item.items.every(isNullable);
    case "any":
      return item.items.some(isNullable);
    case "repeat":
      return item.min === 0 || isNullable(item.item);
    case "complement":
      return !isNullable(item.item);
    default:
      return false;
  }
}

/** Bounds of the lengths of the texts: no text has less or more characters. */
export function lengths(item: Item): { readonly least: number; readonly most: number } {
  spend();
  switch (item.kind) {
    case "text":
      return { least: item.characters.length, most: item.characters.length };
    case "class":
      return { least: 1, most: 1 };
    case "all": {
      const parts = item.items.map(lengths);
      return { least: sum(parts.map(({ least }) => least)), most: sum(parts.map(({ most }) => most)) };
    }
    case "any": {
      const parts = item.items.map(lengths);
      const least = parts.reduce((found, part) => Math.min(found, part.least), Infinity);
      return {
        least: least === Infinity ? 0 : least,
        most: parts.reduce((found, part) => Math.max(found, part.most), 0),
      };
    }
    case "repeat": {
      const { least, most } = lengths(item.item);
      return { least: least * item.min, most: most === 0 ? 0 : most * item.max };
    }
    case "intersection": {
      const parts = item.items.map(lengths);
      return {
        least: parts.reduce((found, part) => Math.max(found, part.least), 0),
        most: parts.reduce((found, part) => Math.min(found, part.most), Infinity),
      };
    }
    default:
      return { least: 0, most: Infinity };
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Characters that a text which is not empty can begin with, or more; `isLast`: end with. */
export function edge(item: Item, isLast: boolean): Ranges {
  spend();
  switch (item.kind) {
    case "text": {
      const character = item.characters.at(isLast ? -1 : 0);
      return character === undefined ? [] : [[character, character]];
    }
    case "class":
      return positive(item);
    case "all": {
      const ranges: (readonly [number, number])[] = [];
      for (const part of isLast ? [...item.items].reverse() : item.items) {
        for (const range of edge(part, isLast)) ranges.push(range);
        if (!isNullable(part)) break;
      }
      return normalized(ranges);
    }
    case "any":
      return normalized(item.items.flatMap((part) => edge(part, isLast)));
    case "repeat":
      return edge(item.item, isLast);
    case "intersection":
      return edge(
        item.items.find((part) => part.kind !== "complement")!,
        isLast,
      );
    default:
      return CHARACTERS;
  }
}
