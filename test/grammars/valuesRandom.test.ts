/**
 * Random schemas with their keywords in random order: Ajv judges random values, and the grammar must agree, both ways.
 * GGSL_SEED is the first seed, GGSL_CASES how many.
 */
import { expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { budgeted } from "../../runtime/grammars/budget.js";
import { schemaRules } from "../../runtime/grammars/values/schema.js";
import { matcher } from "./matcher.js";
import { likelyValue, mutated, randomSchema, randomValue, type Random } from "./randomSchemas.js";
import { randomIntegers } from "./walk.js";

const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false });

/** What grammars cannot enforce, and what no value is valid for: both say so. */
const REFUSALS = /cannot be enforced|no value is valid|refers only to itself|exceeds a limit/;

const counts = { schemas: 0, refused: 0, valid: 0, invalid: 0 };

function compare(random: Random): void {
  const schema = { $defs: { one: randomSchema(random, 1) }, ...(randomSchema(random, 2) as object) };
  const values = [
    ...Array.from({ length: 12 }, () => likelyValue(random, schema, schema)),
    ...Array.from({ length: 6 }, () => randomValue(random)),
  ];
  const all = [...values, ...values.map((value) => mutated(random, value))];
  // Ajv forgets what is evaluated beside `dependentSchemas`
  if (/"unevaluated.*"dependentSchemas|"dependentSchemas.*"unevaluated/.test(JSON.stringify(schema))) return;
  counts.schemas++;
  let validate;
  try {
    validate = ajv.compile(forAjv(schema) as object);
  } catch {
    return;
  }
  const verdicts = new Map<string, boolean>();
  try {
    for (const value of all) verdicts.set(JSON.stringify(value), validate(value));
  } catch {
    // Ajv does not end for some that refer to themselves, and fails for some with unevaluated members
    return;
  }
  let grammar;
  try {
    grammar = matcher(budgeted("the JSON schema", () => schemaRules(schema, [], { order: "any" })));
  } catch (error) {
    const { message } = error as Error;
    if (!REFUSALS.test(message)) throw new Error(`${JSON.stringify(schema)}: ${message}`, { cause: error });
    if (message.includes("no value is valid"))
      expect({ schema: JSON.stringify(schema), valid: [...verdicts].filter(([, isValid]) => isValid) }).toEqual({
        schema: JSON.stringify(schema),
        valid: [],
      });
    counts.refused++;
    return;
  }
  // of all orders of members the declared one accepts some
  const declared = counts.schemas % 3 === 0 ? matcher(schemaRules(schema)) : grammar;
  for (const [text, isValid] of verdicts) {
    counts[isValid ? "valid" : "invalid"]++;
    expect({ schema: JSON.stringify(schema), text, isValid: grammar.matches(text) }).toEqual({
      schema: JSON.stringify(schema),
      text,
      isValid,
    });
    if (!isValid) expect({ text, isValid: declared.matches(text) }).toEqual({ text, isValid });
  }
}

/** Ajv takes some empty lists for ones that contain something: their length says that they do not. */
function forAjv(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(forAjv);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, forAjv(value)]));
  const { contains, minContains = 1, maxContains, allOf = [], ...others } = inner;
  if (contains === undefined) return inner;
  const own = { contains, minContains, ...(maxContains !== undefined && { maxContains }), minItems: minContains };
  return { ...others, allOf: [...(allOf as unknown[]), own] };
}

test("values of random schemas", () => {
  const first = Number(process.env["GGSL_SEED"] ?? 1);
  for (let seed = first; seed < first + Number(process.env["GGSL_CASES"] ?? 400); seed++)
    compare(randomIntegers(seed * 7919));
  expect(Math.min(counts.valid, counts.invalid)).toBeGreaterThan(1000);
});
