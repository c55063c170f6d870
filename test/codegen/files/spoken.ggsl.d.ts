/* eslint-disable */
// Made by `ggsl gen spoken.ggsl --dts`; do not edit.
import type { Chain } from "ggsl";

/**
 * Uniforms of the chain `spoken`. Each may be set before every token.
 */
export interface SpokenUniforms {
  /**
   * How near it stays.
   *
   * A number in [0, 10]; 2 unless set. In `near(strength, banned)`.
   */
  readonly strength?: number;
  /**
   * Words that are never said.
   *
   * A set of at most 16 tokens: ids, and texts that are one token each. In `near(strength, banned)`.
   */
  readonly banned?: readonly (number | string)[];
}

/**
 * Inputs of the chain `spoken`, which the calling program gives it.
 */
export interface SpokenInputs {
  /**
   * What the answer is about.
   *
   * A text: at most 256 token ids.
   */
  readonly source: readonly number[];
}

/**
 * The other sequences whose logits the chain `spoken` reads.
 */
export interface SpokenGuides {
  /**
   * Another sequence of the same batch, whose logits the chain reads.
   */
  readonly other: { readonly prompt: string | Int32Array };
}

/**
 * Numbers that a sequence of the chain `spoken` remembers from token to token.
 */
export type SpokenStates = readonly [];

/**
 * Numbers that the chain `spoken` reports with each token.
 */
export interface SpokenMeasures {
  readonly rows: number;
}

/**
 * What the chain `spoken` takes and remembers.
 */
export interface SpokenTypes {
  readonly uniforms: SpokenUniforms;
  readonly inputs: SpokenInputs;
  readonly guides: SpokenGuides;
  readonly states: SpokenStates;
  readonly measures: SpokenMeasures;
}

/**
 * The chain `spoken`.
 */
export declare const spoken: Chain<SpokenTypes>;
