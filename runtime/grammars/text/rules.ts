/** A grammar as rules over characters, and its form in XGrammar's EBNF. */

/** Ranges of code points, both ends included. */
export type Ranges = readonly (readonly [from: number, to: number])[];

export type Item =
  | { readonly kind: "text"; readonly characters: readonly number[] }
  | { readonly kind: "class"; readonly ranges: Ranges; readonly isNegated: boolean }
  | { readonly kind: "rule"; readonly name: string }
  | { readonly kind: "all"; readonly items: readonly Item[] }
  | { readonly kind: "any"; readonly items: readonly Item[] }
  | { readonly kind: "repeat"; readonly item: Item; readonly min: number; readonly max: number };

export const ROOT = "root";

/** The rules by name; `root` is the text. */
export type Rules = ReadonlyMap<string, Item>;

export const text = (characters: readonly number[]): Item => ({ kind: "text", characters });
export const textOf = (value: string): Item => text(Array.from(value, (character) => character.codePointAt(0)!));
export const all = (items: readonly Item[]): Item => (items.length === 1 ? items[0]! : { kind: "all", items });
export const any = (items: readonly Item[]): Item => (items.length === 1 ? items[0]! : { kind: "any", items });

export const LAST_CHARACTER = 0x10ffff;

/** The characters that are in none of the ranges; the zero character is in no text. */
export function complement(ranges: Ranges): Ranges {
  const result: [number, number][] = [];
  let next = 1;
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (from > next) result.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= LAST_CHARACTER) result.push([next, LAST_CHARACTER]);
  return result;
}

/** The grammar in XGrammar's form. Rules have other names, since some names mean something there. */
export function toEbnf(rules: Rules): string {
  const names = new Map([...rules.keys()].map((name, i) => [name, name === ROOT ? ROOT : `r${i}`]));
  return [...rules].map(([name, item]) => `${names.get(name)!} ::= ${printed(item, names, false)}`).join("\n");
}

function printed(item: Item, names: ReadonlyMap<string, string>, isInside: boolean): string {
  const inside = (text: string): string => (isInside ? `(${text})` : text);
  switch (item.kind) {
    case "text":
      return `"${item.characters.map(escaped).join("")}"`;
    case "class":
      return printedClass(item.ranges, item.isNegated);
    case "rule":
      return names.get(item.name)!;
    case "all":
      return item.items.length === 0 ? '""' : inside(item.items.map((part) => printed(part, names, true)).join(" "));
    case "any":
      return inside(item.items.map((part) => printed(part, names, true)).join(" | "));
    case "repeat":
      return `${printed(item.item, names, true)}${times(item.min, item.max)}`;
  }
}

/** XGrammar reads what a negated class leaves out as bytes, so only ASCII. */
function printedClass(ranges: Ranges, isNegated: boolean): string {
  const isShort = isNegated && ranges.every(([, to]) => to < 128);
  // without the zero character, which is in no text
  if (isShort) return `[^${classText([[0, 0], ...ranges])}]`;
  const positive = isNegated ? complement(ranges) : ranges;
  return `[${classText(positive)}]`;
}

const classText = (ranges: Ranges): string =>
  ranges.map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`)).join("");

function times(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === 0 && max === 1 ? "?" : `{${min},${max}}`;
}

const escaped = (character: number): string =>
  /^[A-Za-z0-9 ]$/.test(String.fromCodePoint(character))
    ? String.fromCodePoint(character)
    : `\\U${character.toString(16).padStart(8, "0")}`;
