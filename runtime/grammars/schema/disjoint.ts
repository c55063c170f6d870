/** Whether no value is valid for two schemas of a list, as far as types and listed values show. */
import type { Schema } from "./keywords.js";

import { spend } from "../budget.js";

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @param target the schema that a reference names, or the schema itself */
export function areDisjoint(schemas: readonly unknown[], target: (schema: unknown) => unknown): boolean {
  const all = schemas.map(target);
  return all.every((a, i) => all.slice(i + 1).every((b) => differ(a, b, target)));
}

function differ(a: unknown, b: unknown, target: (schema: unknown) => unknown): boolean {
  spend();
  if (!isObject(a) || !isObject(b)) return false;
  const [valuesA, valuesB] = [valuesOf(a), valuesOf(b)];
  if (valuesA && valuesB) return ![...valuesA].some((value) => valuesB.has(value));
  const [typeA, typeB] = [typeOf(a), typeOf(b)];
  if (typeA === undefined || typeB === undefined) return false;
  const isNumber = (type: string): boolean => type === "integer" || type === "number";
  if (typeA !== typeB) return !(isNumber(typeA) && isNumber(typeB));
  if (typeA !== "object") return false;
  // a property that both need, with other values
  const [needA, needB] = [namesOf(a), namesOf(b)];
  const [propertiesA, propertiesB] = [a["properties"], b["properties"]];
  if (!isObject(propertiesA) || !isObject(propertiesB)) return false;
  return [...needA].some(
    (name) => needB.has(name) && differ(target(propertiesA[name]), target(propertiesB[name]), target),
  );
}

/** The listed values, as JSON. */
function valuesOf(schema: Schema): ReadonlySet<string> | undefined {
  const { const: one, enum: several } = schema;
  const values = Array.isArray(several) ? (several as unknown[]) : one === undefined ? undefined : [one];
  if (!values) return undefined;
  const texts = new Set(values.map((value) => JSON.stringify(value)));
  for (const text of texts) spend(1 + text.length / 8);
  return texts;
}

const typeOf = ({ type }: Schema): string | undefined => (typeof type === "string" ? type : undefined);
function namesOf({ required }: Schema): ReadonlySet<string> {
  const names = new Set(Array.isArray(required) ? (required as string[]) : []);
  spend(names.size);
  return names;
}
