/** Damaged grammars in each of their forms, and ones that are too large: read as the table of the engine. */
import * as fc from "fast-check";
import { tableOfSource } from "../../../runtime/grammars/rulesOf.js";
import type { GrammarSource } from "../../../runtime/grammars/types.js";
import { defineGenerator, Wrong } from "../core/generator.js";
import { shorter, shorterTexts } from "../core/shrink.js";
import { GRAMMARS } from "./grammars.js";
import { editedJson, jsonEdits, type JsonEdit } from "./json.js";
import { edits, mutated } from "./mutate.js";

const PATTERNS = [
  "[a-z]+@[a-z]{2,10}\\.(com|org)",
  "^(?:(?<year>\\d{4})-\\d\\d|[^\\s\\w]?)*$",
  "(a|b|[^\\x00-\\x1f\\u{1F600}-\\u{1F64F}])+?.\\/",
  "((((a?){0,3}b){2,}c)*|\\.)\\-",
];

const SCHEMAS: readonly object[] = [
  { type: "object", properties: { a: { type: "integer", minimum: -3, maximum: 250 } }, required: ["a"] },
  {
    $defs: {
      node: { type: ["object", "null"], properties: { next: { $ref: "#/$defs/node" }, x: { const: [1, "a"] } } },
    },
    $ref: "#/$defs/node",
  },
  { anyOf: [{ enum: ["a", 1, null, { b: [] }] }, { type: "string", pattern: "^[a-f]{2,4}$" }], title: "t" },
  {
    type: "array",
    prefixItems: [{ type: "string", maxLength: 5 }],
    items: { type: "number" },
    minItems: 1,
    maxItems: 9,
  },
  { allOf: [{ type: "string", format: "date" }], description: "a date" },
  { type: "object", additionalProperties: { type: "boolean" }, minProperties: 1 },
];

type Source =
  | { readonly kind: "gbnf" | "regex"; readonly text: string }
  | { readonly kind: "jsonSchema"; readonly schema: object; readonly edits: readonly JsonEdit[] };

const texts = (of: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...of), fc.constantFrom(...of), edits)
    .map(([text, other, all]) => mutated(text, other, all));

function sourceOf(c: Source): GrammarSource {
  if ("text" in c) return c.kind === "gbnf" ? { gbnf: c.text } : { regex: c.text };
  return { jsonSchema: editedJson(c.schema, c.edits) as object };
}

export const sources = defineGenerator<Source>({
  name: "sources",
  doc: "damaged grammars, regular expressions and JSON schemas: read twice, with the same result",
  cases: fc.oneof(
    fc.record({ kind: fc.constant("gbnf" as const), text: texts(GRAMMARS) }),
    fc.record({ kind: fc.constant("regex" as const), text: texts(PATTERNS) }),
    fc.record({ kind: fc.constant("jsonSchema" as const), schema: fc.constantFrom(...SCHEMAS), edits: jsonEdits }),
  ),
  run(c) {
    const read = (): string => JSON.stringify([...tableOfSource(sourceOf(c)).words]);
    if (read() !== read()) throw new Wrong("a grammar differs when it is read again");
  },
  *smaller(c) {
    if (c.kind === "jsonSchema") for (const fewer of shorter(c.edits)) yield { ...c, edits: fewer };
    else for (const text of shorterTexts(c.text)) yield { ...c, text };
  },
  show: (c) =>
    c.kind === "jsonSchema"
      ? { ending: "json", text: JSON.stringify(editedJson(c.schema, c.edits)) }
      : { ending: "txt", text: c.text },
});
