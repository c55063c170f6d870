/** What a generation asks of the scheduler. */
import type { ContextStats, DecodeOutput, InputValues } from "../native/binding.js";

/** The next tokens of a sequence. */
export interface Part {
  readonly tokens: Int32Array;
  /** The position of the first token in its sequence. What the sequence holds from there on is replaced. */
  readonly position: number;
}

/** One sequence's next tokens, with an output after the last. */
export interface Step extends Part {
  /** The parts of its guides, in their order. */
  readonly guides?: readonly Part[];
  readonly uniforms: Float32Array;
  /** The chain's inputs from index 1 on; empty for constant ones, and not read for those of guides. */
  readonly inputs: readonly InputValues[];
  /** Called after each batch with tokens of the step: how many of the sequence's tokens have been read. */
  readonly onRead?: ((count: number) => void) | undefined;
}

/** A request for a slot. */
export interface Request {
  /** The chain in the wire form. */
  readonly words: Int32Array;
  /** Those of its constant inputs. */
  readonly columns?: readonly Float32Array[];
  /** The chain's inputs that are the logits of guides; with the sequence itself at most as many as the context has sequences. */
  readonly inputs?: readonly number[];
  /** The prompts of the sequence and of its guides: they decide which sequences it gets. */
  readonly prompts: readonly Int32Array[];
  readonly signal?: AbortSignal | undefined;
}

/** A sequence of the context and its guides, from `acquire` to `release`. */
export interface Slot {
  /** Tokens that each sequence can hold. */
  readonly contextSize: number;
  decode(step: Step): Promise<DecodeOutput>;
  /** As of the latest batch. */
  readonly stats: () => ContextStats;
  /** Tokens of the sequence's first step that were computed; what it shares with other texts is not. */
  readonly computedPromptTokens: () => number;
  release(): void;
}
