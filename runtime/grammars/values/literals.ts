/** Values that a schema lists. */
import { spend } from "../budget.js";
import { NEVER, NO_VALUES, type ArraySet, type Lazy, type Member, type ObjectSet, type Values } from "./values.js";
import type { Sets } from "./space.js";

export class Literals {
  private readonly known = new Map<string, Lazy>();

  constructor(private readonly sets: Sets) {}

  of(values: readonly unknown[]): Values {
    const [booleans, numbers, texts] = [new Set<boolean>(), new Set<number>(), new Set<string>()];
    const arrays = new Map<string, ArraySet>();
    const objects = new Map<string, ObjectSet>();
    let hasNull = false;
    for (const value of values) {
      spend();
      if (value === null) hasNull = true;
      else if (typeof value === "boolean") booleans.add(value);
      else if (typeof value === "number") numbers.add(value + 0);
      else if (typeof value === "string") texts.add(value);
      else if (Array.isArray(value)) arrays.set(JSON.stringify(value), this.array(value));
      else objects.set(JSON.stringify(value), this.object(value as object));
    }
    return {
      ...NO_VALUES,
      hasNull,
      booleans: [...booleans],
      numbers,
      texts,
      arrays: [...arrays.values()],
      objects: [...objects.values()],
    };
  }

  private one(value: unknown): Lazy {
    const text = JSON.stringify(value);
    spend(text.length / 8);
    const known = this.known.get(text) ?? this.sets.made(this.of([value]));
    this.known.set(text, known);
    return known;
  }

  private array(items: readonly unknown[]): ArraySet {
    const prefix = items.map((item) => this.one(item));
    return { prefix, rest: NEVER, min: items.length, max: items.length, contains: [], evaluated: 0 };
  }

  private object(members: object): ObjectSet {
    const entries = Object.entries(members) as [string, unknown][];
    const named = new Map<string, Member>(
      entries.map(([name, value]) => [name, { value: this.one(value), isRequired: true, isDeclared: true }]),
    );
    return { named, classes: [], min: named.size, max: named.size };
  }
}
