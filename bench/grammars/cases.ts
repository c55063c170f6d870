/** Grammars of llama.cpp, with the constructs of GBNF, and schemas. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GrammarSource } from "ggsl/grammars/types.js";
import { ROOT } from "../tool.js";

export interface Case {
  readonly name: string;
  readonly source: Extract<GrammarSource, { readonly gbnf: string }> | { readonly jsonSchema: object };
}

const FOLDER = join(ROOT, "build", "llama.cpp", "grammars");

const CONSTRUCTS: Readonly<Record<string, string>> = {
  "a star": 'root ::= "a"*',
  "a plus": "root ::= [a-z]+ [0-9]+",
  "an option": 'root ::= ("a"? "b"? | "cc"){1,6}',
  "exactly four": "root ::= [ab]{4}",
  "at most 100": 'root ::= [a-z ]{0,100} "."',
  "any character": 'root ::= ... "abc" .*',
  "negated classes": 'root ::= [^a-z"\\\\]+ "x" [^0-9]?',
  "letters beyond ASCII": "root ::= [äöüßа-яα-ω ]+",
  "a name": "root ::= [a-zA-Z_] [a-zA-Z0-9_]*",
  "a list of names": 'root ::= name ("," " "? name)*\nname ::= [a-zA-Z_] [a-zA-Z0-9_]*',
  "a sum": 'root ::= term (("+" | "-") term)*\nterm ::= [0-9]+ | "(" root ")"',
  "calls of functions":
    'root ::= call\ncall ::= name "(" (value ("," " "? value)*)? ")"\nvalue ::= call | name | [0-9]+\nname ::= [a-z] [a-z0-9]*',
  "lines of text": 'root ::= ("- " [^\\n]+ "\\n")+',
  "a sentence": 'root ::= [A-Z] [a-z]* (" " [a-z]+)* [.!?]',
  "yes and no": 'root ::= "yes" | "no"',
  "texts that begin alike": 'root ::= "599" | "600" | "641" | "658" | "5971" | "698"',
  "nested lists": 'root ::= "[" (root ("," root)*)? "]" | [0-9]',
  "two ways": "root ::= (a | b)+\na ::= [a-f]+\nb ::= [d-k]+",
  "a date": 'root ::= [0-9]{4} "-" [0-9]{2} "-" [0-9]{2}',
  "an XML element": 'root ::= "<" [a-z]+ ">" ([^<] | root)* "</" [a-z]+ ">"',
};

const text = { type: "string" };
const object = (properties: object, required = Object.keys(properties)): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object): object => ({ type: "array", items });

/** Each alone, required, optional, and in a list. */
const VALUES: Readonly<Record<string, object>> = {
  text,
  "text of 5 to 200 characters": { type: "string", minLength: 5, maxLength: 200 },
  integer: { type: "integer" },
  "integer from 1 to 1000": { type: "integer", minimum: 1, maximum: 1000 },
  number: { type: "number" },
  enum: { enum: ["red", "green", "blue", "rebecca purple"] },
  pattern: { type: "string", pattern: "^[A-Z]{2}-[0-9]{3,5}$" },
  "two types": { type: ["string", "null"] },
  "list of texts": list(text),
  person: object({ name: text, age: { type: "integer" }, tags: list(text) }),
};

const SCHEMAS = Object.entries(VALUES).flatMap(([name, value]) =>
  Object.entries({
    [name]: value,
    [`${name}, required`]: object({ kind: { const: "a" }, value, note: text }),
    [`${name}, optional`]: object({ first: { type: "boolean" }, value, last: text }, ["last"]),
    [`${name}, in a list`]: list(object({ value })),
  }),
);

export const CASES: readonly Case[] = [
  ...readdirSync(FOLDER)
    .filter((file) => file.endsWith(".gbnf"))
    .map((file) => ({ name: file, source: { gbnf: readFileSync(join(FOLDER, file), "utf8") } })),
  ...Object.entries(CONSTRUCTS).map(([name, gbnf]) => ({ name, source: { gbnf } })),
  ...SCHEMAS.map(([name, jsonSchema]) => ({ name, source: { jsonSchema } })),
];
