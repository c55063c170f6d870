/** The records of built-in functions, names and operators, for the checker, lowering and editors. */
import type { Ending, GrammarRef, TextSource, TokenSequence } from "../graph/graph.js";
import type { Arg, Expr } from "../syntax/ast.js";
import type { Stream } from "../table/draws.js";
import type { Lowering } from "../table/lowering.js";
import type { UniformValue, Value } from "../table/value.js";

/** When a scalar is known. A column is known at run time only. */
export type Rate = "static" | "uniform" | "runtime";

/** The types of arguments, and their lowered form. */
export interface Lowered {
  number: Value;
  condition: Value;
  /** The size of a window over the last tokens: an integer, -1 for all, known before the graph runs. */
  window: UniformValue;
  /** The text that a window is of: `all`, `prompt`, `generated` or an input of tokens; undefined for `all`. */
  source: TextSource | undefined;
  /** The size of a window over a scalar: an integer from 1, known at compile time. */
  span: number;
  /** A place in the text, counted from its end: an integer from 1, known at compile time. */
  position: number;
  /** What the text may end with. */
  ending: Ending;
  /** The index of a draw in its stream, known before the graph runs. */
  index: UniformValue;
  seed: Stream;
  text: string;
  /** A grammar in GBNF, or a parameter that is one. */
  grammar: GrammarRef;
  /** A list of phrases, by the number of the set of tokens that begin them. */
  phrases: number;
  /** Texts and token ids. */
  texts: readonly (string | number)[];
  sequences: readonly TokenSequence[];
  /** A value in the picked row. */
  ofPickedRow: Value;
}
export type ArgType = keyof Lowered;

/** Arguments in their order; their names are for readers of the record and for diagnostics. */
type Args = Readonly<Record<string, ArgType>>;

type LoweredArgs<A extends Args> = { readonly [K in keyof A]: Lowered[A[K]] };

/**
 * The shape and rate of a result. `map`: elementwise, known when the last argument is, and folded if all are constants.
 * `scalar`: one value for the table, known at run time. `column`: a value for each row. `static`: one value, known at
 * compile time. `uniform`: one value, known before the graph runs.
 */
export type Gives = "map" | "scalar" | "column" | "static" | "uniform";

/** The type of a result; `number` is i32 if all arguments are, else f32; `argument` is that of the argument. */
export type Result = "f32" | "i32" | "bool" | "number" | "argument";

export interface Builtin<A extends Args = Args, O extends Args = Args, N extends Args = Args> {
  readonly doc: string;
  readonly args: A;
  /** Arguments that may be left out, after the others. */
  readonly optional?: O;
  /** Arguments that are given by name and may be left out. */
  readonly named?: N;
  readonly gives: Gives;
  /** `gives` for calls without the optional arguments, if different. */
  readonly givesWithout?: Gives;
  readonly result: Result;
  /** Where it can be used: on sorted rows, or inside the `after pick` of a sampler that picks. */
  readonly needs?: "order" | "pick";
  /** Whether its result depends on the order of the rows. */
  readonly isOrdered?: true;
  /** Whether it is homogeneous of degree 1: f(c x) = c f(x) for c > 0. */
  readonly isHomogeneous?: true;
  /** Whether it reads `prob` implicitly. */
  readonly readsProb?: true;
  /** Whether it reads the text so far. */
  readonly readsText?: true;
  /** Whether it asks where a grammar stands. */
  readonly asksGrammar?: true;
  /** A program may use its name for something else, which hides it. */
  readonly isUnreserved?: true;
  /** Help for calls with the wrong number of arguments. */
  readonly help?: string;
  /** Emits the nodes of a call; a `map` of uniform values emits none. */
  lower(cx: Lowering, args: LoweredArgs<A> & Partial<LoweredArgs<O>> & Partial<LoweredArgs<N>>): Value;
}

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- no arguments are optional or named
type NoArgs = Record<never, never>;

/** A record, its `lower` typed by its arguments. */
export const define = <const A extends Args, const O extends Args = NoArgs, const N extends Args = NoArgs>(
  builtin: Builtin<A, O, N>,
): Builtin => builtin;

/** The types of the arguments that are given by position, by name, optional ones last. */
export const argsOf = ({ args, optional = {} }: Builtin): [string, ArgType][] =>
  Object.entries({ ...args, ...optional });

/** How many arguments a call may have. */
export function countsOf({ args, optional = {} }: Builtin): { least: number; most: number } {
  const least = Object.keys(args).length;
  return { least, most: least + Object.keys(optional).length };
}

/** The arguments of a call that are given by position, those with unknown names among them. */
export const positional = ({ named = {} }: Builtin, args: readonly Arg[]): Arg[] =>
  args.filter(({ name }) => !name || !Object.hasOwn(named, name.text));

/** The arguments of a call that are given by name, with their types. */
export const namedArgs = ({ named = {} }: Builtin, args: readonly Arg[]): [string, ArgType, Expr][] =>
  args.flatMap(({ name, value }): [string, ArgType, Expr][] =>
    name && Object.hasOwn(named, name.text) ? [[name.text, named[name.text]!, value]] : [],
  );

/** `gives` for a call with `count` arguments. */
export const givesOf = (builtin: Builtin, count: number): Gives =>
  count < countsOf(builtin).most ? (builtin.givesWithout ?? builtin.gives) : builtin.gives;

// ---------------------------------------------------------------- functions of one argument

type OfOne = (cx: Lowering, x: Value) => Value;

const ofOne =
  (type: "number" | "condition", gives: Gives) =>
  (doc: string, lower: OfOne, more: Partial<Pick<Builtin, "result" | "isHomogeneous" | "isOrdered">> = {}): Builtin =>
    define({ doc, args: { x: type }, gives, result: "f32", ...more, lower: (cx, { x }) => lower(cx, x) });

/** An elementwise function. */
export const map = ofOne("number", "map");
/** A reduction of a column to a number. */
export const reduction = ofOne("number", "scalar");
/** A reduction of a column, or of a scalar over the last tokens. */
export const windowed = (
  type: "number" | "condition",
  doc: string,
  [overRows, overTokens]: readonly [rows: OfOne, tokens: (cx: Lowering, x: Value, last: number) => Value],
  more: Partial<Pick<Builtin, "result" | "isHomogeneous">> = {},
): Builtin =>
  define({
    doc: `${doc}; with \`last: n\` that of a scalar over the last n tokens`,
    args: { x: type },
    named: { last: "span" },
    gives: "scalar",
    result: "f32",
    ...more,
    lower: (cx, { x, last }) => (last === undefined ? overRows(cx, x) : overTokens(cx, x, last)),
  });
/** A reduction of a condition. */
export const summary = ofOne("condition", "scalar");
/** A column whose values depend on other rows. */
export const scan = ofOne("number", "column");

// ---------------------------------------------------------------- names and operators

export interface BuiltinName {
  readonly doc: string;
  readonly type: "f32" | "i32";
  readonly shape: "scalar" | "column";
  readonly rate: Rate;
  /** A program may use its name for something else, which hides it. */
  readonly isUnreserved?: true;
  /** Whether a sampler may assign it. */
  readonly isAssignable?: true;
  /** Whether a positive multiple of it can replace it in comparisons of its own values. */
  readonly isRelative?: true;
  /** Where it can be used: on sorted rows. */
  readonly needs?: "order";
  /** Whether it depends on logits, or on which rows are left. */
  readonly readsRows?: true;
  lower(cx: Lowering): Value;
  /** Its value in the picked row, if that needs no column. */
  lowerPicked?(cx: Lowering): Value;
  /** Its value for the token that a later stage has picked, if that depends on the token alone. */
  lowerLater?(cx: Lowering): Value;
}

export interface Operator {
  /** `either`: two numbers or two conditions. */
  readonly takes: "number" | "condition" | "either";
  readonly result: Result;
  /** Whether it is an order comparison. */
  readonly isOrdering?: true;
  /**
   * The degree of the result for operands of degrees `a` and `b`: the power of f by which it scales if the inputs scale by
   * f. `literal` is the second operand if it is a number.
   */
  degree?(a: number, b: number, literal: number | undefined): number | undefined;
  lower(cx: Lowering, a: Value, b: Value): Value;
}
