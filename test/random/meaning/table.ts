/** The candidate table as in the language guide: a list of the rows left. */
import type { Module } from "../../../compiler/check/program.js";
import type { Reading } from "./grammars.js";
import type { ListLit, StringLit } from "../../../compiler/syntax/ast.js";

export interface Row {
  readonly token: number;
  logit: number;
  /** Columns added by `let`. */
  readonly lets: Map<string, number>;
}

/** A scalar or a column over the rows left; booleans are 1 and 0. */
export type Value = number | readonly number[];

/** A number, and whether it is a compile-time constant. */
interface Given {
  readonly value: number;
  readonly isConstant: boolean;
}
/** A set of tokens. */
export interface TokenSet {
  readonly tokens: ReadonlySet<number>;
}
export type Argument = Given | StringLit | ListLit | TokenSet;

/** What is fixed for one token. */
export interface Moment {
  readonly step: number;
  readonly vocabSize: number;
  /** Prompt and generated text. */
  readonly history: readonly number[];
  readonly promptLength: number;
  /** The grammar and what it has read. */
  readonly reading: Reading | undefined;
  /** What the model gave for each row. */
  readonly raw: ReadonlyMap<number, { readonly logit: number; readonly prob: number }>;
  /** A column that the host feeds, by its name. */
  readonly fed: (name: string, token: number) => number;
  readonly draw: (kind: "f64" | "f32", seed: number, stream: number | undefined, at: number) => number;
}

export interface Write {
  readonly text: string;
  readonly holds: boolean;
}

/** A running sampler. */
export interface Stage {
  readonly moment: Moment;
  readonly module: Module;
  readonly args: ReadonlyMap<string, Argument>;
  /** Parameters and `let`s of a function, counters, and values of `repeat`. */
  readonly locals: ReadonlyMap<string, Value>;
  /** The body of a function sees no other names of samplers. */
  readonly isFunction: boolean;
  /** The streams of the calls that draw, by the offset of the call in its file; none in the standard library. */
  readonly streams: ReadonlyMap<number, number>;
  rows: Row[];
  /** Scalars defined by `let`. */
  readonly scalars: Map<string, number>;
  /** The names of the states in the sequence. */
  readonly stateNames: Map<string, string>;
  readonly states: Map<string, number>;
  readonly measures: Map<string, number>;
  readonly stops: Map<string, number>;
  /** The texts of the chain in order, and whether the condition of each holds. */
  readonly writes: Write[];
  /** The values of the calls over the last tokens so far, by stage and place. */
  readonly windows: Map<string, number[]>;
  /** The number of the stage. */
  readonly number: number;
  /** The states of type i32, by their names in the sequence. */
  readonly integers: ReadonlySet<string>;
  /** This sampler sorted the rows. */
  isOrdered: boolean;
  /** The picked token. */
  readonly picked: number;
}

/** The guide leaves the result unspecified, so any compiler is right. */
export class Unclear extends Error {}
