/** The published JSON schemas, as validators. */
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** Readers accept members that a later release adds; a test does not accept one that the schema lacks. */
function closed(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)] as const);
  return { ...Object.fromEntries(entries), ...("required" in schema && { additionalProperties: false }) };
}

const read = (path: string): object => JSON.parse(readFileSync(path, "utf8")) as object;

/** The faults of a value; none if it is valid. */
type Faults = (value: unknown) => readonly unknown[];

const faultsOf =
  (validate: ValidateFunction): Faults =>
  (value) =>
    validate(value) ? [] : (validate.errors ?? []);

/** A schema of runtime/schemas/. */
export const ownSchema = (name: string): Faults =>
  faultsOf(new Ajv2020({ allErrors: true }).compile(closed(read(`runtime/schemas/${name}.schema.json`)) as object));

/** SARIF 2.1.0, as its authors publish it. */
export function sarifSchema(): Faults {
  const schema = read("node_modules/@microsoft/sarif-multitool-ts/assets/sarif-2.1.0.schema.json");
  return faultsOf(new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).compile(schema));
}
