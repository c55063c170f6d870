/** Requests and results of a generation, typed with the names of a chain. */
import type { Chain } from "../chain/chain.js";
import type { ChainTypes, Given, GuidesOf, Measured, Stopped, ValuesOf } from "../chain/chainTypes.js";
import type { GenerateOptions, Generation, GenerationStats, Piece, Saved, SequenceRequest } from "./generate.js";
import type { SavedSequence } from "../sequence/savedSequence.js";

interface ChainAndResume<T extends ChainTypes> {
  /** The chain that picks the tokens. */
  readonly chain: Chain<T>;
  /** A result of `save`; the prompt is then the saved tokens. */
  readonly resume?: SavedSequence<T["states"]> | undefined;
}

type Typed = "chain" | "resume" | "uniforms" | "feed" | "guides";
/** What a generation with a chain is given by name. */
type NamedOf<T extends ChainTypes> = ValuesOf<T> & GuidesOf<T>;
/** `SequenceRequest` with the names of a chain. */
export type SequenceRequestOf<T extends ChainTypes> = Omit<SequenceRequest, Typed> & ChainAndResume<T> & NamedOf<T>;
/** `GenerateOptions` with the names of a chain. */
export type GenerateOptionsOf<T extends ChainTypes> = Omit<GenerateOptions, Typed> & ChainAndResume<T> & NamedOf<T>;

/** `Generation` with the names of a chain. */
export interface GenerationOf<T extends ChainTypes>
  extends
    Omit<Generation, "setUniforms" | "save" | "stats" | typeof Symbol.asyncIterator>,
    AsyncIterable<Measured<Piece, T>> {
  /** Sets uniforms from the next token on, without a new graph. Throws `InputError`. */
  setUniforms(values: Given<T["uniforms"]>): void;
  /** The text so far, including the prompt, and the state of the sequence, to continue later with `resume`. */
  save(): Saved<SavedSequence<T["states"]>>;
  /** Statistics so far. Throws `InputError` before the first piece. */
  stats(): Stopped<GenerationStats, T>;
}
