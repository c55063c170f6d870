/** Schemas as programs write them: Zod, which also judges the values; and by hand as Pydantic, OpenAPI, .NET, and servers of tools write them. */
import { expect, test } from "@jest/globals";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { schemaRules } from "../../runtime/grammars/values/schema.js";
import { GENERATED } from "./generatedSchemas.js";
import { changed, composed } from "./composed.js";
import { matcher } from "./matcher.js";
import { usualTexts } from "./serializations.js";
import { randomIntegers } from "./walk.js";

const node = z.object({
  value: z.number(),
  get next() {
    return node.nullable();
  },
});

const uuid = "0b7f9a6e-8b52-4c55-9d0a-111111111111";
const [shortName, role] = [z.string().min(1).max(8), z.enum(["admin", "user"])];

/** A schema of Zod, and values; Zod says which are valid. */
const ZOD: Readonly<Record<string, readonly [schema: z.ZodType, values: readonly unknown[]]>> = {
  strings: [
    z.object({ a: z.string(), b: z.string().optional() }),
    [{ a: "" }, { a: "x", b: "y\n" }, { b: "x" }, { a: 1 }],
  ],
  lengths: [
    z
      .string()
      .min(2)
      .max(4)
      .regex(/^[a-z]+$/),
    ["ab", "abcd", "a", "abcde", "AB"],
  ],
  "a length of one": [z.string().length(3), ["abc", "ab", '"\\\n']],
  "the beginning and the end": [
    z.string().startsWith("img-").endsWith(".png"),
    ["img-1.png", "img-.png", "a.png", "img-1"],
  ],
  "a part": [z.string().includes("b/c"), ["ab/cd", "b/c", "bc"]],
  email: [z.email(), ["a@b.co", "a.b+c@example.org", "a@", "x y@b.co"]],
  "an email of some length": [z.email().max(10), ["a@b.co", "abcdefgh@example.org"]],
  uuid: [z.uuid(), [uuid, uuid.toUpperCase(), "0b7f9a6e"]],
  "date and time": [
    z.iso.datetime(),
    ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.123Z", "2023-02-29T12:00:00Z", "2024-01-01", "2024-13-01T00:00:00Z"],
  ],
  date: [z.iso.date(), ["2024-02-29", "2023-02-29", "2024-1-1"]],
  "IP addresses": [z.union([z.ipv4(), z.ipv6()]), ["127.0.0.1", "::1", "2001:db8::1", "256.0.0.1", "x"]],
  numbers: [
    z.object({ a: z.number().positive(), b: z.number().min(0).max(1) }),
    [
      { a: 1e-7, b: 0.3333333333333333 },
      { a: 0, b: 1 },
      { a: 1, b: 1.01 },
    ],
  ],
  integers: [
    z.object({ a: z.int(), b: z.number().int().nonnegative() }),
    [
      { a: -5, b: 0 },
      { a: 1.5, b: 0 },
      { a: 1, b: -1 },
    ],
  ],
  steps: [z.number().multipleOf(5), [0, 15, -10, 7, 2.5]],
  booleans: [z.tuple([z.boolean(), z.literal(true)]), [[false, true], [false, false], [true]]],
  "several literals": [z.literal(["a", 1, null, true]), ["a", 1, null, true, "b", false]],
  enums: [
    z.object({ role, roles: z.array(role) }),
    [
      { role: "user", roles: ["admin", "user"] },
      { role: "x", roles: [] },
    ],
  ],
  "null, or left out": [
    z.object({ a: z.string().nullable(), b: z.string().nullish() }),
    [{ a: null }, { a: "x", b: null }, { b: "x" }],
  ],
  defaults: [z.object({ a: z.string().default("x") }), [{ a: "y" }, { a: 1 }]],
  arrays: [z.array(z.string().min(1)).min(1).max(2), [["a"], ["a", "b"], [], ["a", "b", "c"], [""]]],
  tuples: [
    z.tuple([z.string(), z.number()]).rest(z.boolean()),
    [["a", 1], ["a", 1, true, false], ["a"], ["a", 1, "b"]],
  ],
  records: [z.record(z.string(), z.number()), [{}, { a: 1, "b c": 2 }, { a: "x" }]],
  "records of a list": [z.partialRecord(role, z.number()), [{}, { user: 1 }, { admin: 1, user: 2 }, { other: 1 }]],
  "records whose names match": [
    z.record(z.string().regex(/^k\d+$/), z.boolean()),
    [{ k1: true, k22: false }, { x: true }],
  ],
  unions: [z.union([z.string(), z.number(), z.array(z.string())]), ["a", 1, ["b"], [1], null]],
  "unions with a tag": [
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number() }),
      z.object({ kind: z.literal("square"), side: z.number() }),
    ]),
    [{ kind: "circle", radius: 1 }, { kind: "square", side: 2 }, { kind: "square" }, { kind: "x", side: 1 }],
  ],
  intersections: [
    z.intersection(z.looseObject({ a: z.string() }), z.looseObject({ b: z.number() })),
    [{ a: "x", b: 1 }, { a: "x", b: 1, c: null }, { a: "x" }, { b: 1 }],
  ],
  strict: [z.strictObject({ a: z.string() }), [{ a: "x" }, { a: "x", b: 1 }]],
  loose: [z.looseObject({ a: z.string() }), [{ a: "x" }, { a: "x", b: 1 }, { b: 1 }]],
  "others of a kind": [
    z.object({ a: z.string() }).catchall(z.number()),
    [
      { a: "x", b: 1 },
      { a: "x", b: "y" },
    ],
  ],
  recursive: [
    node,
    [
      { value: 1, next: null },
      { value: 1, next: { value: 2, next: null } },
      { value: 1, next: {} },
    ],
  ],
  "parts that are used twice": [
    z.object({ a: shortName, b: shortName, c: z.array(shortName) }),
    [
      { a: "x", b: "y", c: ["z"] },
      { a: "", b: "y", c: [] },
    ],
  ],
  anything: [z.object({ a: z.any(), b: z.unknown() }), [{ a: 1, b: [null] }]],
  never: [z.object({ a: z.never().optional(), b: z.string() }), [{ b: "x" }, { a: 1, b: "x" }]],
  "base 64": [z.base64(), ["aGk=", "aGkx", "a"]],
  described: [z.object({ a: z.string().describe("A name") }).meta({ title: "T", deprecated: true }), [{ a: "x" }, {}]],
};

test.each(Object.entries(ZOD))("Zod: %s", (_, [schema, values]) => {
  for (const target of ["draft-2020-12", "draft-7"] as const) {
    const { grammar, written } = grammarOf(z.toJSONSchema(schema, { target, reused: "ref" }));
    for (const value of values)
      for (const text of usualTexts(value))
        expect({ written, text, isValid: grammar.matches(text) }).toEqual({
          written,
          text,
          isValid: judged(schema, value),
        });
  }
});

/** Zod removes what an object does not name, and its schemas of outputs have no more. */
function judged(schema: z.ZodType, value: unknown): boolean {
  const parsed = schema.safeParse(value);
  return parsed.success && JSON.stringify(parsed.data) === JSON.stringify(value);
}

const CASES = Number(process.env["GGSL_CASES"] ?? 100);

test("random schemas of Zod", () => {
  const counts = { valid: 0, invalid: 0 };
  for (let seed = 0; seed < CASES; seed++) {
    const random = randomIntegers(seed);
    for (let i = 0; i < 5; i++) random(2);
    const { schema, value } = composed(random, 1 + random(3));
    const target = random(2) === 0 ? "draft-2020-12" : "draft-7";
    const { grammar, written } = grammarOf(
      z.toJSONSchema(schema, { target, reused: random(2) === 0 ? "ref" : "inline" }),
    );
    for (let i = 0; i < 4; i++) {
      const right = value(random);
      expect({ written, right, isValid: judged(schema, right) }).toEqual({ written, right, isValid: true });
      for (const one of [right, changed(random, right)]) {
        const isValid = judged(schema, one);
        counts[isValid ? "valid" : "invalid"]++;
        for (const text of usualTexts(one))
          expect({ seed, written, text, isValid: grammar.matches(text) }).toEqual({ seed, written, text, isValid });
      }
    }
  }
  expect(Math.min(counts.valid, counts.invalid)).toBeGreaterThan(CASES);
});

function grammarOf(schema: object): { readonly grammar: ReturnType<typeof matcher>; readonly written: string } {
  return { grammar: matcher(schemaRules(schema)), written: JSON.stringify(schema) };
}

test.each(GENERATED)("$name", ({ schema, valid, invalid }) => {
  const isOld = "$schema" in schema && String(schema.$schema).includes("draft-07");
  const validate = new (isOld ? Ajv : Ajv2020)({ strict: false, validateFormats: false }).compile(schema);
  const { grammar } = grammarOf(schema);
  for (const [values, isValid] of [
    [valid, true],
    [invalid, false],
  ] as const)
    for (const value of values) {
      expect({ value, isValid: validate(value) }).toEqual({ value, isValid });
      for (const text of usualTexts(value)) expect({ text, isValid: grammar.matches(text) }).toEqual({ text, isValid });
    }
});
