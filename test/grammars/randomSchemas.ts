/** Random JSON schemas over few names, texts and numbers, and random values that many of them are about. */

export type Random = (n: number) => number;

const NAMES = ["a", "b", "c", "ab"] as const;
const TEXTS = ["", "a", "b", "ab", "abc", "ba", '"', "\n"] as const;
const NUMBERS = [-2, -1.5, -1, 0, 0.5, 1, 1.5, 2, 3, 10, 12] as const;
const PATTERNS = ["^a", "b$", "^a*$", "a|c", "^[^a]", "^.{2}$", "[ab]c?$"] as const;
const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"] as const;

export const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)]!;

function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const result = [...list];
  for (let i = result.length - 1; i > 0; i--) {
    const k = random(i + 1);
    [result[i], result[k]] = [result[k]!, result[i]!];
  }
  return result;
}

const some = <T>(random: Random, most: number, one: () => T): T[] => Array.from({ length: 1 + random(most) }, one);

export function randomValue(random: Random, depth = 2): unknown {
  switch (random(depth > 0 ? 7 : 4)) {
    case 0:
      return pick(random, [null, true, false]);
    case 1:
      return pick(random, NUMBERS);
    case 2:
    case 3:
      return pick(random, TEXTS);
    case 4:
      return Array.from({ length: random(4) }, () => randomValue(random, depth - 1));
    default:
      return Object.fromEntries(
        shuffled(random, NAMES)
          .slice(random(5))
          .map((name) => [name, randomValue(random, depth - 1)]),
      );
  }
}

type Entries = readonly (readonly [keyword: string, value: unknown])[];

/** Keywords for each kind of values, and those that combine schemas. */
const FAMILIES: Readonly<Record<string, (random: Random, schema: () => unknown) => Entries>> = {
  number: (random) => [
    ["minimum", pick(random, NUMBERS)],
    ["maximum", pick(random, NUMBERS)],
    ["exclusiveMinimum", pick(random, NUMBERS)],
    ["exclusiveMaximum", pick(random, NUMBERS)],
    ["multipleOf", pick(random, [0.5, 1, 1.5, 2, 3, 10])],
  ],
  string: (random) => [
    ["minLength", random(3)],
    ["maxLength", random(4)],
    ["pattern", pick(random, PATTERNS)],
  ],
  array: (random, schema) => [
    ["items", schema()],
    ["prefixItems", some(random, 2, schema)],
    ["minItems", random(3)],
    ["maxItems", random(4)],
    ["contains", schema()],
    ["minContains", random(3)],
    ["maxContains", random(3)],
    ["uniqueItems", true],
    ["unevaluatedItems", random(2) > 0 ? false : schema()],
  ],
  object: (random, schema) => [
    ["properties", membersOf(random, 3, schema)],
    ["required", [...new Set(some(random, 2, () => pick(random, NAMES)))]],
    ["additionalProperties", random(2) > 0 ? false : schema()],
    ["patternProperties", Object.fromEntries(some(random, 2, () => [pick(random, PATTERNS), schema()]))],
    ["propertyNames", random(2) > 0 ? { pattern: pick(random, PATTERNS) } : { enum: ["a", "b"] }],
    ["minProperties", random(3)],
    ["maxProperties", random(4)],
    ["dependentRequired", { [pick(random, NAMES)]: [pick(random, NAMES)] }],
    ["dependentSchemas", { [pick(random, NAMES)]: schema() }],
    ["unevaluatedProperties", random(2) > 0 ? false : schema()],
  ],
  all: (random, schema) => [
    ["allOf", some(random, 2, schema)],
    ["anyOf", some(random, 3, schema)],
    ["oneOf", some(random, 3, schema)],
    ["not", schema()],
    ["if", schema()],
    ["then", schema()],
    ["else", schema()],
    ["const", randomValue(random)],
    ["enum", some(random, 4, () => randomValue(random))],
    ["$ref", random(4) > 0 ? "#/$defs/one" : "#"],
  ],
};

const membersOf = (random: Random, most: number, schema: () => unknown): object =>
  Object.fromEntries(some(random, most, () => [pick(random, NAMES), schema()]));

/** A schema with a few keywords, in random order. */
export function randomSchema(random: Random, depth: number): unknown {
  if (random(12) === 0) return random(3) > 0;
  const inner = (): unknown => (depth > 0 ? randomSchema(random, depth - 1) : { type: pick(random, TYPES) });
  const family = pick(random, Object.keys(FAMILIES));
  const entries: [string, unknown][] = [];
  const add = (name: string, most: number): void => {
    const all = FAMILIES[name]!(random, inner).filter(([keyword]) => depth > 0 || !isNested(keyword));
    for (const [keyword, value] of shuffled(random, all).slice(0, random(most + 1))) entries.push([keyword, value]);
  };
  add(family, family === "all" ? 2 : 4);
  if (random(3) === 0) add(pick(random, Object.keys(FAMILIES)), 2);
  if (random(3) > 0)
    entries.push([
      "type",
      random(3) > 0 && family !== "all" ? family : [...new Set(some(random, 2, () => pick(random, TYPES)))],
    ]);
  return Object.fromEntries(shuffled(random, entries));
}

const isNested = (keyword: string): boolean =>
  /^(?:\$ref|allOf|anyOf|oneOf|not|if|then|else|items|prefixItems|contains|.*Properties|dependentSchemas|properties)$/.test(
    keyword,
  ) && !/^m..Properties$/.test(keyword);

/** The same value with a part that is another one. */
export function mutated(random: Random, value: unknown): unknown {
  if (random(4) === 0 || typeof value !== "object" || value === null) return randomValue(random, 1);
  if (Array.isArray(value)) {
    const list = [...(value as unknown[])];
    list.splice(random(list.length + 1), random(2), mutated(random, list[0] ?? null));
    return list;
  }
  return { ...value, [pick(random, NAMES)]: randomValue(random, 1) };
}

/** A value that is likely to be valid. */
export function likelyValue(random: Random, schema: unknown, root: unknown, depth = 4): unknown {
  if (depth === 0 || typeof schema !== "object" || schema === null || random(12) === 0) return randomValue(random, 1);
  const given = schema as Readonly<Record<string, unknown>>;
  const inner = (one: unknown): unknown => likelyValue(random, one, root, depth - 1);
  const { enum: listed, allOf, anyOf, oneOf, $ref, type } = given;
  if ("const" in given) return given["const"];
  if (Array.isArray(listed)) return pick(random, listed as unknown[]);
  if (typeof $ref === "string") return inner($ref === "#" ? root : (root as { $defs?: { one?: unknown } }).$defs?.one);
  for (const cases of [allOf, anyOf, oneOf])
    if (Array.isArray(cases) && random(3) > 0) return inner(pick(random, cases as unknown[]));
  const types = type === undefined ? impliedTypes(given) : [type].flat();
  const {
    prefixItems = [],
    items,
    contains,
    minItems = 0,
  } = given as { prefixItems?: unknown[]; items?: unknown; contains?: unknown; minItems?: number };
  const { properties = {}, required = [] } = given as { properties?: Record<string, unknown>; required?: string[] };
  switch (pick(random, types)) {
    case "null":
      return null;
    case "boolean":
      return random(2) > 0;
    case "integer":
      return random(8) - 2;
    case "number":
      return pick(random, NUMBERS);
    case "string":
      return pick(random, TEXTS);
    case "array":
      return Array.from({ length: random(3) + minItems }, (_, i) =>
        inner(prefixItems[i] ?? (random(2) > 0 ? contains : undefined) ?? items ?? true),
      );
    default: {
      const names = [
        ...Object.keys(properties).filter(() => random(2) > 0),
        ...required,
        ...(random(3) === 0 ? [pick(random, NAMES)] : []),
      ];
      return Object.fromEntries(
        shuffled(random, [...new Set(names)]).map((name) => [name, inner(properties[name] ?? true)]),
      );
    }
  }
}

function impliedTypes(schema: object): readonly string[] {
  if ("properties" in schema || "required" in schema || "additionalProperties" in schema) return ["object"];
  if ("items" in schema || "prefixItems" in schema || "contains" in schema) return ["array"];
  return TYPES;
}
