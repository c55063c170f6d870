/* eslint-disable */
// Made by `ggsl gen awkward.ggsl --dts --set k=7`; do not edit.
import type { Chain } from "ggsl";

/**
 * Uniforms of the chain `class`. Each may be set before every token.
 */
export interface ClassUniforms {
  /**
   * A number > 0; 1 unless set. In `temp(t)`.
   */
  readonly t?: number;
}

/**
 * Inputs of the chain `class`, which the calling program gives it.
 */
export interface ClassInputs {
  /**
   * A green list *\/ of the text's author: /* 1 for its tokens.
   *
   * A number for each token of the vocabulary.
   */
  readonly green: Float32Array | readonly number[];
}

/**
 * Numbers that a sequence of the chain `class` remembers from token to token.
 */
export type ClassStates = readonly [];

/**
 * What the chain `class` takes and remembers.
 */
export interface ClassTypes {
  readonly uniforms: ClassUniforms;
  readonly inputs: ClassInputs;
  readonly states: ClassStates;
}

/**
 * The chain `class`, a name that a module cannot declare.
 *
 * Ends a comment: *\/ and begins one: /* `*\/` **\/
 * @see type
 */
export declare const class__: Chain<ClassTypes>;

/**
 * Uniforms of the chain `type`. Each may be set before every token.
 */
export interface TypeUniforms {
  /**
   * True or false; true unless set. In `favour(on, times)`.
   */
  readonly on?: boolean;
  /**
   * An integer in [1, 3]; 1 unless set. In `favour(on, times)`.
   */
  readonly times?: number;
  /**
   * A seed, an integer from 0 to 4294967295; a new one for each sequence unless set. In `dist(seed)`.
   */
  readonly seed?: number;
}

/**
 * Inputs of the chain `type`, which the calling program gives it.
 */
export interface TypeInputs {
  /**
   * Logits that the caller favours.
   *
   * Numbers for at most 8 tokens, by token; 0 for the others.
   */
  readonly favoured: ReadonlyMap<number, number>;
}

/**
 * Numbers that a sequence of the chain `type` remembers from token to token.
 */
export type TypeStates = readonly [];

/**
 * What the chain `type` takes and remembers.
 */
export interface TypeTypes {
  readonly uniforms: TypeUniforms;
  readonly inputs: TypeInputs;
  readonly states: TypeStates;
}

/**
 * A word that is none in a declaration.
 */
export declare const type: Chain<TypeTypes>;

/**
 * Uniforms of the chain `class_`. Each may be set before every token.
 */
export interface ClassUniforms_ {
  /**
   * A number < 3; 1 unless set. In `temp(t)`, `temp(t / 2)`.
   */
  readonly t?: number;
}

/**
 * Inputs of the chain `class_`, which the calling program gives it.
 */
export type ClassInputs_ = Readonly<Record<string, never>>;

/**
 * Numbers that a sequence of the chain `class_` remembers from token to token.
 */
export type ClassStates_ = readonly [];

/**
 * What the chain `class_` takes and remembers.
 */
export interface ClassTypes_ {
  readonly uniforms: ClassUniforms_;
  readonly inputs: ClassInputs_;
  readonly states: ClassStates_;
}

/**
 * The chain `class_`.
 */
export declare const class_: Chain<ClassTypes_>;

/**
 * Uniforms of the chain `chainOf`. Each may be set before every token.
 */
export type ChainOfUniforms = Readonly<Record<string, never>>;

/**
 * Inputs of the chain `chainOf`, which the calling program gives it.
 */
export type ChainOfInputs = Readonly<Record<string, never>>;

/**
 * Numbers that a sequence of the chain `chainOf` remembers from token to token.
 */
export type ChainOfStates = readonly [];

/**
 * What the chain `chainOf` takes and remembers.
 */
export interface ChainOfTypes {
  readonly uniforms: ChainOfUniforms;
  readonly inputs: ChainOfInputs;
  readonly states: ChainOfStates;
}

/**
 * The chain `chainOf`, a name that a module cannot declare.
 */
export declare const chainOf_: Chain<ChainOfTypes>;

/**
 * Uniforms of the chain `a_b`. Each may be set before every token.
 */
export interface ABUniforms {
  /**
   * A number in [0, 1]; 0.5 unless set. In `top_p(default)`.
   */
  readonly default?: number;
  /**
   * A number; 1 unless set. In `temp(__proto__)`.
   */
  readonly __proto__?: number;
  /**
   * A number; 1 unless set. In `temp(größe)`.
   */
  readonly "größe"?: number;
}

/**
 * Inputs of the chain `a_b`, which the calling program gives it.
 */
export type ABInputs = Readonly<Record<string, never>>;

/**
 * Numbers that a sequence of the chain `a_b` remembers from token to token.
 */
export type ABStates = readonly [];

/**
 * What the chain `a_b` takes and remembers.
 */
export interface ABTypes {
  readonly uniforms: ABUniforms;
  readonly inputs: ABInputs;
  readonly states: ABStates;
}

/**
 * The chain `a_b`.
 */
export declare const a_b: Chain<ABTypes>;

/**
 * Uniforms of the chain `aB`. Each may be set before every token.
 */
export type ABUniforms_ = Readonly<Record<string, never>>;

/**
 * Inputs of the chain `aB`, which the calling program gives it.
 */
export type ABInputs_ = Readonly<Record<string, never>>;

/**
 * Numbers that a sequence of the chain `aB` remembers from token to token.
 */
export type ABStates_ = readonly [];

/**
 * What the chain `aB` takes and remembers.
 */
export interface ABTypes_ {
  readonly uniforms: ABUniforms_;
  readonly inputs: ABInputs_;
  readonly states: ABStates_;
}

/**
 * The chain `aB`.
 */
export declare const aB: Chain<ABTypes_>;

/**
 * Uniforms of the chain `steady`. Each may be set before every token.
 */
export interface SteadyUniforms {
  /**
   * A number >= 0; 5 unless set. In `mirostat_v2(tau: tau, seed: 1)`.
   */
  readonly tau?: number;
}

/**
 * Inputs of the chain `steady`, which the calling program gives it.
 */
export type SteadyInputs = Readonly<Record<string, never>>;

/**
 * Numbers that a sequence of the chain `steady` remembers from token to token.
 */
export type SteadyStates = readonly [heat: number, heat2: number, mu: number, drawn: number];

/**
 * What the chain `steady` takes and remembers.
 */
export interface SteadyTypes {
  readonly uniforms: SteadyUniforms;
  readonly inputs: SteadyInputs;
  readonly states: SteadyStates;
}

/**
 * Two of its states have the same name.
 */
export declare const steady: Chain<SteadyTypes>;

/**
 * Uniforms of the chain `open`. Each may be set before every token.
 */
export type OpenUniforms = Readonly<Record<string, never>>;

/**
 * Inputs of the chain `open`, which the calling program gives it.
 */
export type OpenInputs = Readonly<Record<string, never>>;

/**
 * Numbers that a sequence of the chain `open` remembers from token to token.
 */
export type OpenStates = readonly [];

/**
 * What the chain `open` takes and remembers.
 */
export interface OpenTypes {
  readonly uniforms: OpenUniforms;
  readonly inputs: OpenInputs;
  readonly states: OpenStates;
}

/**
 * The chain `open`.
 */
export declare const open: Chain<OpenTypes>;

/**
 * Uniforms of the chain `größe`. Each may be set before every token.
 */
export type GrößeUniforms = Readonly<Record<string, never>>;

/**
 * Inputs of the chain `größe`, which the calling program gives it.
 */
export type GrößeInputs = Readonly<Record<string, never>>;

/**
 * Numbers that a sequence of the chain `größe` remembers from token to token.
 */
export type GrößeStates = readonly [];

/**
 * What the chain `größe` takes and remembers.
 */
export interface GrößeTypes {
  readonly uniforms: GrößeUniforms;
  readonly inputs: GrößeInputs;
  readonly states: GrößeStates;
}

/**
 * The chain `größe`.
 */
export declare const größe: Chain<GrößeTypes>;
