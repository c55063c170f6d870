/** Unions, intersections and differences of sets of values. */
import { spend } from "../budget.js";
import { intersectArrays, subtractArray } from "./arraySets.js";
import { withoutContained } from "./contained.js";
import { intersectRanges, isInRange, subtractNumbers, subtractRange } from "./numberSets.js";
import { intersectObjects, subtractObject } from "./objectSets.js";
import { intersectStrings, subtractStrings, without } from "./stringSets.js";
import {
  ALL_VALUES,
  ANY_ARRAY,
  ANY_NUMBER,
  ANY_OBJECT,
  ANY_STRING,
  NO_VALUES,
  type ArraySet,
  type ObjectSet,
  type SchemaPlace,
  type Space,
  type StringSet,
  type Values,
} from "./values.js";

/** Of all lists, without what is there twice; one that contains all others is alone. */
function listed<T>(lists: readonly (readonly T[])[], whole: T): readonly T[] {
  const some = lists.filter((list) => list.length > 0);
  if (some.length < 2) return some[0] ?? [];
  const all = new Set<T>();
  for (const list of some) for (const one of list) all.add(one);
  spend(all.size);
  return all.has(whole) && ![...all].some(isEvaluated) ? [whole] : [...all];
}

/** Whether it says which members or items are evaluated, which a set that contains it does not. */
const isEvaluated = (set: unknown): boolean => Boolean((set as Partial<ArraySet & ObjectSet>).evaluated);

export function unionOf(given: readonly Values[]): Values {
  const sets = given.filter((set) => set !== NO_VALUES);
  spend(1 + sets.length);
  if (sets.length < 2) return sets[0] ?? NO_VALUES;
  return {
    hasNull: sets.some(({ hasNull }) => hasNull),
    booleans: [...new Set(sets.flatMap(({ booleans }) => booleans))],
    numbers: joined(sets.map(({ numbers }) => numbers)),
    ranges: listed(
      sets.map(({ ranges }) => ranges),
      ANY_NUMBER,
    ),
    texts: joined(sets.map(({ texts }) => texts)),
    languages: listed(
      sets.map(({ languages }) => languages),
      ANY_STRING,
    ),
    arrays: listed(
      sets.map(({ arrays }) => arrays),
      ANY_ARRAY,
    ),
    objects: listed(
      sets.map(({ objects }) => objects),
      ANY_OBJECT,
    ),
  };
}

export const union = (a: Values, b: Values): Values => (a === b ? a : unionOf([a, b]));

function joined<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> {
  const all = new Set<T>();
  for (const set of sets) for (const one of set) all.add(one);
  spend(all.size / 8);
  return all;
}

function pairs<T>(a: readonly T[], b: readonly T[], both: (a: T, b: T) => T | undefined): readonly T[] {
  spend(a.length * b.length);
  const result: T[] = [];
  for (const one of a)
    for (const other of b) {
      const common = both(one, other);
      if (common !== undefined) result.push(common);
    }
  return result;
}

export function intersect(a: Values, b: Values, space: Space): Values {
  spend();
  if (a === b || a === NO_VALUES) return a;
  if (b === NO_VALUES) return b;
  return {
    hasNull: a.hasNull && b.hasNull,
    booleans: a.booleans.filter((value) => b.booleans.includes(value)),
    numbers: listedIn(a.numbers, b.numbers, a, b, (x, { ranges }) => ranges.some((range) => isInRange(x, range))),
    ranges: pairs(a.ranges, b.ranges, intersectRanges),
    texts: listedIn(a.texts, b.texts, a, b, (x, { languages }) => languages.some((set) => space.has(set, x))),
    languages: pairs(a.languages, b.languages, intersectStrings),
    arrays: pairs(a.arrays, b.arrays, (x, y) => intersectArrays(x, y, space)),
    objects: pairs(a.objects, b.objects, (x, y) => intersectObjects(x, y, space)),
  };
}

/** What one set lists and the other has, in the order of the first. */
function listedIn<T>(
  a: ReadonlySet<T>,
  b: ReadonlySet<T>,
  valuesOfA: Values,
  valuesOfB: Values,
  isInside: (value: T, values: Values) => boolean,
): ReadonlySet<T> {
  if (a.size + b.size === 0) return a;
  const sizes = (values: Values): number => 1 + values.ranges.length + values.languages.length;
  spend(a.size * sizes(valuesOfB) + b.size * sizes(valuesOfA));
  return new Set([
    ...[...a].filter((value) => b.has(value) || isInside(value, valuesOfB)),
    ...[...b].filter((value) => isInside(value, valuesOfA)),
  ]);
}

/** What is in the first and not in the second. Throws `NoForm`. */
export function subtract(a: Values, b: Values, space: Space, at: SchemaPlace): Values {
  spend();
  if (a === NO_VALUES || b === NO_VALUES) return a;
  if (a === b || b === ALL_VALUES) return NO_VALUES;
  const isNumber = (x: number): boolean => b.numbers.has(x) || b.ranges.some((range) => isInRange(x, range));
  const isText = (x: string): boolean => b.texts.has(x) || b.languages.some((set) => space.has(set, x));
  const minus = <T>(from: readonly T[], what: readonly T[], less: (x: T, y: T) => readonly T[]): readonly T[] =>
    what.reduce<readonly T[]>(
      (left, y) =>
        left.flatMap((x) => {
          spend();
          return less(x, y);
        }),
      from,
    );
  // texts that a language of the second leaves out are left
  const left = b.languages.flatMap(({ excluded }) => [...excluded]);
  return {
    hasNull: a.hasNull && !b.hasNull,
    booleans: a.booleans.filter((value) => !b.booleans.includes(value)),
    numbers: new Set([...a.numbers].filter((x) => !isNumber(x))),
    ranges: minus(subtractNumbers(a.ranges, b.numbers), b.ranges, subtractRange),
    texts: new Set([
      ...[...a.texts].filter((x) => !isText(x)),
      ...left.filter((x) => !isText(x) && a.languages.some((set) => space.has(set, x))),
    ]),
    languages: minus<StringSet>(
      a.languages.map((set) => without(set, b.texts)),
      b.languages,
      subtractStrings,
    ),
    arrays: minus(a.arrays, b.arrays, (x, y) => subtractArray(x, y, space, at)),
    objects: b.objects.reduce<readonly ObjectSet[]>(
      (rest, y) =>
        withoutContained(
          minus(rest, [y], (x) => subtractObject(x, y, space, at)),
          space,
        ),
      a.objects,
    ),
  };
}
