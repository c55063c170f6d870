/** The table of candidates as the language guide tells of it: a list of the rows that are left. */
import type { Module } from "../../../compiler/check/program.js";
import type { ListLit, StringLit } from "../../../compiler/syntax/ast.js";

export interface Row {
  readonly token: number;
  logit: number;
  /** What `let` added. */
  readonly lets: Map<string, number>;
}

/** A number for the whole table, truths as 1 and 0, or one for each row left. */
export type Value = number | readonly number[];

/** A number, and whether it is known when compiling. */
export interface Given {
  readonly value: number;
  readonly isConstant: boolean;
}
export type Argument = Given | StringLit | ListLit;

/** What does not change while a token is chosen. */
export interface Moment {
  readonly step: number;
  readonly vocabSize: number;
  readonly history: Int32Array;
  /** A column that the host feeds, by its name. */
  readonly fed: (name: string, token: number) => number;
  readonly draw: (kind: "f64" | "f32", seed: number, at: number) => number;
}

/** A sampler at work. */
export interface Stage {
  readonly moment: Moment;
  readonly module: Module;
  readonly args: ReadonlyMap<string, Argument>;
  rows: Row[];
  /** `let` of a number for the whole table. */
  readonly scalars: Map<string, number>;
  /** What the states are called in the sequence. */
  readonly stateNames: Map<string, string>;
  readonly states: Map<string, number>;
  /** Rows are in an order that this sampler chose. */
  isOrdered: boolean;
  /** The token that was picked. */
  readonly picked: number;
}

/** What the guide leaves open, so that nothing can be held against a compiler. */
export class Unclear extends Error {}
