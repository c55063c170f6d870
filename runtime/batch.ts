/** Many generations in one context, decoded together. */
import type { AnyChainTypes, ChainTypes } from "./chainTypes.js";
import { InputError } from "./errors.js";
import {
  generateIn,
  openScheduler,
  type Generation,
  type LoadedModel,
  type RunOptions,
  type SequenceRequest,
} from "./generate.js";
import type { GenerationOf, SequenceRequestOf } from "./typed.js";

export interface BatchOptions extends RunOptions {
  /** Sequences that run at the same time, at most 256. Each has memory for `contextSize` tokens. */
  readonly sequences: number;
}

/**
 * Generations that share a context: those whose readers wait for a piece are computed together, so read them at the same
 * time. They start and end independently of each other; with more of them than sequences, the others wait for their turn.
 */
export interface GenerationBatch extends Disposable {
  /** Adds a generation, also while others run. Throws as `Model.generate` does. */
  add<T extends ChainTypes = AnyChainTypes>(
    prompt: string | Int32Array,
    request: SequenceRequestOf<T>,
  ): GenerationOf<T>;
  /** Frees the context; generations that are not at their end fail. */
  dispose(): void;
}

export function openBatch(model: LoadedModel, options: BatchOptions): GenerationBatch {
  const { sequences } = options;
  if (!Number.isInteger(sequences) || sequences < 1 || sequences > 256)
    throw new InputError(`\`sequences\` must be an integer from 1 to 256, found ${sequences}`);
  const scheduler = openScheduler(model, sequences, options);
  const dispose = (): void => scheduler.dispose();
  // names that the types know are checked here as any others are
  const add = (prompt: string | Int32Array, request: SequenceRequest): Generation =>
    generateIn({ scheduler, model, options }, prompt, request);
  return {
    add: add as GenerationBatch["add"],
    dispose,
    [Symbol.dispose]: dispose,
  };
}
