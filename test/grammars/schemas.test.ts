/** Texts that JSON schemas accept, judged by another validator. The long form is `npm run grammars`. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { openGrammar } from "../../runtime/grammars/open.js";
import { DEMO_MODEL } from "../model/file.js";
import { thrownBy } from "../native/batches.js";
import { MORE, suite } from "./schemas.js";
import { randomIntegers, walk, wordsOf, type Words } from "./walk.js";

let words: Words;
beforeAll(async () => {
  words = await wordsOf(DEMO_MODEL);
});
afterAll(() => words.model.dispose());

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const open = (jsonSchema: object | boolean, ignore: readonly string[] = []) =>
  openGrammar({ jsonSchema, ignore }, { vocabulary: words.vocabulary, now: true });

/** What cannot be enforced, which is an error. */
const REFUSED = ["bounds of numbers", "exclusive bounds of numbers", "one bound", "a pattern of anything"];

test.each(Object.entries(MORE).filter(([name]) => !REFUSED.includes(name)))("%s", (name, schema) => {
  const validate = ajv.compile(schema);
  for (let seed = 0; seed < 3; seed++) {
    const { text, isWhole } = walk(open(schema), words, randomIntegers(seed), 30);
    expect({ name, isWhole }).toEqual({ name, isWhole: true });
    // single bytes can make characters that do not exist
    if (text.includes("\ufffd")) continue;
    const value = JSON.parse(text) as unknown;
    expect({ text, valid: validate(value) }).toEqual({ text, valid: true });
  }
});

test("each schema of the public suite is enforced or an error", () => {
  const counts = { enforced: 0, refused: 0 };
  for (const { name, schema } of suite()) {
    let start;
    try {
      start = open(schema);
    } catch (error) {
      expect(error).toMatchObject({ name: "InputError" });
      counts.refused++;
      continue;
    }
    counts.enforced++;
    const validate = ajv.compile(schema);
    for (let seed = 0; seed < 1; seed++) {
      const { text, isWhole } = walk(start, words, randomIntegers(seed), 20);
      expect({ name, isWhole }).toEqual({ name, isWhole: true });
      if (!text.includes("\ufffd"))
        expect({ name, text, valid: validate(JSON.parse(text)) }).toEqual({ name, text, valid: true });
    }
  }
  expect(counts.enforced).toBeGreaterThan(25);
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

test.each([
  ["multipleOf", { type: "number", multipleOf: 2 }],
  ["minimum", { type: "number", minimum: 0.5 }],
  ["uniqueItems", { type: "array", uniqueItems: true }],
  ["patternProperties", { type: "object", patternProperties: { a: {} } }],
  ["propertyNames", { type: "object", propertyNames: { maxLength: 2 } }],
  ["not", { not: { type: "string" } }],
  ["if", { if: {}, then: {} }],
  ["contains", { contains: { type: "string" } }],
  ["dependentRequired", { dependentRequired: { a: ["b"] } }],
  ["allOf", { allOf: [{ type: "string" }, { minLength: 2 }] }],
  ["oneOf", { oneOf: [{ type: "integer" }, { type: "number" }] }],
  ["type", { type: "object", anyOf: [{}] }],
  ["format", { type: "string", format: "iri" }],
  ["nullable", { type: "string", nullable: true }],
])("`%s` is not accepted in silence", (keyword, schema) => {
  expect(() => open(schema)).toThrow(
    expect.objectContaining({
      code: "UNENFORCED_KEYWORD",
      message: expect.stringContaining(`\`${keyword}\` cannot be enforced`) as unknown,
    }),
  );
  expect(open(schema, [keyword, "then"]).bits().length).toBeGreaterThan(0);
});

test.each([
  ["the JSON schema: `false` accepts no text", false],
  ['expected one of integer, number, string, boolean, null, array, object, found "text"', { type: "text" }],
  [
    'at "/properties/a/minLength": expected an integer of at least 0, found -1',
    { properties: { a: { type: "string", minLength: -1 } } },
  ],
  ["no integer is at least 3 and at most 2", { type: "integer", minimum: 3, maximum: 2 }],
  ['"#/$defs/a" refers only to itself', { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }],
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
