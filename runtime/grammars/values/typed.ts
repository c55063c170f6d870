/** The keywords that are about values of one type. */
import { InputError } from "../../core/errors.js";
import { spend } from "../budget.js";
import { isInexpressible } from "../patterns/inexpressible.js";
import { formatItem } from "../strings/formats.js";
import { stringLanguage } from "../strings/language.js";
import { arraySet } from "./arraySets.js";
import type { Keywords, SchemaType } from "./assertions.js";
import { next, stepOf } from "./decimals.js";
import { fault, unenforced } from "./faults.js";
import { narrowed } from "./numberSets.js";
import { classesOf, intersectObjects, memberOf, objectSet } from "./objectSets.js";
import { segment } from "./references.js";
import type { Sets } from "./space.js";
import {
  ALL_VALUES,
  ANY,
  ANY_ARRAY,
  ANY_NUMBER,
  ANY_OBJECT,
  ANY_STRING,
  NEVER,
  NO_VALUES,
  type ArraySet,
  type Contains,
  type Lazy,
  type Member,
  type NumberRange,
  type ObjectSet,
  type SchemaPlace,
  type StringSet,
  type Values,
} from "./values.js";

const ABOUT_NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const ABOUT_STRINGS = ["minLength", "maxLength", "pattern", "format"];
const ABOUT_ARRAYS = [
  ...["items", "prefixItems", "additionalItems", "minItems", "maxItems", "contains", "uniqueItems"],
];
const ABOUT_OBJECTS = [
  ...["properties", "required", "additionalProperties", "patternProperties", "propertyNames"],
  ...["minProperties", "maxProperties"],
];

const ABOUT_OTHERS = ["additionalProperties", "patternProperties", "unevaluatedProperties", "propertyNames"];

export class Typed {
  constructor(
    private readonly sets: Sets,
    private readonly lazy: (schema: unknown, path: string) => Lazy,
    private readonly isTracking: boolean,
  ) {}

  values(given: Keywords): Values {
    const types = given.types();
    const has = (type: SchemaType): boolean => !types || types.has(type);
    if (!types && !given.has(...ABOUT_NUMBERS, ...ABOUT_STRINGS, ...ABOUT_ARRAYS, ...ABOUT_OBJECTS)) return ALL_VALUES;
    const hasNumbers = has("number");
    const one = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);
    return {
      ...NO_VALUES,
      hasNull: has("null"),
      booleans: has("boolean") ? [true, false] : [],
      ranges: hasNumbers || has("integer") ? one(this.numbers(given, hasNumbers ? "any" : "integer")) : [],
      languages: has("string") ? one(this.strings(given)) : [],
      arrays: has("array") ? one(this.arrays(given)) : [],
      objects: has("object") ? one(this.objects(given)) : [],
    };
  }

  private numbers(given: Keywords, kind: NumberRange["kind"]): NumberRange | undefined {
    if (!given.has(...ABOUT_NUMBERS)) return kind === "any" ? ANY_NUMBER : { ...ANY_NUMBER, kind };
    const [minimum, maximum] = [given.number("minimum") ?? -Infinity, given.number("maximum") ?? Infinity];
    const [above, below] = [given.exclusive("exclusiveMinimum"), given.exclusive("exclusiveMaximum")];
    const min = above === true ? next(minimum, true) : minimum;
    const max = below === true ? next(maximum, false) : maximum;
    const multiple = given.number("multipleOf");
    if (multiple !== undefined && multiple <= 0)
      throw fault(given.at("multipleOf"), `expected a number above 0, found ${multiple}`);
    return narrowed({
      min: Math.max(min, typeof above === "number" ? next(above, true) : -Infinity),
      max: Math.min(max, typeof below === "number" ? next(below, false) : Infinity),
      kind,
      ...(multiple !== undefined && {
        step: stepOf(multiple),
        at: { path: given.path, keyword: "multipleOf" },
      }),
    });
  }

  private strings(given: Keywords): StringSet | undefined {
    if (!given.has(...ABOUT_STRINGS)) return ANY_STRING;
    const [minLength, maxLength] = [given.count("minLength") ?? 0, given.count("maxLength") ?? Infinity];
    const [pattern, format] = [given.text("pattern"), given.text("format")];
    if (pattern !== undefined) checkPattern(pattern, given.at("pattern"), { path: given.path, keyword: "pattern" });
    if (minLength > maxLength) return undefined;
    return {
      ...ANY_STRING,
      patterns: pattern === undefined ? [] : [pattern],
      formats: format !== undefined && formatItem(format) !== undefined ? [format] : [],
      minLength,
      maxLength,
    };
  }

  private arrays(given: Keywords): ArraySet | undefined {
    if (!given.has(...ABOUT_ARRAYS)) return ANY_ARRAY;
    const isTuple = Array.isArray(given.get("items"));
    const [first, others] = isTuple ? (["items", "additionalItems"] as const) : (["prefixItems", "items"] as const);
    const prefix = (given.list(first) ?? []).map((schema, i) => this.lazy(schema, `${given.at(first)}/${i}`));
    const hasRest = given.has(others);
    const rest = hasRest ? this.lazy(given.get(others), given.at(others)) : ANY;
    return arraySet({
      prefix,
      rest,
      min: given.count("minItems") ?? 0,
      max: given.count("maxItems") ?? Infinity,
      contains: this.contains(given),
      unique: given.boolean("uniqueItems") ? { path: given.path, keyword: "uniqueItems" } : undefined,
      evaluated: this.isTracking ? (hasRest ? Infinity : prefix.length) : 0,
    });
  }

  private contains(given: Keywords): readonly Contains[] {
    if (!given.has("contains")) return [];
    const value = this.lazy(given.get("contains"), given.at("contains"));
    const [min, max] = [given.count("minContains") ?? 1, given.count("maxContains") ?? Infinity];
    if (min === 0 && max === Infinity && !this.isTracking) return [];
    return [{ value, min, max, at: { path: given.path, keyword: "contains" } }];
  }

  private objects(given: Keywords): ObjectSet | undefined {
    if (!given.has(...ABOUT_OBJECTS)) return ANY_OBJECT;
    const properties = given.members("properties");
    const others = given.has("additionalProperties")
      ? this.lazy(given.get("additionalProperties"), given.at("additionalProperties"))
      : ANY;
    const patterns = Object.entries(given.members("patternProperties")).map(([pattern, schema]) => {
      const path = `${given.at("patternProperties")}/${segment(pattern)}`;
      checkPattern(pattern, path, { path: given.path, keyword: "patternProperties" });
      return { names: { ...ANY_STRING, patterns: [pattern] }, value: this.lazy(schema, path) };
    });
    const classes =
      patterns.length > 0
        ? classesOf(patterns, others, this.sets)
        : others === NEVER
          ? []
          : [{ names: ANY_STRING, value: others }];
    const named = new Map<string, Member>();
    const path = given.at("properties");
    for (const name of Object.keys(properties)) {
      let value = this.lazy(properties[name], `${path}/${segment(name)}`);
      for (const one of patterns) if (this.sets.has(one.names, name)) value = this.sets.intersection(value, one.value);
      named.set(name, { value, isRequired: false, isDeclared: true });
    }
    const all: ObjectSet = {
      named,
      classes,
      isOpen: !given.has(...ABOUT_OTHERS),
      min: given.count("minProperties") ?? 0,
      max: given.count("maxProperties") ?? Infinity,
      ...(given.has("minProperties") && { minAt: { path: given.path, keyword: "minProperties" } }),
      ...(this.isTracking && {
        evaluated: {
          names: new Set(named.keys()),
          sets: given.has("additionalProperties") ? [ANY_STRING] : patterns.map(({ names }) => names),
        },
      }),
    };
    for (const name of given.names("required"))
      named.set(name, { ...memberOf(all, name, this.sets), isRequired: true });
    const set = objectSet(all);
    return set && given.has("propertyNames") ? this.withNames(set, given) : set;
  }

  private withNames(set: ObjectSet, given: Keywords): ObjectSet | undefined {
    const schema = given.get("propertyNames");
    const { texts, languages } = this.sets.valuesOf(this.lazy(schema, given.at("propertyNames")));
    spend(texts.size);
    const names = objectSet({
      named: new Map([...texts].map((name) => [name, { value: ANY, isRequired: false, isDeclared: false }])),
      classes: languages.map((language) => ({ names: language, value: ANY })),
      min: 0,
      max: Infinity,
    });
    return names && intersectObjects(set, names, this.sets);
  }
}

function checkPattern(pattern: string, path: string, place: SchemaPlace): void {
  try {
    stringLanguage({ patterns: [pattern] });
  } catch (error) {
    if (isInexpressible(error)) throw unenforced(place, (error as Error).message);
    if (error instanceof InputError && error.code === "LIMIT_EXCEEDED") throw error;
    throw fault(path, (error as Error).message);
  }
}
