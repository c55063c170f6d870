/* eslint-disable */
// Made by `ggsl gen guided.ggsl --dts`; do not edit.
import type { Chain } from "ggsl";

/**
 * Uniforms of the chain `guided`. Each may be set before every token.
 */
export type GuidedUniforms = Readonly<Record<string, never>>;

/**
 * Inputs of the chain `guided`, which the calling program gives it.
 */
export interface GuidedInputs {
  /**
   * Scores of another model.
   *
   * A number for each token of the vocabulary.
   */
  readonly scores: Float32Array | readonly number[];
}

/**
 * The other sequences whose logits the chain `guided` reads.
 */
export interface GuidedGuides {
  /**
   * What a worse prompt makes likely.
   *
   * Another sequence of the same batch, whose logits the chain reads.
   */
  readonly worse: { readonly prompt: string | Int32Array };
  /**
   * The logits of the same text after another prompt.
   *
   * Another sequence of the same batch, whose logits the chain reads.
   */
  readonly negative: { readonly prompt: string | Int32Array };
}

/**
 * Numbers that a sequence of the chain `guided` remembers from token to token.
 */
export type GuidedStates = readonly [];

/**
 * What the chain `guided` takes and remembers.
 */
export interface GuidedTypes {
  readonly uniforms: GuidedUniforms;
  readonly inputs: GuidedInputs;
  readonly guides: GuidedGuides;
  readonly states: GuidedStates;
}

/**
 * The chain `guided`.
 */
export declare const guided: Chain<GuidedTypes>;

/**
 * Uniforms of the chain `single`. Each may be set before every token.
 */
export interface SingleUniforms {
  /**
   * A number in [0, 100]; 2 unless set. In `cfg(scale)`.
   */
  readonly scale?: number;
}

/**
 * Inputs of the chain `single`, which the calling program gives it.
 */
export type SingleInputs = Readonly<Record<string, never>>;

/**
 * The other sequences whose logits the chain `single` reads.
 */
export interface SingleGuides {
  /**
   * The logits of the same text after another prompt.
   *
   * Another sequence of the same batch, whose logits the chain reads.
   */
  readonly negative: { readonly prompt: string | Int32Array };
}

/**
 * Numbers that a sequence of the chain `single` remembers from token to token.
 */
export type SingleStates = readonly [];

/**
 * What the chain `single` takes and remembers.
 */
export interface SingleTypes {
  readonly uniforms: SingleUniforms;
  readonly inputs: SingleInputs;
  readonly guides: SingleGuides;
  readonly states: SingleStates;
}

/**
 * The chain `single`.
 */
export declare const single: Chain<SingleTypes>;
