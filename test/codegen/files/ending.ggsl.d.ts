/* eslint-disable */
// Made by `ggsl gen ending.ggsl --dts`; do not edit.
import type { Chain } from "ggsl";

/**
 * Uniforms of the chain `ending`. Each may be set before every token.
 */
export type EndingUniforms = Readonly<Record<string, never>>;

/**
 * Inputs of the chain `ending`, which the calling program gives it.
 */
export type EndingInputs = Readonly<Record<string, never>>;

/**
 * Numbers that a sequence of the chain `ending` remembers from token to token.
 */
export type EndingStates = readonly [];

/**
 * What can end a text of the chain `ending`: `stoppedBy` of its statistics.
 */
export type EndingStops = "certain" | "repetition";

/**
 * What the chain `ending` takes and remembers.
 */
export interface EndingTypes {
  readonly uniforms: EndingUniforms;
  readonly inputs: EndingInputs;
  readonly states: EndingStates;
  readonly stops: EndingStops;
}

/**
 * The chain `ending`.
 */
export declare const ending: Chain<EndingTypes>;
