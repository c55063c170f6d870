/** The engine's own positions, for what follows a grammar without this thread. */
import type { AutomatonPosition } from "../backends/native/automatonBinding.js";
import type { GrammarState } from "./types.js";

export interface Positioned extends GrammarState {
  /** Undefined until all tokens before it are read. */
  position(): AutomatonPosition | undefined;
}

/** The engine's position; undefined until all tokens before it are read, and for a state of something else. */
export const positionOf = (state: GrammarState): AutomatonPosition | undefined =>
  "position" in state ? (state as Positioned).position() : undefined;
