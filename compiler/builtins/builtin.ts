/** What is known of a built-in function, name or operator: one record each, for the checker, for lowering and for editors. */
import type { Stream } from "../lower/rows/draws.js";
import type { Lowering } from "../lower/rows/lowering.js";
import type { UniformValue, Value } from "../lower/rows/value.js";

/** When a scalar is known. A column is known at run time only. */
export type Rate = "static" | "uniform" | "runtime";

/** The types of arguments, and what lowering makes of an argument. */
export interface Lowered {
  number: Value;
  condition: Value;
  /** How many of the last tokens are looked at: a whole number that is known when compiling. */
  window: number;
  /** Which draw of a stream: a number that is known before the graph runs. */
  index: UniformValue;
  seed: Stream;
  text: string;
  texts: readonly (string | number)[];
  /** A number of the row that was picked. */
  ofPickedRow: Value;
}
export type ArgType = keyof Lowered;

/** Arguments in their order; their names are for readers of the record and for diagnostics. */
export type Args = Readonly<Record<string, ArgType>>;

export type LoweredArgs<A extends Args> = { readonly [K in keyof A]: Lowered[A[K]] };

/**
 * What a call gives. `map`: a value for each value, known when the last of its arguments is, and folded if all are constants.
 * `scalar`: one value for the table, known at run time. `column`: a value for each row. `static`: one value, known when
 * compiling.
 */
export type Gives = "map" | "scalar" | "column" | "static";

/** The type of a result; `number` is i32 if all arguments are, else f32. */
export type Result = "f32" | "i32" | "bool" | "number";

export interface Builtin<A extends Args = Args, O extends Args = Args> {
  readonly doc: string;
  readonly args: A;
  /** Arguments that may be left out, after the others. */
  readonly optional?: O;
  readonly gives: Gives;
  /** What it gives where optional arguments are left out, if that is something else. */
  readonly givesWithout?: Gives;
  readonly result: Result;
  /** Where it may be used: in rows whose order the sampler chose, or inside the `after pick` of a sampler that picks. */
  readonly needs?: "order" | "pick";
  /** Whether its result grows by the factor by which all its arguments grow. */
  readonly isHomogeneous?: true;
  /** Whether it looks at `prob` without naming it. */
  readonly readsProb?: true;
  /** Help where it is called with the wrong number of arguments. */
  readonly help?: string;
  /** Emits the nodes of a call; of uniform values alone a `map` emits none. */
  lower(cx: Lowering, args: LoweredArgs<A> & Partial<LoweredArgs<O>>): Value;
}

/** A record, its `lower` typed by its arguments. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- no arguments are optional
export const define = <const A extends Args, const O extends Args = Record<never, never>>(
  builtin: Builtin<A, O>,
): Builtin => builtin;

/** The types of all arguments by name, optional ones last. */
export const argsOf = ({ args, optional = {} }: Builtin): [string, ArgType][] =>
  Object.entries({ ...args, ...optional });

/** How many arguments a call may have. */
export function countsOf({ args, optional = {} }: Builtin): { least: number; most: number } {
  const least = Object.keys(args).length;
  return { least, most: least + Object.keys(optional).length };
}

/** What a call of so many arguments gives. */
export const givesOf = (builtin: Builtin, count: number): Gives =>
  count < countsOf(builtin).most ? (builtin.givesWithout ?? builtin.gives) : builtin.gives;

// ---------------------------------------------------------------- functions of one argument

type OfOne = (cx: Lowering, x: Value) => Value;

const ofOne =
  (type: "number" | "condition", gives: Gives) =>
  (doc: string, lower: OfOne, more: Partial<Pick<Builtin, "result" | "isHomogeneous">> = {}): Builtin =>
    define({ doc, args: { x: type }, gives, result: "f32", ...more, lower: (cx, { x }) => lower(cx, x) });

/** A value for each value. */
export const map = ofOne("number", "map");
/** One number for the rows left. */
export const reduction = ofOne("number", "scalar");
/** What a condition is over the rows left. */
export const summary = ofOne("condition", "scalar");
/** A column that looks across rows. */
export const scan = ofOne("number", "column");

// ---------------------------------------------------------------- names and operators

export interface BuiltinName {
  readonly doc: string;
  readonly type: "f32" | "i32";
  readonly shape: "scalar" | "column";
  readonly rate: Rate;
  /** Whether a sampler may assign it. */
  readonly isAssignable?: true;
  /** Whether any multiple of it serves where its values are only compared with each other. */
  readonly isRelative?: true;
  lower(cx: Lowering): Value;
  /** Its value in the picked row, where that takes no column. */
  lowerPicked?(cx: Lowering): Value;
}

export interface Operator {
  readonly takes: "number" | "condition";
  readonly result: Result;
  /** Whether it compares sizes. */
  readonly isOrdering?: true;
  /**
   * The power of f by which the result grows where the operands grow by the powers `a` and `b` of f, if there is one;
   * `literal` is the second operand, if it is a number.
   */
  degree?(a: number, b: number, literal: number | undefined): number | undefined;
  lower(cx: Lowering, a: Value, b: Value): Value;
}
