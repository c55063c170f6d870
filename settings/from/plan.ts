/** What the settings of another tool come to: the stages of a chain, before they are written as a program. */
import type { Note } from "./notes.js";

/** A parameter of the chain, which a user may set without touching the program. */
export interface Uniform {
  readonly uniform: string;
  readonly type: "f32" | "i32" | "seed";
  /** Known when compiling. */
  readonly isStatic?: true;
  /** As it is written in a program: `in [0, 1]`. */
  readonly range?: string;
  readonly value: number;
}

export type Arg = number | string | readonly (number | string)[] | Uniform;

export interface Stage {
  readonly name: string;
  /** Runs on the host tail. */
  readonly isHost?: true;
  readonly args: Readonly<Record<string, Arg>>;
  /** The declaration of a sampler that the standard library lacks. */
  readonly declaration?: string;
}

export interface Plan {
  /** Whose settings they were, with the version that is meant. */
  readonly tool: string;
  readonly stages: readonly Stage[];
  /** Columns that the calling program feeds, as they are declared. */
  readonly inputs?: readonly string[];
  readonly notes: readonly Note[];
}

export interface Bias {
  readonly token: number;
  /** Minus infinity bans the token. */
  readonly bias: number;
}

/** What the settings do not say themselves. */
export interface ImportOptions {
  /** The tokens that end a text: needed where settings speak of the end without naming its tokens. */
  readonly eos?: readonly number[];
}
