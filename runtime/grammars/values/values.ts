/**
 * Sets of JSON values in normal form: a union by type. What is inside of arrays and objects is a `Lazy`, a set that is made when it is
 * needed, so that schemas may refer to themselves.
 */

/** Where in a schema something was asked for, for messages. */
export interface SchemaPlace {
  readonly path: string;
  readonly keyword: string;
}

/** Multiples of `units` times 10 to the power of -`places`. */
export interface Step {
  readonly units: bigint;
  readonly places: number;
}

/** Numbers between two that are included. `fraction`: those that are not integers. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly kind: "any" | "integer" | "fraction";
  readonly step?: Step | undefined;
  /** What asked for the step. */
  readonly at?: SchemaPlace | undefined;
}

/** Texts that match all of these. */
export interface StringSet {
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
  readonly notPatterns: readonly string[];
  readonly notFormats: readonly string[];
  readonly minLength: number;
  readonly maxLength: number;
  readonly excluded: ReadonlySet<string>;
}

/** At least `min` and at most `max` items are among the values. */
export interface Contains {
  readonly value: Lazy;
  readonly min: number;
  readonly max: number;
  readonly at: SchemaPlace;
}

export interface ArraySet {
  readonly prefix: readonly Lazy[];
  /** The items after the prefix. */
  readonly rest: Lazy;
  readonly min: number;
  readonly max: number;
  readonly contains: readonly Contains[];
  /** What asked for items that are all different. */
  readonly unique?: SchemaPlace | undefined;
  /** How many of the first items `unevaluatedItems` leaves alone. */
  readonly evaluated: number;
}

export interface Member {
  readonly value: Lazy;
  readonly isRequired: boolean;
  /** Whether it is in `properties`, or in a listed object: its place among the others is known. */
  readonly isDeclared: boolean;
}

/** Members whose names are among some texts and not among the named ones. */
export interface NameClass {
  readonly names: StringSet;
  readonly value: Lazy;
}

export interface ObjectSet {
  /** Those that are declared are in their order. One whose value is `NEVER` may not come. */
  readonly named: ReadonlyMap<string, Member>;
  /** Names of two of these never coincide; a name in none may not come. */
  readonly classes: readonly NameClass[];
  /** For each of these, a member's name is in it. */
  readonly some?: readonly StringSet[];
  /** Whether no keyword said which other members may come: then any may, as far as validity goes. */
  readonly isOpen?: boolean;
  readonly min: number;
  readonly max: number;
  /** What asked for `min`. */
  readonly minAt?: SchemaPlace | undefined;
  /** The names that `unevaluatedProperties` leaves alone; undefined where no schema asks. */
  readonly evaluated?: Evaluated | undefined;
}

export interface Evaluated {
  readonly names: ReadonlySet<string>;
  readonly sets: readonly StringSet[];
}

export interface Values {
  readonly hasNull: boolean;
  readonly booleans: readonly boolean[];
  /** Listed numbers, beside those of the ranges. */
  readonly numbers: ReadonlySet<number>;
  readonly ranges: readonly NumberRange[];
  /** Listed texts, beside the languages. */
  readonly texts: ReadonlySet<string>;
  readonly languages: readonly StringSet[];
  readonly arrays: readonly ArraySet[];
  readonly objects: readonly ObjectSet[];
}

/** A set that is made when it is needed. */
export class Lazy {
  values: Values | undefined;
  /** Whether it is being made. */
  isMaking = false;
  /** Whether it is empty, once that is known. */
  isEmpty: boolean | undefined;
  /** How deep it is among those whose emptiness is being decided. */
  depth: number | undefined;

  constructor(
    readonly id: number,
    /** The place in the schema, of those that are there. */
    readonly path: string | undefined,
    readonly make: () => Values,
  ) {}
}

const NO_TEXTS: ReadonlySet<string> = new Set();
const NO_NUMBERS: ReadonlySet<number> = new Set();

export const ANY_STRING: StringSet = {
  patterns: [],
  formats: [],
  notPatterns: [],
  notFormats: [],
  minLength: 0,
  maxLength: Infinity,
  excluded: NO_TEXTS,
};
export const ANY_NUMBER: NumberRange = { min: -Infinity, max: Infinity, kind: "any" };

export const NO_VALUES: Values = {
  hasNull: false,
  booleans: [],
  numbers: NO_NUMBERS,
  ranges: [],
  texts: NO_TEXTS,
  languages: [],
  arrays: [],
  objects: [],
};

export const NEVER = new Lazy(0, undefined, () => NO_VALUES);
export const ANY = new Lazy(1, undefined, () => ALL_VALUES);

export const ANY_ARRAY: ArraySet = { prefix: [], rest: ANY, min: 0, max: Infinity, contains: [], evaluated: 0 };
export const ANY_OBJECT: ObjectSet = {
  named: new Map(),
  classes: [{ names: ANY_STRING, value: ANY }],
  isOpen: true,
  min: 0,
  max: Infinity,
};

export const ALL_VALUES: Values = {
  hasNull: true,
  booleans: [true, false],
  numbers: NO_NUMBERS,
  ranges: [ANY_NUMBER],
  texts: NO_TEXTS,
  languages: [ANY_STRING],
  arrays: [ANY_ARRAY],
  objects: [ANY_OBJECT],
};
NEVER.values = NO_VALUES;
NEVER.isEmpty = true;
ANY.values = ALL_VALUES;
ANY.isEmpty = false;

/** Whether there is nothing in it that can be seen without looking inside of arrays and objects. */
export const isNone = (values: Values): boolean => values === NO_VALUES || (hasNoScalars(values) && !isNested(values));

export const hasNoScalars = ({ hasNull, booleans, numbers, ranges, texts, languages }: Values): boolean =>
  !hasNull &&
  booleans.length === 0 &&
  numbers.size === 0 &&
  ranges.length === 0 &&
  texts.size === 0 &&
  languages.length === 0;

export const isNested = ({ arrays, objects }: Values): boolean => arrays.length > 0 || objects.length > 0;

/** What sets of arrays and objects do with those inside of them. */
export interface Space {
  intersection(a: Lazy, b: Lazy): Lazy;
  /** What is in the first and not in the second. Fails when it is made, if there is no form for it. */
  difference(a: Lazy, b: Lazy, at: SchemaPlace): Lazy;
  has(set: StringSet, text: string): boolean;
  /** Whether no text is in the set, as far as it can be found out. */
  isEmptyString(set: StringSet): boolean;
  isEmpty(lazy: Lazy): boolean;
  valuesOf(lazy: Lazy): Values;
}

/** A set has no form; the place is known to those who asked for it. */
export class NoForm extends Error {}
