/** Sources whose grammars are large or take long, as a stranger may send them. */
import type { GrammarSource } from "../../runtime/grammars/types.js";

const listed = <T>(length: number, of: (i: number) => T): T[] => Array.from({ length }, (_, i) => of(i));

/** An object of which half of the properties must be there: a rule for each property and each number of those before it. */
export function counted(properties: number): object {
  const schemas = Object.fromEntries(listed(properties, (i) => [`p${i}`, { type: "string" }]));
  return { type: "object", properties: schemas, minProperties: properties / 2 };
}

/** It takes more than 10 s to prepare, for any vocabulary; a different one for each number. */
export const slowPattern = (n: number): string => listed(300, (i) => `[a-z${n}]{1,2000}${i}`).join("");

/** What would take much time or memory to read. */
export const TOO_MANY_STEPS: Readonly<Record<string, GrammarSource>> = {
  "16 KB of counted properties": { jsonSchema: counted(600) },
  "66 KB of counted properties": { jsonSchema: counted(2500) },
  "counted properties of any kind": {
    jsonSchema: {
      ...counted(0),
      properties: Object.fromEntries(listed(9000, (i) => [`p${i}`, {}])),
      maxProperties: 2000,
    },
  },
  "19 000 optional properties": {
    jsonSchema: { type: "object", properties: Object.fromEntries(listed(19_000, (i) => [`p${i}`, {}])) },
  },
  "18 000 required names": { jsonSchema: { type: "object", required: listed(18_000, (i) => `p${i}`) } },
  "1000 numbers with bounds": {
    jsonSchema: {
      type: "array",
      prefixItems: listed(1000, (i) => ({ type: "number", minimum: -12345.678 - i, maximum: 98765.4321 + i })),
    },
  },
  "9000 schemas that may overlap": { jsonSchema: { oneOf: listed(9000, (i) => ({ const: `v${i}` })) } },
  "repetitions in repetitions": { regex: `${"(".repeat(38)}a|b${")+|c".repeat(38)}` },
  "repetitions of one item": { gbnf: `root ::= "a"${"*".repeat(250_000)}` },
  "6000 repeated choices": { gbnf: `root ::= ${'("a"|"bc")* '.repeat(6000)}` },
  "a large class with many users": {
    gbnf: `root ::= ${"c ".repeat(19_000)}\nc ::= [${listed(2000, (i) => String.fromCodePoint(2 * i + 70_000)).join("")}]`,
  },
  "720 beginnings of one text": { choices: listed(720, (i) => "a".repeat(i + 1)) },
  "a chain of rules": {
    gbnf: `root ::= r3899\n${listed(3900, (i) => `r${i} ::= ${i > 0 ? `r${i - 1}` : '"a"'}`).join("\n")}`,
  },
  "3000 tags": {
    structuralTag: { type: "or", elements: listed(3000, (i) => ({ type: "regex", pattern: `a${i}[b-z]{3,30}` })) },
  },
};

/** Two schemas that are compared without end. */
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
