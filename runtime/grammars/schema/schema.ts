/**
 * Reads a JSON schema. Each text that the grammar accepts is valid: what it does not enforce is an error that names the
 * keyword. Where a schema leaves open what comes, the text may be more restricted: objects have only the properties that the
 * schema names, unless it names none.
 */
import { show } from "@ggsl/compiler/core/show.js";
import { InputError, invalid } from "../../core/errors.js";
import { spend } from "../budget.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import { readRegex } from "../text/regex.js";
import type { Rules } from "../text/rules.js";
import { areDisjoint } from "./disjoint.js";
import { ABOUT, ANNOTATIONS, COUNTS, DECIDING, ENFORCED, FORMATS, TYPES, WITHOUT_EFFECT } from "./keywords.js";
import { haveDecimals, numbers, type NumberBounds } from "./numbers.js";
import { schemaRules } from "./rules.js";
import type { Deciding, Schema, SchemaType } from "./keywords.js";

/** @param ignored keywords that the text need not obey */
export function readSchema(given: unknown, ignored: readonly string[]): Rules {
  const root = typeof given === "string" ? parsed(given) : given;
  const text = JSON.stringify(root) as string | undefined;
  if (text === undefined) throw fault("", `expected an object or a boolean, found ${show(root)}`);
  if (text.length > GRAMMAR_LIMITS.length)
    throw limit(`it has ${text.length} characters, expected at most ${GRAMMAR_LIMITS.length}`);
  // as JSON: without `toJSON`, `undefined` and other objects
  return schemaRules(new SchemaReader(JSON.parse(text), new Set(ignored)).whole());
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`the JSON schema is not JSON: ${(error as Error).message}`, error);
  }
}

const limit = (message: string): InputError =>
  new InputError(`the JSON schema exceeds a limit: ${message}`, { code: "LIMIT_EXCEEDED" });
const fault = (path: string, message: string): InputError =>
  invalid(`the JSON schema${path === "" ? "" : ` at ${show(path)}`}: ${message}`);
const unenforced = (path: string, keyword: string, why: string): InputError =>
  new InputError(
    `the JSON schema${path === "" ? "" : ` at ${show(path)}`}: \`${keyword}\` cannot be enforced${why}: omit it, or list it in \`ignore\``,
    { code: "UNENFORCED_KEYWORD" },
  );

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

class SchemaReader {
  private parts = 0;
  /** References that were followed, so that each is read once. */
  private readonly followed = new Set<string>();

  constructor(
    private readonly root: unknown,
    private readonly ignored: ReadonlySet<string>,
  ) {}

  whole(): unknown {
    const result = this.read(this.root, "", 0);
    const definitions = isObject(this.root)
      ? Object.fromEntries(["$defs", "definitions"].flatMap((name) => this.definitions(name)))
      : {};
    return isObject(result) ? { ...result, ...definitions } : result;
  }

  private definitions(name: string): [string, unknown][] {
    const given = (this.root as Schema)[name];
    if (!isObject(given)) return [];
    return [[name, this.members(given, `/${name}`, 0)]];
  }

  private members(schemas: Schema, path: string, depth: number): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, this.read(schema, `${path}/${name}`, depth + 1)]),
    );
  }

  private list(value: unknown, path: string, depth: number): unknown[] {
    if (!Array.isArray(value) || value.length === 0) throw fault(path, "expected a list of schemas");
    return value.map((schema, i) => this.read(schema, `${path}/${i}`, depth + 1));
  }

  private read(schema: unknown, path: string, depth: number): unknown {
    if (++this.parts > GRAMMAR_LIMITS.parts) throw limit(`it has more than ${GRAMMAR_LIMITS.parts} schemas`);
    if (depth > GRAMMAR_LIMITS.depth) throw limit(`schemas are nested deeper than ${GRAMMAR_LIMITS.depth} levels`);
    if (schema === true) return true;
    if (schema === false) throw fault(path, "`false` accepts no text");
    if (!isObject(schema)) throw fault(path, `expected an object or a boolean, found ${show(schema)}`);
    spend(1 + Object.keys(schema).length);
    const kept = Object.fromEntries(
      Object.entries(schema).filter(
        ([name, value]) => !ANNOTATIONS.has(name) && !this.isIgnored(name) && WITHOUT_EFFECT[name] !== value,
      ),
    );
    const deciding = DECIDING.find((keyword) => keyword in kept);
    return deciding === undefined ? this.typed(kept, path, depth) : this.decided(deciding, kept, path, depth);
  }

  /** A value that is valid for one of the schemas is better than any value. */
  private isIgnored(keyword: string): boolean {
    return this.ignored.has(keyword) && keyword !== "oneOf";
  }

  private decided(deciding: Deciding, schema: Schema, path: string, depth: number): unknown {
    const { type, ...others } = schema;
    const beside = Object.keys(others).find((keyword) => keyword !== deciding);
    const isFiltered = deciding === "const" || deciding === "enum";
    if (beside !== undefined) throw unenforced(path, beside, ` beside \`${deciding}\``);
    if (type !== undefined && !isFiltered) throw unenforced(path, "type", ` beside \`${deciding}\``);
    const value = schema[deciding];
    const at = `${path}/${deciding}`;
    switch (deciding) {
      case "$ref":
        return this.reference(value, at);
      case "const":
        return { enum: this.values([value], type, path) };
      case "enum":
        if (!Array.isArray(value) || value.length === 0) throw fault(at, "expected a list of values");
        return { enum: this.values(value, type, path) };
      case "anyOf":
        return { anyOf: this.list(value, at, depth) };
      case "oneOf": {
        const cases = this.list(value, at, depth);
        if (!this.ignored.has(deciding) && !areDisjoint(cases, (schema) => this.target(schema)))
          throw unenforced(path, "oneOf", ", since a value can be valid for two of its schemas");
        return { anyOf: cases };
      }
      case "allOf": {
        const cases = this.list(value, at, depth);
        if (cases.length > 1) throw unenforced(path, "allOf", " with more than one schema");
        return cases[0]!;
      }
    }
  }

  /** The values that are of a type. */
  private values(values: readonly unknown[], type: unknown, path: string): readonly unknown[] {
    if (type === undefined) return values;
    const types = this.types(type, path);
    const kept = values.filter((value) => types.some((name) => isOfType(value, name)));
    if (kept.length === 0) throw fault(path, "no value of the list is of the type");
    return kept;
  }

  private types(type: unknown, path: string): SchemaType[] {
    const names: unknown[] = Array.isArray(type) ? type : [type];
    const bad = names.find((name) => !(TYPES as readonly unknown[]).includes(name));
    if (bad !== undefined || names.length === 0)
      throw fault(`${path}/type`, `expected one of ${TYPES.join(", ")}, found ${show(bad ?? type)}`);
    return [...new Set(names as SchemaType[])];
  }

  private reference(value: unknown, path: string): unknown {
    if (typeof value !== "string") throw fault(path, `expected a text, found ${show(value)}`);
    const schema = this.at(value);
    if (schema === undefined)
      throw fault(path, `expected a reference inside this schema, such as "#/$defs/name", found ${show(value)}`);
    if (!this.followed.has(value)) {
      this.followed.add(value);
      for (let [next, count]: [unknown, number] = [schema, 0]; isObject(next) && "$ref" in next; count++) {
        if (count > GRAMMAR_LIMITS.depth) throw fault(path, `${show(value)} refers only to itself`);
        next = this.at(String(next["$ref"]));
      }
      const isDefinition = /^#\/(?:\$defs|definitions)\/[^/]+$/.test(value);
      if (value !== "#" && !isDefinition)
        throw fault(path, `expected a reference to "#", or to a schema in $defs or definitions, found ${show(value)}`);
    }
    return { $ref: value };
  }

  /** The schema that a reference names. */
  private at(reference: string): unknown {
    if (reference === "#") return this.root;
    if (!reference.startsWith("#/") || /[~%]/.test(reference)) return undefined;
    return reference
      .slice(2)
      .split("/")
      .reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), this.root);
  }

  private target(schema: unknown): unknown {
    return isObject(schema) && typeof schema["$ref"] === "string" ? this.at(schema["$ref"]) : schema;
  }

  private typed(schema: Schema, path: string, depth: number): unknown {
    const { type, ...assertions } = schema;
    const names = Object.keys(assertions);
    const unknown = names.find((name) => ABOUT[name] === undefined && !name.startsWith("x-"));
    if (unknown !== undefined) throw unenforced(path, unknown, "");
    const types = this.types(type ?? this.impliedType(names, path) ?? [...TYPES], path);
    if (type === undefined && names.every((name) => name.startsWith("x-"))) return true;
    const cases = types.map((name) => this.ofType(name, assertions, path, depth));
    return cases.length === 1 ? cases[0] : { anyOf: cases };
  }

  /** The type of a schema with assertions and without one: the type that all are about, so that texts of other types do not come. */
  private impliedType(names: readonly string[], path: string): SchemaType | undefined {
    const about = names.flatMap((name) => (name.startsWith("x-") ? [] : [ABOUT[name]!]));
    if (about.length === 0) return undefined;
    const common = [...TYPES].reverse().find((type) => about.every((types) => types.includes(type)));
    if (common === undefined) throw fault(path, "its keywords are about different types: expected `type`");
    return common;
  }

  private ofType(type: SchemaType, given: Schema, path: string, depth: number): unknown {
    const schema = Object.fromEntries(Object.entries(given).filter(([name]) => ABOUT[name]?.includes(type)));
    for (const [name, value] of Object.entries(schema)) {
      if (!ENFORCED[type].includes(name)) throw unenforced(path, name, "");
      if (COUNTS.has(name)) this.checkCount(value, `${path}/${name}`);
    }
    switch (type) {
      case "integer":
        return { type, ...this.bounds(schema, path) };
      case "number":
        return { type, ...this.numberBounds(schema, path) };
      case "string":
        return { type, ...this.ofString(schema, path) };
      case "array":
        return { type, ...this.ofArray(schema, path, depth) };
      case "object":
        return { type, ...this.ofObject(schema, path, depth) };
      default:
        return { type };
    }
  }

  private checkCount(value: unknown, path: string): void {
    if (!Number.isInteger(value) || (value as number) < 0)
      throw fault(path, `expected an integer of at least 0, found ${show(value)}`);
    if ((value as number) > GRAMMAR_LIMITS.repetitions)
      throw limit(`${path.split("/").at(-1)!} is ${String(value)}, expected at most ${GRAMMAR_LIMITS.repetitions}`);
  }

  private bounds(schema: Schema, path: string): Schema {
    for (const [name, value] of Object.entries(schema))
      if (!Number.isSafeInteger(value)) throw fault(`${path}/${name}`, `expected an integer, found ${show(value)}`);
    const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema as Readonly<Record<string, number>>;
    const min = Math.max(minimum ?? -Infinity, exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + 1);
    const max = Math.min(maximum ?? Infinity, exclusiveMaximum === undefined ? Infinity : exclusiveMaximum - 1);
    if (min > max) throw fault(path, `no integer is at least ${min} and at most ${max}`);
    return { ...(min !== -Infinity && { minimum: min }), ...(max !== Infinity && { maximum: max }) };
  }

  private numberBounds(schema: Schema, path: string): NumberBounds {
    for (const [name, value] of Object.entries(schema))
      if (typeof value !== "number") throw fault(`${path}/${name}`, `expected a number, found ${show(value)}`);
    const { minimum, exclusiveMinimum: above, maximum, exclusiveMaximum: below } = schema as NumberBounds;
    // of two bounds the narrower one
    const isAbove = above !== undefined && (minimum === undefined || above >= minimum);
    const isBelow = below !== undefined && (maximum === undefined || below <= maximum);
    const bounds: NumberBounds = {
      ...(isAbove ? { exclusiveMinimum: above } : minimum !== undefined && { minimum }),
      ...(isBelow ? { exclusiveMaximum: below } : maximum !== undefined && { maximum }),
    };
    const names = Object.keys(bounds);
    if (!haveDecimals(bounds)) throw unenforced(path, names[0]!, " with bounds of more than 14 digits");
    if (names.length > 0 && !numbers(bounds)) throw fault(path, "no number is within its bounds");
    return bounds;
  }

  private ofString(schema: Schema, path: string): Schema {
    const { format, pattern } = schema;
    const [first, second] = Object.keys(schema).map((name) => (name.endsWith("Length") ? "length" : name));
    if (first !== undefined && second !== undefined && first !== second)
      throw unenforced(path, Object.keys(schema)[1]!, ` beside \`${Object.keys(schema)[0]!}\``);
    if (format !== undefined && !(typeof format === "string" && Object.hasOwn(FORMATS, format)))
      throw unenforced(
        path,
        "format",
        ` with the value ${show(format)}; enforced are ${Object.keys(FORMATS).join(", ")}`,
      );
    if (pattern !== undefined) this.checkPattern(pattern, `${path}/pattern`);
    if (format !== undefined || first === undefined) return schema;
    const { minLength: min = 0, maxLength: max = Infinity } = schema as { minLength?: number; maxLength?: number };
    if (max < min) throw fault(path, "`maxLength` is below `minLength`");
    return schema;
  }

  private checkPattern(pattern: unknown, path: string): void {
    if (typeof pattern !== "string") throw fault(path, `expected a text, found ${show(pattern)}`);
    try {
      readRegex(pattern);
    } catch (error) {
      throw fault(path, (error as Error).message);
    }
  }

  private ofArray(schema: Schema, path: string, depth: number): Schema {
    const { items, prefixItems, ...counts } = schema;
    const first =
      prefixItems === undefined ? {} : { prefixItems: this.list(prefixItems, `${path}/prefixItems`, depth) };
    if (Array.isArray(items)) throw unenforced(path, "items", " as a list; use `prefixItems`");
    if (items === false) return { ...first, items, ...counts };
    // without it, XGrammar accepts no further item
    const others = items ?? (prefixItems === undefined ? true : undefined);
    if (others === undefined) return { ...first, items: false, ...counts };
    return { ...first, items: this.read(others, `${path}/items`, depth + 1), ...counts };
  }

  private ofObject(schema: Schema, path: string, depth: number): Schema {
    const { properties = {}, required = [], additionalProperties: others, ...counts } = schema;
    if (!isObject(properties)) throw fault(`${path}/properties`, "expected an object of schemas");
    if (!Array.isArray(required) || required.some((name) => typeof name !== "string"))
      throw fault(`${path}/required`, "expected a list of names");
    const named = this.members(properties, `${path}/properties`, depth);
    for (const name of required as string[]) {
      if (Object.hasOwn(named, name)) continue;
      if (others === false)
        throw fault(`${path}/required`, `no text has the property ${show(name)}, which is not allowed`);
      named[name] = this.read(others ?? true, `${path}/additionalProperties`, depth + 1);
    }
    const list = [...new Set(required as string[])];
    if (Object.keys(named).length > 0 || others === false) {
      if (Number(counts["minProperties"] ?? 0) > Object.keys(named).length)
        throw unenforced(path, "minProperties", " above the number of `properties`");
      return { properties: named, required: list, additionalProperties: false, ...counts };
    }
    // a name can come twice, and counts once
    if (Number(counts["minProperties"] ?? 0) > 1)
      throw unenforced(path, "minProperties", " above 1 without `properties`");
    return { additionalProperties: this.read(others ?? true, `${path}/additionalProperties`, depth + 1), ...counts };
  }
}

function isOfType(value: unknown, type: SchemaType): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
