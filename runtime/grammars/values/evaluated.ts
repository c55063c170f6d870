/** `unevaluatedProperties` and `unevaluatedItems`: what no other keyword of the schema was about. */
import { arraySet, itemAt } from "./arraySets.js";
import { unenforced } from "./faults.js";
import { objectSet } from "./objectSets.js";
import { intersectStrings, subtractStrings } from "./stringSets.js";
import {
  ANY,
  ANY_STRING,
  NEVER,
  type ArraySet,
  type Lazy,
  type NameClass,
  type ObjectSet,
  type Space,
  type StringSet,
} from "./values.js";

export function withoutUnevaluatedMembers(set: ObjectSet, others: Lazy, space: Space): ObjectSet | undefined {
  const { names, sets } = set.evaluated ?? { names: new Set<string>(), sets: [] };
  const isEvaluated = (name: string): boolean => names.has(name) || sets.some((one) => space.has(one, name));
  const named = new Map(
    [...set.named].map(([name, member]) => [
      name,
      isEvaluated(name) ? member : { ...member, value: space.intersection(member.value, others) },
    ]),
  );
  const classes = set.classes.flatMap((one) => divided(one, sets, others, space));
  return objectSet({ ...set, named, classes, isOpen: false, evaluated: { names: new Set(), sets: [ANY_STRING] } });
}

/** The names of a class that are evaluated, and the others. */
function divided({ names, value }: NameClass, sets: readonly StringSet[], others: Lazy, space: Space): NameClass[] {
  const classes: NameClass[] = [];
  let left: StringSet[] = [names];
  for (const set of sets) {
    for (const one of left) {
      const both = intersectStrings(one, set);
      if (both && !space.isEmptyString(both)) classes.push({ names: both, value });
    }
    left = left.flatMap((one) => subtractStrings(one, set));
  }
  const rest = space.intersection(value, others);
  if (rest !== NEVER) for (const one of left) if (!space.isEmptyString(one)) classes.push({ names: one, value: rest });
  return classes;
}

export function withoutUnevaluatedItems(set: ArraySet, others: Lazy, space: Space, path: string): ArraySet | undefined {
  const { evaluated } = set;
  if (evaluated === Infinity || others === ANY) return { ...set, evaluated: Infinity };
  if (set.contains.length > 0)
    throw unenforced(
      { path, keyword: "unevaluatedItems" },
      "beside `contains`, which items it is about has no grammar",
    );
  const length = Math.max(set.prefix.length, evaluated);
  const prefix = Array.from({ length }, (_, i) =>
    i < evaluated ? itemAt(set, i) : space.intersection(itemAt(set, i), others),
  );
  return arraySet({ ...set, prefix, rest: space.intersection(set.rest, others), evaluated: Infinity });
}
