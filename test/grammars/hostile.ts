/** Sources whose grammars are large or take long, as a stranger may send them. */
import type { GrammarSource } from "../../runtime/grammars/types.js";

const listed = <T>(length: number, of: (i: number) => T): T[] => Array.from({ length }, (_, i) => of(i));

const named = (count: number, value: (i: number) => object): object =>
  Object.fromEntries(listed(count, (i) => [`p${i}`, value(i)]));

/** An object of which half of the properties must be there. */
export const counted = (properties: number): object => ({
  type: "object",
  properties: named(properties, () => ({ type: "string" })),
  additionalProperties: false,
  minProperties: properties / 2,
});

/** Names that can match several patterns; it takes a second or more to read, then too many steps. A different one for each number. */
export const slow = (n: number): GrammarSource => ({
  jsonSchema: {
    title: `${n}`,
    type: "object",
    patternProperties: Object.fromEntries(listed(12, (i) => [`a.{${i}}b`, { type: "string", maxLength: i }])),
  },
});

/** What would take much time or memory to read. */
export const TOO_MANY_STEPS: Readonly<Record<string, GrammarSource>> = {
  "names that match several patterns": slow(0),
  "1000 looks ahead": { regex: "(?=a)(b|c?)".repeat(1000) },
  "3000 letters of any script": { regex: "\\p{L}".repeat(3000) },
  "9000 schemas that may overlap": { jsonSchema: { oneOf: listed(9000, (i) => ({ const: `v${i}` })) } },
  "40 objects of which one is right": {
    jsonSchema: {
      oneOf: listed(40, (i) => ({ type: "object", properties: named(10, (n) => ({ minimum: i + n })) })),
    },
  },
  "repetitions of one item": { gbnf: `root ::= "a"${"*".repeat(250_000)}` },
};

/** What is read, and has a text whose tokens take too many steps, or takes many for each token. */
export const EXPENSIVE: Readonly<Record<string, GrammarSource>> = {
  "two ways to double": { gbnf: 'root ::= "a" root | [a-zA-Z ] root root | ""' },
  "200 stars": { gbnf: `root ::= ${"[a-zA-Z ]* ".repeat(200)}` },
  "6000 repeated choices": { gbnf: `root ::= ${'("a"|"bc")* '.repeat(6000)}` },
  "19 000 optional properties": { jsonSchema: { type: "object", properties: named(19_000, () => ({})) } },
  "18 000 required names": { jsonSchema: { type: "object", required: listed(18_000, (i) => `p${i}`) } },
  "repetitions in repetitions": { regex: `${"(".repeat(38)}a|b${")+|c".repeat(38)}` },
  "a letter before the last 13": { regex: "^.*a.{12}$" },
};

/** Two schemas that need each other's values. */
export const ENDLESS: GrammarSource = {
  jsonSchema: {
    $defs: Object.fromEntries(
      ["a", "b"].map((name) => [
        name,
        { type: "object", required: ["x"], properties: { x: { $ref: `#/$defs/${name}` } } },
      ]),
    ),
    oneOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }],
  },
};
