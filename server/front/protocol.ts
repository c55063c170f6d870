/** What the front and the process of a model say to each other. */
import type { ModelDetails } from "../apis/ollama/entries.js";
import type { ServeOptions } from "../config/options.js";

/** What a process tells of its model. */
export interface ModelFacts {
  readonly details: ModelDetails;
  readonly contextSize: number;
}

/** The first message to a process. */
export interface Job {
  readonly options: ServeOptions;
  /** With which requests of the front come. */
  readonly secret: string;
}

/** The second one: the process ends. */
export interface ToChild {
  /** Milliseconds for running texts. */
  readonly grace: number;
}

export type FromChild =
  | { readonly kind: "ready"; readonly url: string; readonly facts: ModelFacts }
  /** The model cannot be loaded. */
  | { readonly kind: "failed"; readonly message: string };
