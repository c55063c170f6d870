/** Many generations in one context, decoded together. */
import { InputError } from "./errors.js";
import {
  generateIn,
  openScheduler,
  type Generation,
  type LoadedModel,
  type RunOptions,
  type SequenceRequest,
} from "./generate.js";

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
  add(prompt: string | Int32Array, request: SequenceRequest): Generation;
  /** Frees the context; generations that are not at their end fail. */
  dispose(): void;
}

export function openBatch(model: LoadedModel, options: BatchOptions): GenerationBatch {
  const { sequences } = options;
  if (!Number.isInteger(sequences) || sequences < 1 || sequences > 256)
    throw new InputError(`\`sequences\` must be an integer from 1 to 256, found ${sequences}`);
  const scheduler = openScheduler(model, sequences, options);
  const dispose = (): void => scheduler.dispose();
  return {
    add: (prompt, request) => generateIn({ scheduler, model, options }, prompt, request),
    dispose,
    [Symbol.dispose]: dispose,
  };
}
