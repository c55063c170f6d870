/** Random schemas of Zod, composed of parts that have values: what programs write, in any combination. */
import { z } from "zod";

type Random = (below: number) => number;

interface Composed {
  readonly schema: z.ZodType;
  /** A valid value, whose members are in their order. */
  value(random: Random): unknown;
}

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)]!;
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const TEXTS = ["", "a", "two\nlines", 'a "quote" and \\', "é😀\u2028", "x".repeat(40), "/path?q=1", "\t\u0001"];
const WORDS = ["alpha", "beta", "gamma", "delta"];

const MATCHING: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^[a-z]+-\d{2,3}$/, ["a-12", "abc-123"]],
  [/\S/, ["x", " y\n"]],
  [/^img-/, ["img-", 'img-"1"']],
  [/\.(?:png|jpe?g)$/, [".png", "a b.jpeg"]],
  [/^(?!.*--)[\w-]{1,8}$/, ["a-b", "A_1"]],
];

const of = (schema: z.ZodType, ...values: readonly unknown[]): Composed => ({
  schema,
  value: (random) => pick(random, values),
});

const PARTS: readonly ((random: Random) => Composed)[] = [
  () => of(z.string(), ...TEXTS),
  () => of(z.string().min(1), ...TEXTS.slice(1)),
  (random) => {
    const most = 1 + random(8);
    const fitting = TEXTS.filter((text) => Array.from(text).length <= most && text.length <= most);
    return of(z.string().max(most), ...fitting);
  },
  (random) => {
    const [pattern, values] = pick(random, MATCHING);
    return of(z.string().regex(pattern), ...values);
  },
  () => of(z.email(), "a@b.co", "x.y+z@example.org"),
  () => of(z.uuid(), "0b7f9a6e-8b52-4c55-9d0a-111111111111"),
  () => of(z.iso.datetime(), "2024-02-29T12:00:00Z", "1999-12-31T23:59:59.123Z"),
  () => of(z.iso.date(), "2024-02-29", "2023-01-31"),
  () => of(z.number(), 0, -1.5, 1e21, 3e-7),
  (random) => {
    const [least, size] = [random(200) - 100, random(1000)];
    return of(
      z
        .int()
        .min(least)
        .max(least + size),
      least,
      least + size,
      least + (size >> 1),
    );
  },
  () => of(z.number().positive(), 1e-9, 12.25),
  () => of(z.boolean(), true, false),
  () => of(z.null(), null),
  () => of(z.literal(["on", 0, null]), "on", 0, null),
  (random) => {
    const words = WORDS.slice(0, 1 + random(4)) as [string, ...string[]];
    return of(z.enum(words), ...words);
  },
];

/** At most so many levels of arrays and objects. */
export function composed(random: Random, levels: number): Composed {
  if (levels === 0 || random(4) === 0) return pick(random, PARTS)(random);
  return pick(random, NESTED)(random, levels - 1);
}

const NESTED: readonly ((random: Random, levels: number) => Composed)[] = [
  objectOf,
  objectOf,
  objectOf,
  (random, levels) => {
    const [item, least] = [composed(random, levels), random(3)];
    const most = least + random(3);
    return {
      schema: z.array(item.schema).min(least).max(most),
      value: (one) => times(least + one(most - least + 1), () => item.value(one)),
    };
  },
  (random, levels) => {
    const items = times(1 + random(3), () => composed(random, levels));
    return {
      schema: z.tuple(items.map(({ schema }) => schema) as [z.ZodType, ...z.ZodType[]]),
      value: (one) => items.map((item) => item.value(one)),
    };
  },
  (random, levels) => {
    const cases = times(2 + random(2), () => composed(random, levels));
    return { schema: z.union(cases.map(({ schema }) => schema)), value: (one) => pick(one, cases).value(one) };
  },
  (random, levels) => {
    const cases = WORDS.slice(0, 2 + random(2)).map((kind) => {
      const item = composed(random, levels);
      return {
        schema: z.strictObject({ kind: z.literal(kind), item: item.schema }),
        value: (one: Random) => ({ kind, item: item.value(one) }),
      };
    });
    const schemas = cases.map(({ schema }) => schema);
    return {
      schema: z.discriminatedUnion("kind", schemas as [(typeof schemas)[0], ...typeof schemas]),
      value: (one) => pick(one, cases).value(one),
    };
  },
  (random, levels) => {
    const item = composed(random, levels);
    return {
      schema: z.record(z.string(), item.schema),
      value: (one) => Object.fromEntries(times(one(3), (i) => [`key ${i}`, item.value(one)])),
    };
  },
  (random, levels) => {
    const item = composed(random, levels);
    return { schema: item.schema.nullable(), value: (one) => (one(3) === 0 ? null : item.value(one)) };
  },
  (random, levels) => {
    const [a, b] = [composed(random, levels), composed(random, levels)];
    return {
      schema: z.intersection(z.looseObject({ a: a.schema }), z.looseObject({ b: b.schema })),
      value: (one) => ({ a: a.value(one), b: b.value(one) }),
    };
  },
];

/** Strict: Zod removes what others do not name, and takes the first case of a union that is left. */
function objectOf(random: Random, levels: number): Composed {
  const names = ["id", "a b", "é", "x/y", "last"].slice(0, 1 + random(5));
  const members = names.map((name) => ({ name, item: composed(random, levels), isOptional: random(3) === 0 }));
  const shape = members.map(({ name, item, isOptional }) => [name, isOptional ? item.schema.optional() : item.schema]);
  return {
    schema: z.strictObject(Object.fromEntries(shape) as Record<string, z.ZodType>),
    value: (one) =>
      Object.fromEntries(
        members.flatMap(({ name, item, isOptional }) =>
          isOptional && one(2) === 0 ? [] : [[name, item.value(one)] as const],
        ),
      ),
  };
}

/** A value with something else somewhere in it. */
export function changed(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random(4) === 0)
    return pick(random, [
      null,
      true,
      0,
      -1.5,
      7,
      1e6,
      "",
      "alpha",
      "b".repeat(9),
      "2023-02-29",
      [],
      {},
      [value],
      { kind: "alpha" },
    ]);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const at = random(items.length + 1);
    if (at === items.length || random(3) === 0) return items.toSpliced(at, 0, "more");
    return random(3) === 0 ? items.toSpliced(at, 1) : items.with(at, changed(random, items[at]));
  }
  const entries = Object.entries(value);
  const at = random(entries.length + 1);
  if (at === entries.length) return { ...value, other: 1 };
  if (random(3) === 0) return Object.fromEntries(entries.toSpliced(at, 1));
  return Object.fromEntries(entries.with(at, [entries[at]![0], changed(random, entries[at]![1])]));
}
