/** The public test suite of JSON Schema, drafts 7 and 2020-12: usual texts of valid values match, those of invalid ones do not. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { budgeted } from "../../runtime/grammars/budget.js";
import { schemaRules } from "../../runtime/grammars/values/schema.js";
import { matcher } from "./matcher.js";
import { usualTexts } from "./serializations.js";

interface Group {
  readonly keyword: string;
  readonly description: string;
  readonly schema: object | boolean;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** In drafts up to 7, keywords beside `$ref` have no effect; here they hold, as in later drafts and in Ajv. */
const LATER = ["ref overrides any sibling keywords", "$ref prevents a sibling $id from changing the base uri"];
/** A vocabulary without assertions, in a document elsewhere. */
const ELSEWHERE = ["schema that uses custom metaschema with with no validation vocabulary"];
const LEFT_OUT = [...LATER, ...ELSEWHERE];

/** What is refused, by the keyword that the message names; `$ref` stands for documents elsewhere. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  draft7: {
    $ref: ["definitions: validate definition against metaschema", "ref: remote ref, containing refs itself"],
    minProperties: ["dependencies: dependencies with escaped characters"],
    multipleOf: ["multipleOf: float division = inf"],
    uniqueItems: [
      "uniqueItems: uniqueItems validation",
      "uniqueItems: uniqueItems with an array of items",
      "uniqueItems: uniqueItems with an array of items and additionalItems=false",
    ],
  },
  "draft2020-12": {
    $dynamicRef: [
      "dynamicRef: A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated",
      "dynamicRef: A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
      "dynamicRef: A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope",
      "dynamicRef: multiple dynamic paths to the $dynamicRef keyword",
      "dynamicRef: after leaving a dynamic scope, it is not used by a $dynamicRef",
      "dynamicRef: $dynamicRef skips over intermediate resources - direct reference",
      "dynamicRef: $dynamicRef avoids the root of each schema, but scopes are still registered",
      "unevaluatedItems: unevaluatedItems with $dynamicRef",
      "unevaluatedProperties: unevaluatedProperties with $dynamicRef",
    ],
    $ref: [
      "defs: validate definition against metaschema",
      "dynamicRef: strict-tree schema, guards against misspelled properties",
      "dynamicRef: tests for implementation dynamic anchor and reference link",
      "dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first",
      "dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first",
      "dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor",
      "ref: remote ref, containing refs itself",
    ],
    if: ["unevaluatedProperties: unevaluatedProperties can see annotations from if without then and else"],
    minProperties: ["dependentSchemas: dependencies with escaped characters"],
    multipleOf: ["multipleOf: float division = inf"],
    unevaluatedItems: [
      "unevaluatedItems: unevaluatedItems depends on adjacent contains",
      "unevaluatedItems: unevaluatedItems depends on multiple nested contains",
      "unevaluatedItems: unevaluatedItems and contains interact to control item dependency relationship",
      "unevaluatedItems: unevaluatedItems with minContains = 0",
    ],
    uniqueItems: [
      "uniqueItems: uniqueItems validation",
      "uniqueItems: uniqueItems with an array of items",
      "uniqueItems: uniqueItems with an array of items and additionalItems=false",
    ],
  },
};

test.each(["draft7", "draft2020-12"])("%s", (draft) => {
  const groups = JSON.parse(readFileSync(`test/grammars/suite/${draft}.json`, "utf8")) as Group[];
  const refused: Record<string, string[]> = {};
  let [valid, invalid] = [0, 0];
  for (const { keyword, description, schema, tests } of groups) {
    if (LEFT_OUT.includes(description)) continue;
    let grammar;
    try {
      grammar = matcher(budgeted("the JSON schema", () => schemaRules(schema, [], { order: "any" })));
    } catch (error) {
      const { message } = error as Error;
      const name =
        /`([^`]+)` cannot be enforced/.exec(message)?.[1] ?? (message.includes("a reference inside") ? "$ref" : "");
      if (message.includes("no value is valid")) expect(tests.filter((one) => one.valid)).toEqual([]);
      else (refused[name] ??= []).push(`${keyword}: ${description}`);
      if (name === "") expect(message).toContain("no value is valid");
      continue;
    }
    for (const one of tests) {
      if (one.valid) valid++;
      else invalid++;
      for (const text of usualTexts(one.data))
        expect({ keyword, description, text, valid: grammar.matches(text) }).toEqual({
          keyword,
          description,
          text,
          valid: one.valid,
        });
    }
  }
  expect(refused).toEqual(REFUSED[draft]);
  expect(Math.min(valid, invalid)).toBeGreaterThan(250);
});
