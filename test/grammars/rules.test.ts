/**
 * Rules that programs ask about: whether the next byte may be one of a rule. The oracle lists all texts of a small grammar with the rules of
 * each of their bytes: a scanner of JSON for schemas, a derivation of its own for GBNF. A rule may go on after a beginning if some text with
 * this beginning has its next byte in it.
 */
import { describe, expect, test } from "@jest/globals";
import { openGrammar } from "../../runtime/grammars/open.js";
import type { GrammarSource, GrammarState } from "../../runtime/grammars/types.js";
import { listTexts, type Labelled, type Part } from "./derivations.js";
import { labelledJson } from "./jsonLabels.js";

const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));
const vocabulary = { pieces: BYTES, tokenize: () => new Int32Array() };

const begin = (source: GrammarSource, rules: readonly string[]): GrammarState =>
  openGrammar({ ...source, rules }, { vocabulary, now: true });

/** Compares the rules at all beginnings of the texts, each with its next byte. */
function compare(start: GrammarState, rules: readonly string[], texts: readonly Labelled[], most = Infinity): number {
  const wanted = new Map<string, Set<string>>();
  for (const { text, labels } of texts)
    for (let at = 0; at <= Math.min(text.length, most); at++) {
      const beginning = text.slice(0, at);
      const known = wanted.get(beginning) ?? new Set<string>();
      for (const label of labels[at] ?? []) known.add(label);
      wanted.set(beginning, known);
    }
  for (const [beginning, names] of wanted) {
    let state = start;
    for (const byte of Buffer.from(beginning, "latin1")) state = state.accept(byte);
    const found = rules.filter((_, i) => ((state.rules!() >>> i) & 1) === 1);
    expect([beginning, found]).toEqual([beginning, rules.filter((rule) => names.has(rule))]);
  }
  return wanted.size;
}

const JSON_RULES = ["key", "string", "number", "literal", "object", "array", "characters"];

/** Values of each schema, all of them. */
const SCHEMAS: readonly (readonly [object, readonly unknown[]])[] = [
  [{ enum: ["red", 12, 120, true, null, { a: "b" }, ["x", 1]] }, ["red", 12, 120, true, null, { a: "b" }, ["x", 1]]],
  [
    {
      type: "object",
      properties: { name: { enum: ["a", 'q"\\'] }, age: { enum: [1, 15] }, tags: { enum: [[], ["a"], ["a", "b"]] } },
      required: ["name"],
      additionalProperties: false,
    },
    ["a", 'q"\\'].flatMap((name) =>
      [undefined, 1, 15].flatMap((age) =>
        [undefined, [], ["a"], ["a", "b"]].map((tags) => ({ name, ...(age && { age }), ...(tags && { tags }) })),
      ),
    ),
  ],
  [
    { type: "array", items: { type: "boolean" }, maxItems: 2 },
    [[], [true], [false], [true, false], [true, true], [false, true], [false, false]],
  ],
  [{ type: "string", pattern: "^[ab]{1,2}$" }, ["a", "b", "aa", "ab", "ba", "bb"]],
  [
    { type: "array", items: { enum: ["a", 1, true] }, uniqueItems: true, minItems: 2, maxItems: 2 },
    [
      ["a", 1],
      ["a", true],
      [1, "a"],
      [1, true],
      [true, "a"],
      [true, 1],
    ],
  ],
];

describe("the rules of JSON schemas", () => {
  test.each(SCHEMAS)("%j", (jsonSchema, values) => {
    const start = begin({ jsonSchema, whitespace: "none" }, JSON_RULES);
    const texts = values.map((value) => labelledJson(JSON.stringify(value)));
    expect(compare(start, JSON_RULES, texts)).toBeGreaterThan(5);
  });

  test("texts of any length: within a string is between its quotes", () => {
    const start = begin({ jsonSchema: {}, whitespace: "line" }, ["characters", "key"]);
    const text = String.raw`{"a \"key\"": ["x, y", -1.5e3, {"": "}"}], "é": null}`;
    const { labels } = labelledJson(text);
    let state = start;
    const bytes = Buffer.from(text);
    let at = 0;
    for (const character of text) {
      expect([at, (state.rules!() & 1) === 1]).toEqual([at, labels[at]!.has("characters")]);
      // once a byte of it is read, a key is no other string
      if (labels[at]!.has("characters")) expect([at, (state.rules!() & 2) !== 0]).toEqual([at, labels[at]!.has("key")]);
      for (const byte of Buffer.from(character)) state = state.accept(byte);
      at += character.length;
    }
    expect(at).toBeGreaterThan(40);
    expect(bytes.length).toBeGreaterThan(at);
  });
});

const text = (value: string): Part => ({ kind: "text", value });
const rule = (name: string): Part => ({ kind: "rule", name });
const all = (...parts: Part[]): Part => ({ kind: "all", parts });
const any = (...parts: Part[]): Part => ({ kind: "any", parts });
const times = (part: Part, min: number, max: number): Part => ({ kind: "times", part, min, max });

/** Grammars, and the length from which texts are not listed. */
const GRAMMARS: readonly (readonly [Readonly<Record<string, Part>>, number])[] = [
  // a text with two readings, which part in the middle
  [
    {
      root: any(all(rule("one"), text("!")), rule("two")),
      one: text("abc"),
      two: all(text("ab"), rule("three")),
      three: any(text("c?"), text("d")),
    },
    20,
  ],
  // a rule that may be over, or go on, or be empty
  [
    {
      root: all(rule("word"), rule("mark"), text(".")),
      word: times(any(text("a"), text("b")), 1, 3),
      mark: any(text(""), text("!"), text("a!")),
    },
    20,
  ],
  // recursion, to the right and in the middle
  [
    {
      root: rule("list"),
      list: any(rule("item"), all(rule("item"), text(","), rule("list"))),
      item: any(text("x"), all(text("("), rule("list"), text(")"))),
    },
    9,
  ],
  [{ root: any(all(text("a"), rule("other")), text("z")), other: any(all(text("b"), rule("root")), text("y")) }, 14],
  [
    {
      root: all(rule("pair"), rule("pair")),
      pair: all(rule("part"), times(rule("part"), 0, 2)),
      part: any(text("p"), text("pq")),
    },
    20,
  ],
];

test.each(GRAMMARS)("the rules of GBNF %#", (grammar, longest) => {
  const names = Object.keys(grammar);
  const { gbnf, texts } = listTexts(grammar, longest);
  // beginnings whose next bytes are all listed
  const most = longest >= 20 ? Infinity : Math.floor(longest / 2);
  expect(compare(begin({ gbnf }, names), names, texts, most)).toBeGreaterThan(5);
});

test("a grammar in a structural tag has its rules there", () => {
  const structuralTag = {
    type: "tag",
    begin: "<",
    content: {
      type: "sequence",
      elements: [
        { type: "grammar", grammar: 'root ::= digits "-"\ndigits ::= [0-9]+' },
        { type: "json_schema", json_schema: { type: "string" } },
      ],
    },
    end: ">",
  };
  const rules = ["digits", "string"];
  const places: [string, number][] = [
    ["", 0],
    ["<", 1],
    ["<7", 1],
    ["<7-", 2],
    ['<7-"x', 2],
    ['<7-"x"', 0],
  ];
  for (const [beginning, wanted] of places) {
    let state = begin({ structuralTag }, rules);
    for (const byte of Buffer.from(beginning)) state = state.accept(byte);
    expect([beginning, state.rules!()]).toEqual([beginning, wanted]);
  }
});

test("the same texts as without rules", () => {
  const gbnf = 'root ::= word (" " word)*\nword ::= [a-c]+ | "(" root ")"';
  const [plain, marked] = [openGrammar({ gbnf }, { vocabulary, now: true }), begin({ gbnf }, ["word", "root"])];
  let [a, b] = [plain, marked];
  for (const byte of Buffer.from("ab (c (a) b) c")) {
    expect([...b.bits()]).toEqual([...a.bits()]);
    [a, b] = [a.accept(byte), b.accept(byte)];
  }
  expect([...b.bits()]).toEqual([...a.bits()]);
});

test.each([
  [
    { gbnf: 'root ::= word\nword ::= "a"' },
    "wrod",
    'the grammar has no rule "wrod", which `in_rule` asks about: did you mean "word"? It has "root", "word"',
  ],
  [
    { jsonSchema: {} },
    "keys",
    'the JSON schema has no rule "keys", which `in_rule` asks about: did you mean "key"? It has "key", "string", "number", "literal", "object", "array", "characters"',
  ],
  [
    { regex: "a+" },
    "word",
    'the regular expression has no rule "word", which `in_rule` asks about: it has no rules with names',
  ],
  [{ gbnf: 'root ::= "a"' }, "characters", "the grammar has no strings of JSON, which `in_string` asks about"],
] as const)("a rule that a source has not: %j", (source, name, message) => {
  expect(() => begin(source, [name])).toThrow(
    expect.objectContaining({ code: "UNKNOWN_RULE", message: expect.stringContaining(message) as unknown }),
  );
});

test("names that are no names", () => {
  expect(() => begin({ gbnf: 'root ::= "a"' }, [""])).toThrow(
    "`rules` must be a list of at most 32 names of 1 to 100 characters",
  );
});
