/** Texts that JSON schemas accept, judged by another validator. The long form is `npm run grammars`. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { openGrammar } from "../../runtime/grammars/open.js";
import { DEMO_MODEL } from "../model/file.js";
import { thrownBy } from "../native/batches.js";
import { MORE } from "./schemas.js";
import { randomIntegers, walk, wordsOf, type Words } from "./walk.js";

let words: Words;
beforeAll(async () => {
  words = await wordsOf(DEMO_MODEL);
});
afterAll(() => words.model.dispose());

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const open = (jsonSchema: object | boolean, ignore: readonly string[] = []) =>
  openGrammar({ jsonSchema, ignore }, { vocabulary: words.vocabulary, now: true });

test("random texts under schemas of each kind", () => {
  const counts = { whole: 0, cut: 0 };
  for (const [name, schema] of Object.entries(MORE)) {
    const validate = ajv.compile(schema);
    for (let seed = 0; seed < 3; seed++) {
      const { text, isWhole } = walk(open(schema), words, randomIntegers(seed), 30);
      counts[isWhole ? "whole" : "cut"]++;
      // single bytes can make characters that do not exist
      if (isWhole && !text.includes("\ufffd"))
        expect({ name, text, valid: validate(JSON.parse(text)) }).toEqual({ name, text, valid: true });
    }
  }
  // random marks seldom close what they open, where anything may come
  expect(counts.cut).toBeLessThan(counts.whole / 10);
});

test("random bounds of integers", () => {
  const random = randomIntegers(5);
  const number = (): number => (random(3) - 1) * random(10 ** (1 + random(4)));
  for (let i = 0; i < 30; i++) {
    const [a, b] = [number(), number()].sort((x, y) => x - y) as [number, number];
    const lower = random(3) > 0 && { [random(2) > 0 ? "minimum" : "exclusiveMinimum"]: a };
    const upper = random(3) > 0 && { [random(2) > 0 ? "maximum" : "exclusiveMaximum"]: b + 2 };
    const schema = { type: "integer", ...lower, ...upper };
    const { text } = walk(open(schema), words, random, 4);
    expect({ schema, text, valid: ajv.validate(schema, JSON.parse(text)) }).toEqual({ schema, text, valid: true });
  }
});

test("random bounds of numbers", () => {
  const random = randomIntegers(6);
  const number = (): number => ((random(3) - 1) * random(10 ** (1 + random(5)))) / 10 ** random(4);
  for (let i = 0; i < 60; i++) {
    const [a, b] = [number(), number()].sort((x, y) => x - y) as [number, number];
    const lower = random(3) > 0 && { [random(2) > 0 ? "minimum" : "exclusiveMinimum"]: a };
    const upper = random(3) > 0 && { [random(2) > 0 ? "maximum" : "exclusiveMaximum"]: Number((b + 0.5).toFixed(3)) };
    const schema = { type: "number", ...lower, ...upper };
    const { text } = walk(open(schema), words, random, 6);
    expect({ schema, text, valid: ajv.validate(schema, JSON.parse(text)) }).toEqual({ schema, text, valid: true });
  }
});

test.each([
  ["uniqueItems", { type: "array", uniqueItems: true }],
  ["multipleOf", { multipleOf: 0.00123457 }],
  ["minProperties", { type: "object", minProperties: 2 }],
])("`%s` is not accepted in silence", (keyword, schema) => {
  expect(() => open(schema)).toThrow(
    expect.objectContaining({
      code: "UNENFORCED_KEYWORD",
      message: expect.stringContaining(`\`${keyword}\` cannot be enforced`) as unknown,
    }),
  );
  expect(open(schema, [keyword]).bits().length).toBeGreaterThan(0);
});

test.each([
  ["the JSON schema: no value is valid: its keywords exclude each other", false],
  ['expected one of null, boolean, integer, number, string, array, object, found "text"', { type: "text" }],
  [
    'at "/properties/a/minLength": expected an integer of at least 0, found -1',
    { properties: { a: { type: "string", minLength: -1 } } },
  ],
  ["no value is valid: its keywords exclude each other", { type: "integer", minimum: 3, maximum: 2 }],
  ['at "/$defs/a/$ref": it refers only to itself', { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }],
  ["expected a reference inside this schema", { $ref: "https://example.org/a.json" }],
  ["the regular expression does not parse: column 3: this `(` is not closed", { type: "string", pattern: "ab(c" }],
])("a fault in a schema: %s", (message, schema) => {
  expect(thrownBy(() => void open(schema).bits())).toContain(message);
});

test("a schema as text, and text that is not JSON", () => {
  const at = { vocabulary: words.vocabulary, now: true };
  const { text } = walk(openGrammar({ jsonSchema: '{ "const": 12 }' }, at), words, randomIntegers(1), 9);
  expect(text).toBe("12");
  expect(thrownBy(() => void openGrammar({ jsonSchema: '{ "const": ' }, at))).toContain("the JSON schema is not JSON");
});
