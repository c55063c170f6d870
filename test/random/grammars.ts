/** Grammars of random programs: small ones whose texts can be listed, with the rules that each of their characters is in. */
import * as fc from "fast-check";
import { listTexts, type Part } from "../grammars/derivations.js";
import type { Snippet } from "./text.js";

const text = (value: string): Part => ({ kind: "text", value });
const rule = (name: string): Part => ({ kind: "rule", name });
const all = (...parts: Part[]): Part => ({ kind: "all", parts });
const any = (...parts: Part[]): Part => ({ kind: "any", parts });
const times = (part: Part, min: number, max: number): Part => ({ kind: "times", part, min, max });

/** The most characters of a text in the meaning of a program: those of the tokens of four steps, and one that is next. */
const LONGEST = 10;

/** `in_string` asks about the rule `characters`. The texts have the characters of the first tokens of `vocabularyOf`. */
const GRAMMARS: readonly Readonly<Record<string, Part>>[] = [
  // a rule that may be over, go on, or be that of the next part
  {
    root: all(rule("word"), times(rule("characters"), 0, 2), text("7")),
    word: times(any(text("a"), text("b")), 1, 3),
    characters: any(text("ab"), text(" a"), text("a7")),
  },
  // a text with two readings
  {
    root: any(all(rule("one"), text("b")), rule("two")),
    one: times(text("a"), 1, 4),
    two: all(text("a"), rule("characters")),
    characters: any(text("a 7"), text("b"), text("")),
  },
  // recursion
  {
    root: any(rule("characters"), all(rule("characters"), rule("root"))),
    characters: any(text("a"), all(text("7"), rule("root"), text("b"))),
  },
];

const LISTED = GRAMMARS.map((grammar) => ({ ...listTexts(grammar, LONGEST), rules: Object.keys(grammar) }));

/** A grammar as GBNF, with the names of its rules. */
export const grammarChoices: fc.Arbitrary<{ readonly gbnf: string; readonly rules: readonly string[] }> =
  fc.constantFrom(...LISTED);

/** The texts of one of them. */
export const textsOf = (gbnf: string) => LISTED.find((one) => one.gbnf === gbnf)!.texts;

/** Whether a grammar stands in one of its rules; `false` where there is none. */
export const stands: Snippet = fc.tuple(fc.nat({ max: 7 }), fc.boolean()).map(([which, isString]) => ({ grammar }) => {
  if (!grammar) return "false";
  const { name, rules } = grammar;
  return isString ? `in_string(${name})` : `in_rule(${name}, "${rules[which % rules.length]!}")`;
});

/** Whether it allows each token. */
export const allows: Snippet = fc.constant(({ grammar }) => (grammar ? `allowed(${grammar.name})` : "(prob > 0.1)"));
