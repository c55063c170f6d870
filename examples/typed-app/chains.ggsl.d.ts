/* eslint-disable */
// Made by `ggsl gen chains.ggsl --dts`; do not edit.
import type { Chain } from "ggsl";

/**
 * Uniforms of the chain `story`. Each may be set before every token.
 */
export interface StoryUniforms {
  /**
   * A number in [0, 2]; 0.8 unless set. In `temp(t)`.
   */
  readonly t?: number;
  /**
   * A number >= 0; 1 unless set. In `prefer(strength)`.
   */
  readonly strength?: number;
  /**
   * A seed, an integer from 0 to 4294967295; a new one for each sequence unless set. In `dist(seed)`.
   */
  readonly seed?: number;
}

/**
 * Inputs of the chain `story`, which the calling program gives it.
 */
export interface StoryInputs {
  /**
   * How much the reader likes a token; 0 has no effect.
   *
   * Numbers for at most 64 tokens, by token; 0 for the others.
   */
  readonly liked: ReadonlyMap<number, number>;
}

/**
 * Numbers that a sequence of the chain `story` remembers from token to token.
 */
export type StoryStates = readonly [];

/**
 * What the chain `story` takes and remembers.
 */
export interface StoryTypes {
  readonly uniforms: StoryUniforms;
  readonly inputs: StoryInputs;
  readonly states: StoryStates;
}

/**
 * A story that prefers words that the reader likes.
 */
export declare const story: Chain<StoryTypes>;

/**
 * Uniforms of the chain `shortlist`. Each may be set before every token.
 */
export interface ShortlistUniforms {
  /**
   * A number in [0, 2]; 1 unless set. In `temp(t)`.
   */
  readonly t?: number;
}

/**
 * Inputs of the chain `shortlist`, which the calling program gives it.
 */
export type ShortlistInputs = Readonly<Record<string, never>>;

/**
 * Numbers that a sequence of the chain `shortlist` remembers from token to token.
 */
export type ShortlistStates = readonly [];

/**
 * What the chain `shortlist` takes and remembers.
 */
export interface ShortlistTypes {
  readonly uniforms: ShortlistUniforms;
  readonly inputs: ShortlistInputs;
  readonly states: ShortlistStates;
}

/**
 * The three best tokens; does not pick.
 */
export declare const shortlist: Chain<ShortlistTypes>;
