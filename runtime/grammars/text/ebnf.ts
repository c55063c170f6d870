/** XGrammar's form of a grammar. */
import { spend } from "../budget.js";
import { factored } from "./factored.js";
import { flat } from "./flat.js";
import { lookaheads } from "./follow.js";
import {
  all,
  any,
  classText,
  complement,
  escaped,
  LAST_CHARACTER,
  normalized,
  OnlyLlama,
  quotedText,
  ROOT,
  text,
  times,
  withoutForm,
  type Item,
  type Ranges,
  type Rules,
} from "./rules.js";

const FIRST_WIDE = 0x80;
/** Characters above ASCII that a class can have when they are written out. */
const MOST_WIDE = 256;

/** A class as XGrammar knows them: ASCII, and all characters above it or some that are written out. */
interface Simple {
  readonly ascii: Ranges;
  readonly wide: "all" | readonly number[];
}

type Class = Item & { readonly kind: "class" };

const positive = ({ ranges, isNegated }: Class): Ranges => (isNegated ? complement(ranges) : ranges);

/** Throws `OnlyLlama`. */
function simpleClass(item: Class): Simple {
  const ranges = normalized(positive(item).filter(([, to]) => to > 0));
  const ascii = ranges.flatMap(([from, to]) =>
    from < FIRST_WIDE ? [[Math.max(from, 1), Math.min(to, FIRST_WIDE - 1)] as const] : [],
  );
  const wide = ranges.flatMap(([from, to]) => (to >= FIRST_WIDE ? [[Math.max(from, FIRST_WIDE), to] as const] : []));
  if (wide.length === 1 && wide[0]![0] === FIRST_WIDE && wide[0]![1] === LAST_CHARACTER) return { ascii, wide: "all" };
  const count = wide.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  if (count > MOST_WIDE) throw new OnlyLlama(`a class with ${count} characters above ASCII, and not all of them`);
  return { ascii, wide: wide.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n)) };
}

/**
 * The same grammar with larger classes: alternatives of one character each are one class, also those behind the name of a rule.
 * XGrammar works out most of a mask beforehand inside of a rule, and all of it anew where a token crosses the end of one.
 */
function simplified(rules: Rules): Rules {
  const classes = new Map<string, Ranges>();
  const rangesOf = (item: Item): Ranges | undefined => {
    spend();
    switch (item.kind) {
      case "class":
        return positive(item);
      case "text":
        return item.characters.length === 1 ? [[item.characters[0]!, item.characters[0]!]] : undefined;
      case "rule":
        return classes.get(item.name);
      case "any": {
        const all = item.items.map(rangesOf);
        return all.every((ranges) => ranges !== undefined) ? all.flat() : undefined;
      }
      case "all":
        return item.items.length === 1 ? rangesOf(item.items[0]!) : undefined;
      case "repeat":
        return undefined;
      default:
        return withoutForm(item);
    }
  };
  // from the last one on: most rules use those that come after them
  const backwards = [...rules].reverse();
  for (let before = -1; before !== classes.size;) {
    before = classes.size;
    for (const [name, item] of backwards) {
      const ranges = classes.has(name) ? undefined : rangesOf(item);
      if (ranges) classes.set(name, normalized(ranges));
    }
  }
  const inner = (item: Item): Item => {
    spend();
    const ranges = item.kind === "text" ? undefined : rangesOf(item);
    if (ranges) return { kind: "class", ranges: normalized(ranges), isNegated: false };
    if (item.kind === "all" || item.kind === "any") return { ...item, items: item.items.map(inner) };
    return item.kind === "repeat" ? { ...item, item: inner(item.item) } : item;
  };
  const kept = [...rules].filter(([name]) => name === ROOT || !classes.has(name));
  return new Map(kept.map(([name, item]) => [name, inner(item)]));
}

/** No sequence in a sequence. */
function spread(item: Item): readonly Item[] {
  spend();
  return item.kind === "all" ? item.items.flatMap(spread) : [item];
}

type Star = Item & { readonly kind: "repeat"; readonly item: Item & { readonly kind: "any" } };
const isStar = (item: Item): item is Star =>
  item.kind === "repeat" && item.item.kind === "any" && item.max === Infinity && item.min <= 1;

/**
 * Repeated alternatives as rules that end with themselves: `(a | b)* c` is `r ::= c | a r | b r`, so that the end of an alternative
 * is not the end of a rule. What follows is in the rule, or all rules that a text is in could end after each alternative.
 */
function unrolled(rules: Rules): Rules {
  const result = new Map<string, Item>();
  let count = 0;
  const star = (item: Item & { readonly kind: "any" }, after: readonly Item[]): Item => {
    // names of GBNF have no blank
    const name = `star ${++count}`;
    const rest: Item = { kind: "rule", name };
    const classes = item.items.filter((part) => part.kind === "class" && isOneClass(part)) as Class[];
    const parts = item.items
      .filter((part) => !(classes as Item[]).includes(part))
      .map(inner)
      .map((part) => (part.kind === "all" ? part.items : [part]));
    const others = any([after.length === 0 ? text([]) : all(after), ...parts.map((part) => all([...part, rest]))]);
    // a class repeats in place, which costs the same after any number of characters
    const ranges = normalized(classes.flatMap((part) => positive(part)));
    const repeated: Item = {
      kind: "repeat",
      min: 0,
      max: Infinity,
      item: { kind: "class", ranges, isNegated: false },
    };
    result.set(name, classes.length > 0 ? all([repeated, others]) : others);
    return rest;
  };
  const inner = (item: Item): Item => {
    spend();
    if (item.kind === "all") return all(sequence(item.items.flatMap(spread)));
    if (item.kind === "any") return { ...item, items: item.items.map(inner) };
    if (item.kind !== "repeat") return item;
    return isStar(item) ? all(sequence([item])) : { ...item, item: inner(item.item) };
  };
  const sequence = (items: readonly Item[]): Item[] => {
    spend(items.length);
    const at = items.findIndex(isStar);
    if (at < 0) return items.map(inner);
    const { item, min } = items[at] as Star;
    const before = items.slice(0, at).map(inner);
    return [...before, ...(min === 0 ? [] : [inner(item)]), star(item, sequence(items.slice(at + 1)))];
  };
  for (const [name, item] of rules) result.set(name, inner(item));
  return result;
}

/** The same grammar, in which no two alternatives begin alike. */
function withFactors(rules: Rules): Rules {
  const result = new Map<string, Item>();
  let count = 0;
  const name = (item: Item): Item => {
    const rule = `rest ${++count}`;
    result.set(rule, item);
    return { kind: "rule", name: rule };
  };
  for (const [rule, item] of rules) result.set(rule, factored(item, name));
  return result;
}

/** The same grammar with few ends of rules, which cost time in each mask, and each group a rule. Throws `OnlyLlama`. */
export const rewritten = (given: Rules): Rules => reachable(flat(withFactors(unrolled(simplified(given))), isOneClass));

/** The grammar in XGrammar's form. Throws `OnlyLlama`. */
export function toEbnf(given: Rules): string {
  const rules = rewritten(given);
  const after = lookaheads(rules);
  // other names, since some mean something there
  const names = new Map([...rules.keys()].map((name, i) => [name, name === ROOT ? ROOT : `r${i}`]));
  const line = ([name, item]: readonly [string, Item]): string => {
    const body = printed(item, names, false);
    const ranges = after.get(name) ?? [];
    // nothing follows, or only the end of the text
    if (name === ROOT || ranges.length === 0) return `${names.get(name)!} ::= ${body}`;
    return `${names.get(name)!} ::= (${body}) (= ${printedClass({ kind: "class", ranges, isNegated: false })})`;
  };
  return [...rules].map(line).join("\n");
}

/** Without the rules that no text needs, which would say of others what follows them. */
function reachable(rules: Rules): Rules {
  const found = new Set([ROOT]);
  const visit = (item: Item): void => {
    spend();
    if (item.kind === "rule") found.add(item.name);
    if (item.kind === "repeat") visit(item.item);
    if (item.kind === "all" || item.kind === "any") item.items.forEach(visit);
  };
  // a set visits what is added on the way
  for (const name of found) visit(rules.get(name)!);
  return new Map([...rules].filter(([name]) => found.has(name)));
}

/** Whether it is one class there, and not alternatives. */
function isOneClass(item: Item): boolean {
  if (item.kind !== "class") return false;
  const { ascii, wide } = simpleClass(item);
  return wide === "all" || (wide.length === 0 && ascii.length > 0);
}

function printed(item: Item, names: ReadonlyMap<string, string>, isInside: boolean): string {
  const inside = (text: string): string => (isInside ? `(${text})` : text);
  spend();
  switch (item.kind) {
    case "text":
      return quotedText(item.characters);
    case "class":
      return printedClass(item);
    case "rule":
      return names.get(item.name)!;
    case "all":
      return item.items.length === 0 ? '""' : inside(item.items.map((part) => printed(part, names, true)).join(" "));
    case "any":
      return inside(item.items.map((part) => printed(part, names, true)).join(" | "));
    case "repeat":
      return `${printed(item.item, names, true)}${times(item.min, item.max)}`;
    default:
      return withoutForm(item);
  }
}

function printedClass(item: Class): string {
  const { ascii, wide } = simpleClass(item);
  // without the zero character, which is in no text
  if (wide === "all") return `[^${classText([[0, 0], ...complement([...ascii, [FIRST_WIDE, LAST_CHARACTER]])])}]`;
  const written = wide.map((character) => `"${escaped(character)}"`);
  const parts = [...(ascii.length > 0 ? [`[${classText(ascii)}]`] : []), ...written];
  if (parts.length === 0) throw new OnlyLlama("a class without characters");
  return parts.length === 1 ? parts[0]! : `(${parts.join(" | ")})`;
}
