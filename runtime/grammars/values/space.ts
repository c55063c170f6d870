/** The sets of values of one schema: made when they are needed, once for each pair that is combined. */
import { spend } from "../budget.js";
import { intersect, subtract } from "./algebra.js";
import { unenforced } from "./faults.js";
import { intersectStrings } from "./stringSets.js";
import { StringQuestions } from "./stringItems.js";
import {
  ANY,
  hasNoScalars,
  isNested,
  isNone,
  Lazy,
  NEVER,
  NoForm,
  type ArraySet,
  type ObjectSet,
  type SchemaPlace,
  type Space,
  type StringSet,
  type Values,
} from "./values.js";

/** A set is asked for while it is made: it refers to nothing but itself. */
export class Circle extends Error {}

export class Sets implements Space {
  private count = 2;
  private readonly combined = new Map<string, Lazy>();
  private readonly parts = new Map<Lazy, readonly Lazy[]>();
  private readonly opposites = new Map<Lazy, Lazy>();
  private readonly texts = new StringQuestions();
  /** Whether the emptiness of a set was asked for that is being made. */
  private isUnsure = false;

  make(path: string | undefined, make: () => Values): Lazy {
    spend();
    return new Lazy(this.count++, path, make);
  }

  made(values: Values): Lazy {
    if (isNone(values)) return NEVER;
    const lazy = this.make(undefined, () => values);
    lazy.values = values;
    return lazy;
  }

  valuesOf(lazy: Lazy): Values {
    if (lazy.values) return lazy.values;
    if (lazy.isMaking) throw new Circle();
    lazy.isMaking = true;
    try {
      return (lazy.values = lazy.make());
    } finally {
      lazy.isMaking = false;
    }
  }

  private combine(key: string, make: () => Values, isKnown: boolean): Lazy {
    const known = this.combined.get(key);
    if (known) return known;
    const lazy = isKnown ? this.made(make()) : this.make(undefined, make);
    this.combined.set(key, lazy);
    return lazy;
  }

  /** Intersections of intersections are those of all their parts, so that recursive schemas have finitely many. */
  intersection(a: Lazy, b: Lazy): Lazy {
    if (a === b || b === ANY || a === NEVER) return a;
    if (a === ANY || b === NEVER) return b;
    const parts = [...new Set([...this.partsOf(a), ...this.partsOf(b)])].sort((x, y) => x.id - y.id);
    spend(parts.length);
    const key = parts.map(({ id }) => id).join("&");
    for (const one of [a, b]) if (this.partsOf(one).length === parts.length) return one;
    const make = (): Values => intersect(this.valuesOf(a), this.valuesOf(b), this);
    const result = this.combine(key, make, areFlat(a, b));
    if (result !== NEVER) this.parts.set(result, parts);
    return result;
  }

  private partsOf(lazy: Lazy): readonly Lazy[] {
    return this.parts.get(lazy) ?? [lazy];
  }

  difference(a: Lazy, b: Lazy, at: SchemaPlace): Lazy {
    if (a === b || a === NEVER || b === ANY) return NEVER;
    if (b === NEVER) return a;
    // the opposite of an opposite
    const opposite = a === ANY ? this.opposites.get(b) : undefined;
    if (opposite) return opposite;
    const subtracted = (): Values => this.subtracted(this.valuesOf(a), this.valuesOf(b), at);
    const result = this.combine(`${a.id}-${b.id}`, subtracted, areFlat(a, b));
    if (a === ANY) this.opposites.set(result, b);
    return result;
  }

  subtracted(a: Values, b: Values, at: SchemaPlace): Values {
    try {
      return subtract(a, b, this, at);
    } catch (error) {
      if (error instanceof NoForm) throw unenforced(at, error.message);
      throw error;
    }
  }

  has(set: StringSet, text: string): boolean {
    return this.texts.has(set, text);
  }

  isEmptyString(set: StringSet): boolean {
    return this.texts.isEmpty(set);
  }

  /** Whether no value is in the set: a value has an end, so that a set which only leads back to itself has none. */
  isEmpty(lazy: Lazy): boolean {
    const before = this.isUnsure;
    const { isEmpty } = this.visited(lazy, 0);
    this.isUnsure = before;
    return isEmpty;
  }

  isEmptyArray(set: ArraySet): boolean {
    return this.visitedArray(set, 0).isEmpty;
  }

  isEmptyObject(set: ObjectSet): boolean {
    return this.visitedObject(set, 0).isEmpty;
  }

  areEmpty(values: Values): boolean {
    const before = this.isUnsure;
    const { isEmpty } = this.visitedValues(values, 0);
    this.isUnsure = before;
    return isEmpty;
  }

  /**
   * Sets that are being decided count as empty; `lowest` is the least deep of them that the result relies on. What is found with
   * them is remembered only if it relies on none.
   */
  private visited(lazy: Lazy, depth: number): Visited {
    if (lazy.isEmpty !== undefined) return { isEmpty: lazy.isEmpty, lowest: Infinity };
    if (lazy.depth !== undefined) return { isEmpty: true, lowest: lazy.depth };
    spend();
    const values = this.valuesOrNone(lazy);
    if (!values) return { isEmpty: false, lowest: Infinity };
    lazy.depth = depth;
    const before = this.isUnsure;
    this.isUnsure = false;
    try {
      const { isEmpty, lowest } = this.visitedValues(values, depth + 1);
      if (isEmpty ? lowest >= depth : !this.isUnsure) lazy.isEmpty = isEmpty;
      return { isEmpty, lowest: lowest >= depth ? Infinity : lowest };
    } finally {
      lazy.depth = undefined;
      this.isUnsure ||= before;
    }
  }

  private valuesOrNone(lazy: Lazy): Values | undefined {
    if (lazy.isMaking) {
      this.isUnsure = true;
      return undefined;
    }
    try {
      return this.valuesOf(lazy);
    } catch (error) {
      if (!(error instanceof Circle)) throw error;
      this.isUnsure = true;
      return undefined;
    }
  }

  private visitedValues(values: Values, depth: number): Visited {
    const { languages } = values;
    if (!hasNoScalars({ ...values, languages: [] })) return { isEmpty: false, lowest: Infinity };
    if (languages.some((set) => !this.isEmptyString(set))) return { isEmpty: false, lowest: Infinity };
    let lowest = Infinity;
    const isFound = (isEmpty: (set: never) => Visited, sets: readonly unknown[]): boolean =>
      sets.some((set) => {
        const visited = isEmpty(set as never);
        lowest = Math.min(lowest, visited.lowest);
        return !visited.isEmpty;
      });
    const hasSome =
      isFound((set: ArraySet) => this.visitedArray(set, depth), values.arrays) ||
      isFound((set: ObjectSet) => this.visitedObject(set, depth), values.objects);
    return { isEmpty: !hasSome, lowest };
  }

  private visitedArray({ prefix, rest, min, max, contains }: ArraySet, depth: number): Visited {
    const items = Array.from({ length: Math.min(min, prefix.length) }, (_, i) => prefix[i]!);
    if (min > prefix.length) items.push(rest);
    const needed = this.all(items, depth);
    if (needed.isEmpty) return needed;
    let { lowest } = needed;
    const isPossible = (item: Lazy): boolean => {
      const visited = this.visited(item, depth);
      lowest = Math.min(lowest, visited.lowest);
      return !visited.isEmpty;
    };
    for (const one of contains) {
      if (one.min === 0) continue;
      // one of the places has it, and those before it can be
      const places = max > prefix.length ? [...prefix, rest] : prefix;
      const last = places.findIndex((item) => !isPossible(item));
      const reached = last < 0 ? places : places.slice(0, last);
      if (!reached.some((item) => isPossible(this.intersection(item, one.value)))) return { isEmpty: true, lowest };
    }
    return { isEmpty: false, lowest };
  }

  private visitedObject(set: ObjectSet, depth: number): Visited {
    const { named, classes, some = [] } = set;
    const needed: Lazy[] = [];
    for (const { value, isRequired } of named.values()) if (isRequired) needed.push(value);
    const all = this.all(needed, depth);
    if (all.isEmpty || (needed.length >= set.min && some.length === 0)) return all;
    // others, of which there must be enough
    let { lowest } = all;
    const isPossible = (value: Lazy): boolean => {
      const visited = this.visited(value, depth);
      lowest = Math.min(lowest, visited.lowest);
      return !visited.isEmpty;
    };
    for (const one of some) {
      const isNamed = [...named].some(([name, { value }]) => this.has(one, name) && isPossible(value));
      if (!isNamed && !classes.some(({ names, value }) => this.meet(one, names) && isPossible(value)))
        return { isEmpty: true, lowest };
    }
    let left = set.min - needed.length;
    if (left <= 0) return { isEmpty: false, lowest };
    for (const { names, value } of classes)
      if (isPossible(value) && !this.isEmptyString(names)) return { isEmpty: false, lowest: Infinity };
    for (const { value, isRequired } of named.values())
      if (left > 0 && !isRequired && value !== NEVER && isPossible(value)) left--;
    return { isEmpty: left > 0, lowest };
  }

  private meet(a: StringSet, b: StringSet): boolean {
    const both = intersectStrings(a, b);
    return both !== undefined && !this.isEmptyString(both);
  }

  /** Whether one of the sets is empty. */
  private all(sets: readonly Lazy[], depth: number): Visited {
    let lowest = Infinity;
    for (const set of sets) {
      const visited = this.visited(set, depth);
      if (visited.isEmpty) return visited;
      lowest = Math.min(lowest, visited.lowest);
    }
    return { isEmpty: false, lowest };
  }
}

interface Visited {
  readonly isEmpty: boolean;
  readonly lowest: number;
}

/** Whether the sets are made, and one has no arrays or objects: they are combined at once. */
const areFlat = ({ values: a }: Lazy, { values: b }: Lazy): boolean =>
  a !== undefined && b !== undefined && !(isNested(a) && isNested(b));
