/** The plan of an import: the stages of a chain, before they are written as a program. */
import type { Note } from "./notes.js";

/** A parameter of the chain, which can be set without a change of the program. */
export interface Uniform {
  readonly uniform: string;
  readonly type: "f32" | "i32" | "seed";
  /** Known at compile time. */
  readonly isStatic?: true;
  /** In GGSL syntax: `in [0, 1]`. */
  readonly range?: string;
  /** `random`: of a seed that is new for each text. */
  readonly value: number | "random";
}

/** A parameter of the chain that is a grammar; without a text in GBNF the request gives it. */
export interface GrammarUniform {
  readonly uniform: string;
  readonly type: "grammar";
  readonly value?: string;
}

/** What a setting says of a grammar. */
export interface ImportedGrammar {
  /** The setting's name, which is also the parameter's. */
  readonly key: string;
  /** In GBNF; absent if the request has to give it in another form. */
  readonly text?: string;
}

/** A set of tokens by ids and texts, or the model's tokens that end a text. */
export interface TokenSet {
  readonly tokens: readonly (number | string)[] | "end";
}

/** Phrases that must not be written, whatever the case of their letters. */
export interface PhraseTexts {
  readonly phrases: readonly string[];
}

/** Token ids, texts, and sequences of token ids. */
export type List = readonly (number | string | readonly number[])[];

export type Arg = number | string | List | TokenSet | PhraseTexts | Uniform | GrammarUniform;

export interface Stage {
  readonly name: string;
  /** Runs on the host tail. */
  readonly isHost?: true;
  readonly args: Readonly<Record<string, Arg>>;
  /** The declaration of a sampler that the standard library lacks. */
  readonly declaration?: string;
}

export interface Plan {
  /** The tool that the settings come from, with its version. */
  readonly tool: string;
  readonly stages: readonly Stage[];
  readonly notes: readonly Note[];
}

export interface Bias {
  /** An id, or the text of a token. */
  readonly token: number | string;
  /** Minus infinity bans the token. */
  readonly bias: number;
}

/** Facts that the settings do not contain. */
export interface ImportOptions {
  /** The end-of-text tokens, for settings that refer to them without naming them. */
  readonly eos?: readonly number[] | undefined;
}
