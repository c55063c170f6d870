/** Sets of objects that others contain: they are left out of unions, which differences make long. */
import { spend } from "../budget.js";
import { memberOf } from "./objectSets.js";
import {
  ANY,
  ANY_STRING,
  NEVER,
  type Evaluated,
  type Lazy,
  type NameClass,
  type ObjectSet,
  type Space,
} from "./values.js";

/** Beyond so many, only the first are compared with all others. */
const MOST_COMPARED = 200;

export function withoutContained(sets: readonly ObjectSet[], space: Space): readonly ObjectSet[] {
  if (sets.length < 2) return sets;
  const kept: ObjectSet[] = [];
  for (const set of sets) {
    const compared = kept.length > MOST_COMPARED ? kept.slice(0, MOST_COMPARED) : kept;
    if (compared.some((other) => contains(other, set, space))) continue;
    for (let i = kept.length - 1; i >= 0 && kept.length <= MOST_COMPARED; i--)
      if (contains(set, kept[i]!, space)) kept.splice(i, 1);
    kept.push(set);
  }
  return kept;
}

/** Whether each object of `b` is in `a`, as far as equal parts show. */
function contains(a: ObjectSet, b: ObjectSet, space: Space): boolean {
  spend(1 + a.named.size / 4);
  if (a.min > b.min || a.max < b.max || !isSameEvaluated(a.evaluated, b.evaluated)) return false;
  if (a.some?.some((names) => !b.some?.includes(names))) return false;
  for (const [name, x] of a.named) {
    const y = memberOf(b, name, space);
    if ((x.isRequired && !y.isRequired) || !isWithin(x.value, y.value)) return false;
  }
  for (const [name, y] of b.named)
    if (!a.named.has(name) && !isWithin(memberOf(a, name, space).value, y.value)) return false;
  return isAny(a.classes) || areSame(a.classes, b.classes);
}

const isWithin = (whole: Lazy, part: Lazy): boolean => whole === part || whole === ANY || part === NEVER;

const isAny = ([first]: readonly NameClass[]): boolean => first?.names === ANY_STRING && first.value === ANY;

const areSame = (a: readonly NameClass[], b: readonly NameClass[]): boolean =>
  a === b ||
  (a.length === b.length && a.every(({ names, value }, i) => names === b[i]!.names && isWithin(value, b[i]!.value)));

const isSameEvaluated = (a: Evaluated | undefined, b: Evaluated | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.names.size === b.names.size &&
    a.sets.length === b.sets.length &&
    a.sets.every((set, i) => set === b.sets[i]) &&
    [...a.names].every((name) => b.names.has(name)));
