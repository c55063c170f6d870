/** Texts that JSON schemas accept, judged by another validator. The long form is `npm run grammars`. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { openGrammar } from "../../runtime/grammars/open.js";
import { numbers } from "../../runtime/grammars/schema/numbers.js";
import type { Item } from "../../runtime/grammars/text/rules.js";
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
const REFUSED = ["a pattern of anything"];

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

// all decimals of a few digits, so that none is left out either
test.each([
  { minimum: -1.5, maximum: 2.25 },
  { exclusiveMinimum: 0, exclusiveMaximum: 1 },
  { exclusiveMinimum: 0.3, maximum: 0.37 },
  { minimum: 9.9, exclusiveMaximum: 11 },
  { minimum: -3, exclusiveMaximum: -0.05 },
  { maximum: 0 },
  { exclusiveMinimum: -0.2 },
])("each decimal is in the range or is not: %j", (bounds) => {
  const pattern = new RegExp(`^(?:${toRegex(numbers(bounds)!)})$`);
  const validate = ajv.compile({ type: "number", ...bounds });
  const texts = Array.from({ length: 1601 }, (_, i) => i - 400).flatMap((value) => [
    String(value / 100),
    (value / 100).toFixed(3),
    (value / 1000).toFixed(4),
  ]);
  expect(texts.filter((text) => pattern.test(text) !== validate(Number(text)))).toEqual([]);
});

/** Of a grammar without rules. */
function toRegex(item: Item): string {
  switch (item.kind) {
    case "text":
      return String.fromCodePoint(...item.characters).replace(".", "\\.");
    case "class":
      return `[${item.ranges.map(([from, to]) => `${String.fromCodePoint(from)}-${String.fromCodePoint(to)}`).join("")}]`;
    case "all":
      return item.items.map(toRegex).join("");
    case "any":
      return `(?:${item.items.map(toRegex).join("|")})`;
    case "repeat":
      return `(?:${toRegex(item.item)}){${item.min},${item.max === Infinity ? "" : item.max}}`;
    default:
      throw new Error(`an item of the kind ${item.kind}`);
  }
}

test.each([
  ["multipleOf", { type: "number", multipleOf: 2 }],
  ["minimum", { type: "number", minimum: 1e-9 }],
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
