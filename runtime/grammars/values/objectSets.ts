/** Sets of objects: intersections and differences. */
import { spend } from "../budget.js";
import { intersectStrings, subtractStrings, without } from "./stringSets.js";
import {
  ANY,
  ANY_OBJECT,
  ANY_STRING,
  NEVER,
  NoForm,
  type Evaluated,
  type Lazy,
  type Member,
  type NameClass,
  type ObjectSet,
  type SchemaPlace,
  type Space,
  type StringSet,
} from "./values.js";

/** Undefined if it is empty, as far as counts and required names show. */
export function objectSet(given: ObjectSet): ObjectSet | undefined {
  let required = 0;
  for (const { value, isRequired } of given.named.values()) {
    if (isRequired && value === NEVER) return undefined;
    if (isRequired) required++;
  }
  const max = given.classes.length > 0 ? given.max : Math.min(given.max, possibleIn(given));
  return required > max || given.min > max ? undefined : { ...given, max };
}

/** How many of the named members can be there. */
function possibleIn({ named }: ObjectSet): number {
  let count = 0;
  for (const { value } of named.values()) if (value !== NEVER) count++;
  return count;
}

/** What a set of objects wants of the value of a name. */
export function memberOf(set: ObjectSet, name: string, space: Space): Member {
  const member = set.named.get(name);
  if (member) return member;
  return {
    value: set.classes.find(({ names }) => space.has(names, name))?.value ?? NEVER,
    isRequired: false,
    isDeclared: false,
  };
}

export function intersectObjects(a: ObjectSet, b: ObjectSet, space: Space): ObjectSet | undefined {
  if (a === b) return a;
  if (a === ANY_OBJECT && b.evaluated === undefined) return b;
  if (b === ANY_OBJECT && a.evaluated === undefined) return a;
  spend(1 + a.named.size + b.named.size);
  const named = new Map<string, Member>();
  for (const name of [...a.named.keys(), ...b.named.keys()]) {
    if (named.has(name)) continue;
    const [x, y] = [memberOf(a, name, space), memberOf(b, name, space)];
    named.set(name, {
      value: space.intersection(x.value, y.value),
      isRequired: x.isRequired || y.isRequired,
      isDeclared: x.isDeclared || y.isDeclared,
    });
  }
  return objectSet({
    named,
    classes: intersectClasses(a.classes, b.classes, space),
    isOpen: Boolean(a.isOpen && b.isOpen),
    min: Math.max(a.min, b.min),
    max: Math.min(a.max, b.max),
    minAt: a.min >= b.min ? (a.minAt ?? b.minAt) : (b.minAt ?? a.minAt),
    ...someOf(a.some, b.some),
    ...evaluatedOf(a.evaluated, b.evaluated),
  });
}

function evaluatedOf(a: Evaluated | undefined, b: Evaluated | undefined): { evaluated?: Evaluated } {
  const evaluated = a && b ? { names: new Set([...a.names, ...b.names]), sets: [...a.sets, ...b.sets] } : (a ?? b);
  return evaluated ? { evaluated } : {};
}

function someOf(a: ObjectSet["some"], b: ObjectSet["some"]): { some?: readonly StringSet[] } {
  const some = a && b ? [...new Set([...a, ...b])] : (a ?? b);
  return some ? { some } : {};
}

function intersectClasses(a: readonly NameClass[], b: readonly NameClass[], space: Space): NameClass[] {
  const classes: NameClass[] = [];
  for (const one of a)
    for (const other of b) {
      const names = intersectStrings(one.names, other.names);
      if (!names || (a.length * b.length > 1 && space.isEmptyString(names))) continue;
      const value = space.intersection(one.value, other.value);
      if (value !== NEVER) classes.push({ names, value });
    }
  return classes;
}

/**
 * Classes of names by the patterns that they match: `patterns` with the values of the names that match, `others` of those that match none.
 */
export function classesOf(
  patterns: readonly { readonly names: StringSet; readonly value: Lazy }[],
  others: Lazy,
  space: Space,
): NameClass[] {
  let classes: { names: StringSet; value: Lazy | undefined }[] = [{ names: ANY_STRING, value: undefined }];
  for (const { names, value } of patterns)
    classes = classes.flatMap((one) => {
      spend(8);
      const both = intersectStrings(one.names, names);
      const matching =
        both && !space.isEmptyString(both)
          ? [{ names: both, value: one.value ? space.intersection(one.value, value) : value }]
          : [];
      const rest = subtractStrings(one.names, names)
        .filter((set) => !space.isEmptyString(set))
        .map((set) => ({ names: set, value: one.value }));
      return [...matching, ...rest];
    });
  return classes.map(({ names, value }) => ({ names, value: value ?? others })).filter(({ value }) => value !== NEVER);
}

/** What is in the first set and not in the second. */
export function subtractObject(a: ObjectSet, b: ObjectSet, space: Space, at: SchemaPlace): ObjectSet[] {
  if (b === ANY_OBJECT || a === b) return [];
  spend(1 + a.named.size + b.named.size);
  const parts: (ObjectSet | undefined)[] = [];
  const withMember = (name: string, value: Lazy, isRequired: boolean): void => {
    const { isDeclared } = memberOf(a, name, space);
    parts.push(objectSet({ ...a, named: new Map(a.named).set(name, { value, isRequired, isDeclared }) }));
  };
  for (const name of new Set([...b.named.keys(), ...a.named.keys()])) {
    const [mine, theirs] = [memberOf(a, name, space), memberOf(b, name, space)];
    const value = space.difference(mine.value, theirs.value, at);
    // it is not there, or another one
    const canBeAbsent = theirs.isRequired && !mine.isRequired;
    if (canBeAbsent || value !== NEVER) withMember(name, value, !canBeAbsent);
  }
  for (const names of othersOutside(a, b, space, at))
    parts.push(objectSet({ ...a, some: [...(a.some ?? []), names], min: Math.max(a.min, 1) }));
  for (const names of b.some ?? []) parts.push(withoutNames(a, names, space));
  if (b.min > 0) parts.push(objectSet({ ...a, max: Math.min(a.max, b.min - 1) }));
  // more members than a set names have another name
  if (b.max < (b.classes.length === 0 ? possibleIn(b) : Infinity))
    parts.push(objectSet({ ...a, min: Math.max(a.min, b.max + 1), minAt: at }));
  return parts.filter((part) => part !== undefined);
}

/**
 * Names that only the first set has. Members of other names must be the same in both: a grammar could ask for one that is not, but a
 * second one of the same name would replace it.
 */
function othersOutside(a: ObjectSet, b: ObjectSet, space: Space, at: SchemaPlace): StringSet[] {
  const named = new Set([...a.named.keys(), ...b.named.keys()]);
  const outside: StringSet[] = [];
  for (const mine of a.classes) {
    let rest: StringSet[] = [without(mine.names, named)];
    for (const theirs of b.classes) {
      const both = intersectStrings(mine.names, theirs.names);
      if (both && theirs.value !== ANY && !space.isEmptyString(without(both, named)))
        if (!space.isEmpty(space.difference(mine.value, theirs.value, at)))
          throw new NoForm("an object with a member that is not as the others has no grammar");
      rest = rest.flatMap((names) => subtractStrings(names, theirs.names));
    }
    for (const names of rest) if (!space.isEmptyString(names)) outside.push(names);
  }
  return outside;
}

/** Objects without members of some names. */
function withoutNames(set: ObjectSet, names: StringSet, space: Space): ObjectSet | undefined {
  const named = new Map(
    [...set.named].map(([name, member]) => [name, space.has(names, name) ? { ...member, value: NEVER } : member]),
  );
  const classes = set.classes.flatMap((one) =>
    subtractStrings(one.names, names)
      .filter((rest) => !space.isEmptyString(rest))
      .map((rest) => ({ names: rest, value: one.value })),
  );
  return objectSet({ ...set, named, classes });
}
