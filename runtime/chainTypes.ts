/**
 * The names that a chain knows, as types. One that was compiled ahead, by `ggsl gen` or the plugin for Vite, knows the names of
 * its uniforms, inputs and states. Any other chain takes all names, and checks them when they are set.
 */
import type { EvaluateOptions } from "./evaluate.js";
import type { Feed } from "./features/feed.js";
import type { UniformValues } from "./sequence.js";

/** The names that a chain compiled ahead knows: its uniforms, inputs and states. */
export interface ChainTypes {
  readonly uniforms: object;
  /** The columns that the chain declares with `input`; `Record<string, never>` for one without. */
  readonly inputs: object;
  /** Numbers that a sequence remembers, in the order in which the chain declares them. */
  readonly states: readonly number[];
}

/** A chain whose names are not known when compiling. */
export interface AnyChainTypes extends ChainTypes {
  readonly uniforms: UniformValues;
  readonly inputs: NonNullable<Feed["inputs"]>;
}

/** An interface as a plain object type, which fits where all names are taken. */
export type Plain<T> = { readonly [Name in keyof T]: T[Name] };

/** Inputs have no default, so whoever uses a chain that has some must give them. */
type NeedsNone<T extends ChainTypes> = string extends keyof T["inputs"] ? true : false;

type FeedOf<T extends ChainTypes> =
  NeedsNone<T> extends true
    ? { readonly feed?: (Omit<Feed, "inputs"> & { readonly inputs?: Plain<T["inputs"]> }) | undefined }
    : { readonly feed: Omit<Feed, "inputs"> & { readonly inputs: Plain<T["inputs"]> } };

export type ValuesOf<T extends ChainTypes> = { readonly uniforms?: Plain<T["uniforms"]> | undefined } & FeedOf<T>;

/** `EvaluateOptions` with the names of a chain. */
export type EvaluateOptionsOf<T extends ChainTypes> = Omit<EvaluateOptions, "uniforms" | "feed"> & ValuesOf<T>;

/** The last argument of `evaluate`; a chain with inputs can not do without. */
export type EvaluateArguments<T extends ChainTypes> =
  NeedsNone<T> extends true ? [options?: EvaluateOptionsOf<T>] : [options: EvaluateOptionsOf<T>];
