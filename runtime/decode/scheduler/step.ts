/** What a generation asks of the scheduler. */
import type { ContextStats, DecodeOutput, InputValues, NativeText } from "../../backends/native/binding.js";
import type { Later } from "./later.js";
import type { Written } from "./written.js";
import type { Cost, Costs } from "./costs.js";

/** The next tokens of a sequence. */
export interface Part {
  readonly tokens: Int32Array;
  /** The position of the first token in its sequence. What the sequence holds from there on is replaced. */
  readonly position: number;
}

/** What the chain is fed with for one output. */
export interface Row {
  readonly uniforms: Float32Array;
  /** The chain's inputs from index 1 on; empty for constant ones, and not read for those of guides. */
  readonly inputs: readonly InputValues[];
}

/** One sequence's next tokens, with an output after the last. */
export interface Step extends Part, Row {
  /** Feeds the chain in place of `uniforms` and `inputs`. It has accepted the tokens. */
  readonly text?: NativeText | undefined;
  /** The parts of its guides, in their order. */
  readonly guides?: readonly Part[];
  /** For `decodeRows`: those of more outputs, after the first. The tokens, and those of guides, end with as many drafted ones. */
  readonly more?: readonly Row[];
  /** When it was asked for, by `performance.now()`, less the time that the host took for it before; default: when its batch begins. */
  readonly since?: number;
  /** The outputs come with the model's own logits, also with those of the guides. */
  readonly isRaw?: boolean;
  /** With `text`: how many tokens after the next one may be computed before they are asked for; default: as many as of others. */
  readonly ahead?: number | undefined;
  /** With `text`: how many tokens the text may have after the next one; default none. */
  readonly room?: number;
  /** Called after each batch with tokens of the step: how many of the sequence's tokens have been read. */
  readonly onRead?: ((count: number) => void) | undefined;
}

export interface SlotOutput extends DecodeOutput {
  /** The model's own logits of the guides, in their order, where they were asked for. */
  readonly guides?: readonly Float32Array[];
  /** The token, and those after it, where they are computed before they are asked for: the text has accepted them. */
  readonly written?: { readonly first: Written; readonly later: Later };
}

/** The outputs of a step, and what its batch cost; no cost for a batch in which a text is read. */
export interface Rows {
  /** The first, and of `more` as many as fitted in the batch. */
  readonly outputs: readonly SlotOutput[];
  readonly cost: Cost | undefined;
}

/** The rows of a step. */
export const rowsOf = (step: Step): readonly Row[] => (step.more ? [step, ...step.more] : [step]);

/** How many tokens of a draft a step has. */
export const draftedOf = ({ more }: Step): number => more?.length ?? 0;

/** A step with only the first tokens of its draft. */
export function withDraft(step: Step, length: number): Step {
  const { more = [], guides } = step;
  const dropped = more.length - length;
  if (dropped <= 0) return step;
  const shorter = <P extends Part>(part: P): P => ({ ...part, tokens: part.tokens.subarray(0, -dropped) });
  return { ...shorter(step), more: more.slice(0, length), ...(guides && { guides: guides.map(shorter) }) };
}

/** A request for a slot. */
export interface Request {
  /** The chain in the wire form. */
  readonly words: Int32Array;
  /** The values of its constant inputs. */
  readonly columns?: readonly Float32Array[];
  /** The chain's inputs that are the logits of guides; with the sequence itself at most as many as the context has sequences. */
  readonly inputs?: readonly number[];
  /** The prompts of the sequence and of its guides: they decide which sequences it gets. */
  readonly prompts: readonly Int32Array[];
  readonly signal?: AbortSignal | undefined;
  /** The number of the sequence; default: any that is not reserved. */
  readonly place?: number | undefined;
  /** The most outputs of a step; default 1. */
  readonly rows?: number;
  /** What the chain takes for an output, as `effortOf` has it; asked for where decodes have a budget. Default: it does not count. */
  readonly work?: (() => number) | undefined;
  /** Whose text it is; default: one lane for all without. */
  readonly lane?: string | undefined;
}

/** A sequence of the context and its guides, from `acquire` to `release`. */
export interface Slot {
  /** Tokens that each sequence can hold. */
  readonly contextSize: number;
  decode(step: Step): Promise<SlotOutput>;
  decodeRows(step: Step): Promise<Rows>;
  /** The costs of the context's batches. */
  readonly costs: Costs;
  /** The figures of the context after the latest batch. */
  readonly stats: () => ContextStats;
  /** Tokens of the sequence's first step that were computed; what it shares with other texts is not. */
  readonly computedPromptTokens: () => number;
  release(): void;
}
