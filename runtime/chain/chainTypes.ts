/**
 * The names of a chain as types. A chain that was compiled ahead of time, by `ggsl gen` or the Vite plugin, has the names of
 * its uniforms, inputs, guides, states, measures and stops in its type. Any other chain accepts all names and checks them when they are
 * set.
 */
import type { EvaluateOptions } from "./evaluate.js";
import type { Feed } from "../sequence/features/feed.js";
import type { Guides } from "../sequence/guides.js";
import type { UniformValues } from "../sequence/sequence.js";

/** The names of a chain that was compiled ahead of time: uniforms, inputs, guides, states, measures and stops. */
export interface ChainTypes {
  readonly uniforms: object;
  /** The columns that the chain declares with `input`; `Record<string, never>` for one without. */
  readonly inputs: object;
  /** The other sequences whose logits the chain reads; absent or `Record<string, never>` for one without. */
  readonly guides?: object;
  /** Numbers that a sequence keeps, in the order of their declarations. */
  readonly states: readonly number[];
  /** Numbers that are reported with each token; absent for a chain without. */
  readonly measures?: object;
  /** The names of what can end a text; absent for a chain without. */
  readonly stops?: string;
}

/** A chain whose names are unknown at compile time. */
export interface AnyChainTypes extends ChainTypes {
  readonly uniforms: UniformValues;
  readonly inputs: NonNullable<Feed["inputs"]>;
  readonly guides: Guides;
}

/** An interface as a plain object type, which is assignable to a record of any names. */
export type Plain<T> = { readonly [Name in keyof T]: T[Name] };

/** A result of a chain: its measures are there if the chain's type has them. */
export type Measured<Result, T extends ChainTypes> = T extends { readonly measures: infer Measures }
  ? Omit<Result, "measures"> & { readonly measures: Plain<Measures> }
  : Result;

/** Statistics of a text: the name of what ended it is one of the chain's. */
export type Stopped<Stats, T extends ChainTypes> = T extends { readonly stops: infer Names }
  ? Omit<Stats, "stoppedBy"> & { readonly stoppedBy?: Names }
  : Stats;

/** Whether names are any, or none. */
type IsOpen<Names> = string extends keyof Names ? true : false;

/** Inputs have no default, so the caller must give them. */
type FeedOf<Inputs> =
  IsOpen<Inputs> extends true
    ? { readonly feed?: (Omit<Feed, "inputs"> & { readonly inputs?: Plain<Inputs> | undefined }) | undefined }
    : { readonly feed: Omit<Feed, "inputs"> & { readonly inputs: Plain<Inputs> } };

/** Values of uniforms, of which each may be undefined, as an absent one. */
export type Given<Uniforms> = { readonly [Name in keyof Uniforms]: Uniforms[Name] | undefined };

interface UniformsOf<T extends ChainTypes> {
  readonly uniforms?: Given<T["uniforms"]> | undefined;
}

export type ValuesOf<T extends ChainTypes> = UniformsOf<T> & FeedOf<T["inputs"]>;

type GuideNames<T extends ChainTypes> = T extends { readonly guides: infer Names } ? Names : Record<string, never>;

/** The guides of a generation, which have no default either. */
export type GuidesOf<T extends ChainTypes> =
  IsOpen<GuideNames<T>> extends true
    ? { readonly guides?: Plain<GuideNames<T>> | undefined }
    : { readonly guides: Plain<GuideNames<T>> };

/** The inputs of a chain on plain logits, where logits of other sequences are columns. */
type ColumnsOf<T extends ChainTypes> =
  IsOpen<GuideNames<T>> extends true
    ? T["inputs"]
    : { readonly [Name in keyof GuideNames<T>]: Float32Array | readonly number[] } & (IsOpen<T["inputs"]> extends true
        ? unknown
        : T["inputs"]);

/** `EvaluateOptions` with the names of a chain. */
export type EvaluateOptionsOf<T extends ChainTypes> = Omit<EvaluateOptions, "uniforms" | "feed"> &
  UniformsOf<T> &
  FeedOf<ColumnsOf<T>>;

/** The last argument of `evaluate`; required if the chain has inputs. */
export type EvaluateArguments<T extends ChainTypes> =
  IsOpen<ColumnsOf<T>> extends true ? [options?: EvaluateOptionsOf<T>] : [options: EvaluateOptionsOf<T>];
