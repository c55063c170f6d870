/** The engine's own positions, for what follows a grammar without this thread. */
import { InputError } from "../core/errors.js";
import type { AutomatonPosition } from "../backends/native/automatonBinding.js";
import type { GrammarState } from "./types.js";

export interface Positioned extends GrammarState {
  /** Undefined until all tokens before it are read. */
  position(): AutomatonPosition | undefined;
}

/** The engine's position; undefined until all tokens before it are read, and for a state of something else. */
export const positionOf = (state: GrammarState): AutomatonPosition | undefined =>
  "position" in state ? (state as Positioned).position() : undefined;

export const notReady = (): InputError =>
  new InputError("this position of a grammar is not ready: await `ready()`", { code: "NOT_READY" });
