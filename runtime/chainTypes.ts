/**
 * The names of a chain as types. A chain that was compiled ahead of time, by `ggsl gen` or the Vite plugin, has the names of
 * its uniforms, inputs, states and measures in its type. Any other chain accepts all names and checks them when they are set.
 */
import type { EvaluateOptions } from "./evaluate.js";
import type { Feed } from "./features/feed.js";
import type { UniformValues } from "./sequence.js";

/** The names of a chain that was compiled ahead of time: uniforms, inputs, states and measures. */
export interface ChainTypes {
  readonly uniforms: object;
  /** The columns that the chain declares with `input`; `Record<string, never>` for one without. */
  readonly inputs: object;
  /** Numbers that a sequence keeps, in the order of their declarations. */
  readonly states: readonly number[];
  /** Numbers that are reported with each token; absent for a chain without. */
  readonly measures?: object;
}

/** A chain whose names are unknown at compile time. */
export interface AnyChainTypes extends ChainTypes {
  readonly uniforms: UniformValues;
  readonly inputs: NonNullable<Feed["inputs"]>;
}

/** An interface as a plain object type, which is assignable to a record of any names. */
export type Plain<T> = { readonly [Name in keyof T]: T[Name] };

/** A result of a chain: its measures are there if the chain's type has them. */
export type Measured<Result, T extends ChainTypes> = T extends { readonly measures: infer Measures }
  ? Omit<Result, "measures"> & { readonly measures: Plain<Measures> }
  : Result;

/** Inputs have no default, so the caller must give them. */
type NeedsNone<T extends ChainTypes> = string extends keyof T["inputs"] ? true : false;

type FeedOf<T extends ChainTypes> =
  NeedsNone<T> extends true
    ? { readonly feed?: (Omit<Feed, "inputs"> & { readonly inputs?: Plain<T["inputs"]> }) | undefined }
    : { readonly feed: Omit<Feed, "inputs"> & { readonly inputs: Plain<T["inputs"]> } };

export type ValuesOf<T extends ChainTypes> = { readonly uniforms?: Plain<T["uniforms"]> | undefined } & FeedOf<T>;

/** `EvaluateOptions` with the names of a chain. */
export type EvaluateOptionsOf<T extends ChainTypes> = Omit<EvaluateOptions, "uniforms" | "feed"> & ValuesOf<T>;

/** The last argument of `evaluate`; required if the chain has inputs. */
export type EvaluateArguments<T extends ChainTypes> =
  NeedsNone<T> extends true ? [options?: EvaluateOptionsOf<T>] : [options: EvaluateOptionsOf<T>];
