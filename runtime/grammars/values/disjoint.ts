/** Whether no value is in two sets of a list. */
import { spend } from "../budget.js";
import { intersect } from "./algebra.js";
import type { Sets } from "./space.js";
import { hasNoScalars, isNested, NEVER, type Lazy, type Values } from "./values.js";

export function areDisjoint(sets: readonly Values[], space: Sets): boolean {
  if (haveTag(sets)) return true;
  return sets.every((a, i) => sets.slice(i + 1).every((b) => differ(a, b, space)));
}

function differ(a: Values, b: Values, space: Sets): boolean {
  spend();
  return space.areEmpty(intersect(a, b, space));
}

/** The texts of a member that lists some and takes nothing else. */
function textsOf(lazy: Lazy): ReadonlySet<string> | undefined {
  const { values } = lazy;
  if (!values || isNested(values) || !hasNoScalars({ ...values, texts: new Set() })) return undefined;
  return values.texts;
}

/** Whether all are objects with a required member that has other texts in each: a discriminator. */
function haveTag(sets: readonly Values[]): boolean {
  const objects = sets.flatMap((set) => set.objects);
  if (objects.length !== sets.length || sets.some((set) => !hasNoScalars(set) || set.arrays.length > 0)) return false;
  const [first] = objects;
  return [...(first?.named ?? [])].some(([name, { isRequired }]) => {
    if (!isRequired) return false;
    const seen = new Set<string>();
    return objects.every(({ named }) => {
      const member = named.get(name);
      if (!member?.isRequired || member.value === NEVER) return false;
      const texts = textsOf(member.value);
      if (!texts) return false;
      spend(texts.size);
      const before = seen.size;
      for (const text of texts) seen.add(text);
      return seen.size === before + texts.size;
    });
  });
}
