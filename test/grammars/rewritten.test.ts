/**
 * The rewriting of grammars for XGrammar, compared with a calculation of its own: all texts of a grammar up to a length, and by
 * them the characters that follow each rule.
 */
import { expect, test } from "@jest/globals";
import { rewritten } from "../../runtime/grammars/text/ebnf.js";
import { flat } from "../../runtime/grammars/text/flat.js";
import { lookaheads } from "../../runtime/grammars/text/follow.js";
import { readGbnf } from "../../runtime/grammars/text/gbnf.js";
import { ROOT, withoutForm, type Item, type Ranges, type Rules } from "../../runtime/grammars/text/rules.js";
import { randomIntegers } from "./walk.js";

const ALPHABET = ["a", "b", "c", "d", "é"];
const LENGTH = 5;
/** Of random grammars, which have more texts. */
const SHORT = 3;

const contains = (ranges: Ranges, character: string): boolean =>
  ranges.some(([from, to]) => from <= character.codePointAt(0)! && character.codePointAt(0)! <= to);

/** The end of a use of the marked rule; it has no length, and several at one place are one. */
const MARK = "\u0001";
const lengthOf = (text: string): number => text.replaceAll(MARK, "").length;

function joined(heads: ReadonlySet<string>, tails: ReadonlySet<string>, most: number): Set<string> {
  const result = new Set<string>();
  for (const head of heads)
    for (const tail of tails)
      if (lengthOf(head) + lengthOf(tail) <= most) result.add((head + tail).replace(/\u0001+/g, MARK));
  return result;
}

type Texts = ReadonlyMap<string, ReadonlySet<string>>;

/** The texts of an item, where `known` has some of each rule's. */
function textsOfItem(item: Item, known: Texts, marked: string | undefined, most: number): ReadonlySet<string> {
  const inner = (part: Item): ReadonlySet<string> => textsOfItem(part, known, marked, most);
  switch (item.kind) {
    case "text": {
      const text = String.fromCodePoint(...item.characters);
      return new Set(text.length <= most ? [text] : []);
    }
    case "class":
      return new Set(ALPHABET.filter((character) => contains(item.ranges, character) !== item.isNegated));
    case "rule":
      return item.name === marked ? joined(known.get(item.name)!, new Set([MARK]), most) : known.get(item.name)!;
    case "all":
      return item.items.reduce<ReadonlySet<string>>((heads, part) => joined(heads, inner(part), most), new Set([""]));
    case "any":
      return new Set(item.items.flatMap((part) => [...inner(part)]));
    case "repeat": {
      const one = inner(item.item);
      const result = new Set<string>();
      let texts: ReadonlySet<string> = new Set([""]);
      for (let count = 0; count <= item.max && texts.size > 0; count++) {
        const before = result.size;
        if (count >= item.min) for (const text of texts) result.add(text);
        if (count >= item.min && result.size === before) break;
        texts = joined(texts, one, most);
      }
      return result;
    }
    default:
      return withoutForm(item);
  }
}

/** All texts of each rule up to a length: the least solution, from none. */
function textsOf(rules: Rules, marked?: string, most = LENGTH): Texts {
  let known: Texts = new Map([...rules.keys()].map((name) => [name, new Set<string>()]));
  const size = (texts: Texts): number => [...texts.values()].reduce((sum, { size }) => sum + size, 0);
  for (let before = -1; before !== size(known);) {
    before = size(known);
    known = new Map([...rules].map(([name, item]) => [name, textsOfItem(item, known, marked, most)]));
  }
  return known;
}

const sorted = (texts: Iterable<string>): string[] => [...texts].sort();
const ofRoot = (rules: Rules, most = LENGTH): string[] => sorted(textsOf(rules, undefined, most).get(ROOT)!);

/** The characters after the uses of a rule, in all texts up to a length. */
function followersOf(rules: Rules, name: string, most = LENGTH): string[] {
  const found = new Set<string>();
  for (const text of textsOf(rules, name, most).get(ROOT)!)
    for (const [, character] of text.matchAll(/\u0001(.)/gu)) found.add(character!);
  return sorted(found);
}

const isWritten = (item: Item): boolean =>
  item.kind === "class" && (item.isNegated || item.ranges.every(([, to]) => to < 0x80));

const GRAMMARS = {
  "classes and texts in a repeat": 'root ::= ([a] | [b] | "cd")*',
  "the same between texts": 'root ::= "a" ([a] | [b] | "cd")* "d"',
  "a negated class": 'root ::= ([^a] | "ab")* "a"',
  "at least one": 'root ::= ("ab" | "c")+ [bd]?',
  "a repeat in a repeat": 'root ::= (([ab] | "cd")* "c")* "d"',
  "an empty alternative in a repeat": 'root ::= ("" | "a" | "bc")* "b"',
  "counts of classes": "root ::= [ab]{2,3} [c]{0,2} [d]{1,}",
  "more copies than are written out": "root ::= [ab]{0,40} [c]{33,} | [d]{2,40}",
  "counts of groups": 'root ::= ("ab" | [c]){1,3} "d"{2} (a | "b"){0}\na ::= "a"',
  "alternatives that begin alike": 'root ::= ("abc" | "abd" | "acd" | "bcd" | "a") "d"?',
  "alternatives that begin and end alike": 'root ::= "cdd" | "cda" | "dba" | "db" ("a" | "d")',
  "a rule in several places": 'root ::= x "a" | x "b" | "c" x\nx ::= "c" | "d" x',
  "a rule that ends with itself": 'root ::= x "é"\nx ::= [ab] x | "c"',
  "a rule that begins with itself": 'root ::= "a" x "d"\nx ::= "b" | "a" x "b" | y\ny ::= "c" | "c" y',
  "recursion through an empty rule": 'root ::= e x e\nx ::= "a" | "b" x "c"\ne ::= "" | "d"',
  "characters above ASCII": 'root ::= ("é" | [a] | "b" [cé])* [é-ê]',
  "any characters": "root ::= .{0,2} [^c] [^a-d]?",
  "the end of a text": 'root ::= "a" (x | "b")\nx ::= ("c" | "d")?',
} as const;

test.each(Object.entries(GRAMMARS))("%s: the same texts, and what follows each rule", (_, gbnf) => {
  const rules = readGbnf(gbnf);
  check(rules);
  expect(ofRoot(rules).length).toBeGreaterThan(0);
});

test("by hand: classes and texts in a repeat", () => {
  const rules = readGbnf('root ::= ([a] | [b] | "cd")*');
  const all = new Set<string>();
  const grow = (text: string): void => {
    if (text.length > LENGTH || all.has(text)) return;
    all.add(text);
    for (const part of ["a", "b", "cd"]) grow(text + part);
  };
  grow("");
  expect(ofRoot(rules)).toEqual(sorted(all));
  expect(ofRoot(rewritten(rules))).toEqual(sorted(all));
});

/** The same texts as before, and lookaheads that are exactly what the texts show. */
function check(rules: Rules): void {
  const texts = ofRoot(rules);
  expect(ofRoot(flat(rules, isWritten))).toEqual(texts);
  const whole = rewritten(rules);
  expect(ofRoot(whole)).toEqual(texts);
  for (const [name, ranges] of lookaheads(whole)) {
    const shown = followersOf(whole, name);
    expect({ name, follow: ALPHABET.filter((one) => contains(ranges, one)) }).toEqual({ name, follow: shown });
  }
}

test("random grammars: the same texts, and what follows each rule", () => {
  const random = randomIntegers(7);
  let checked = 0;
  for (let i = 0; i < 150; i++) {
    const rules = randomRules(random);
    const known = textsOf(rules, undefined, 3);
    // every rule has a short text, so that the texts show all that can follow
    if ([...known.values()].some((texts) => texts.size === 0)) continue;
    const whole = rewritten(rules);
    expect({ i, texts: ofRoot(whole, SHORT) }).toEqual({ i, texts: ofRoot(rules, SHORT) });
    for (const [name, ranges] of lookaheads(whole))
      for (const character of followersOf(whole, name, SHORT))
        expect({ i, name, character, isIn: contains(ranges, character) }).toMatchObject({ isIn: true });
    checked++;
  }
  expect(checked).toBeGreaterThan(75);
});

function randomRules(random: (below: number) => number): Rules {
  const names = [ROOT, "x", "y"];
  const character = (): number => ALPHABET[random(3) === 0 ? 4 : random(4)]!.codePointAt(0)!;
  const item = (depth: number): Item => {
    const parts = (): Item[] => Array.from({ length: 1 + random(3) }, () => item(depth - 1));
    switch (random(depth > 0 ? 6 : 3)) {
      case 0:
        return { kind: "text", characters: Array.from({ length: random(3) }, character) };
      case 1: {
        const characters = Array.from({ length: 1 + random(2) }, character);
        // XGrammar has no class of all characters above ASCII but some
        const isNegated = random(4) === 0 && characters.every((one) => one < 0x80);
        return { kind: "class", ranges: characters.map((one) => [one, one] as const), isNegated };
      }
      case 2:
        return random(2) === 0
          ? { kind: "text", characters: [character()] }
          : { kind: "rule", name: names[1 + random(2)]! };
      case 3:
        return { kind: "all", items: parts() };
      case 4:
        return { kind: "any", items: parts() };
      default: {
        const min = random(3);
        return { kind: "repeat", item: item(depth - 1), min, max: random(2) === 0 ? Infinity : min + random(3) };
      }
    }
  };
  return new Map(names.map((name) => [name, item(2)]));
}
