/** How deep values are: lines are indented by their levels. */
import { spend } from "../budget.js";
import { written } from "./objectItems.js";
import type { Writing } from "./writing.js";
import { ANY, type Lazy, type Values } from "./values.js";

/** The levels of arrays and objects in the values of a set, at most `most`. */
export function levelsOf(root: Lazy, { sets, others }: Pick<Writing, "sets" | "others">, most: number): number {
  let inside = new Set([root]);
  for (let level = 0; level < most; level++) {
    const next = new Set<Lazy>();
    let isNested = false;
    for (const lazy of inside) {
      // of any depth
      if (lazy === ANY) return most;
      const values = sets.valuesOf(lazy);
      spend();
      isNested ||= values.arrays.length + values.objects.length > 0;
      for (const part of partsOf(values, others)) next.add(part);
    }
    if (!isNested) return level;
    inside = next;
  }
  return most;
}

function* partsOf({ arrays, objects }: Values, others: Writing["others"]): Generator<Lazy> {
  for (const { prefix, rest, max } of arrays) {
    yield* prefix;
    if (max > prefix.length) yield rest;
  }
  for (const set of objects) {
    const { named, classes } = written(set, others);
    for (const { value } of named.values()) yield value;
    for (const { value } of classes) yield value;
  }
}
