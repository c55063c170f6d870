/** Generations as their readers see them. */
import type { Split } from "../backends/devices/place.js";
import type { Alternative } from "./likeliest.js";
import type { ContextStats } from "../backends/native/binding.js";
import type { StageTrace } from "../sequence/trace.js";
import type { SavedSequence } from "../sequence/savedSequence.js";
import type { UniformValues } from "../sequence/sequence.js";

/** A token and the logarithm of the probability that the model itself gave it. */
export interface Logprob {
  /** The id of the token. */
  readonly token: number;
  /**
   * Before the chain.
   * @unit nats
   */
  readonly logprob: number;
}

/** A generated token and its text. Each token has its piece, in order. */
export interface Piece {
  /** The id of the token. */
  readonly token: number;
  /**
   * Whole characters only: the text of a token that ends inside a character comes with a later token. Without what belongs to a
   * stop text, so it can be empty; a piece comes when its whole text is known.
   */
  readonly text: string;
  /**
   * The logarithm of the probability of the token in the model's own logits, before the chain; with `logprobs`.
   * @unit nats
   */
  readonly logprob?: number;
  /**
   * The entropy of the model's own distribution, before the chain; with `logprobs`.
   * @unit nats
   */
  readonly entropy?: number;
  /** The likeliest tokens of the model itself, likeliest first; with `logprobs`. */
  readonly logprobs?: readonly Logprob[];
  /**
   * The probability that the chain gave it; with `alternatives`.
   * @unit 0 to 1
   */
  readonly probability?: number;
  /** The likeliest tokens that the chain keeps, likeliest first, which may include the picked one; with `alternatives`. */
  readonly alternatives?: readonly Alternative[];
  /** The values of the states after this token, by name; with `states`. */
  readonly states?: Readonly<Record<string, number>>;
  /** The values of the chain's measures for this token, by name; absent if it has none. They are read back with the token. */
  readonly measures?: Readonly<Record<string, number>>;
  /**
   * What each stage made of the rows and of this token, in order, the model's own distribution first; with `trace`. Absent for a token that the
   * chain did not pick: one of a text that it writes, or that ends a thought.
   */
  readonly trace?: readonly StageTrace[];
}

/** A generation to continue later. */
export interface Saved<Sequence = SavedSequence> {
  /** The text so far, including the prompt. */
  readonly tokens: Int32Array;
  readonly sequence: Sequence;
  /** The same of each guide, by name; absent without guides. */
  readonly guides?: Readonly<Record<string, Int32Array>>;
}

/** Statistics of a generation; those of the context cover all its sequences. */
export interface GenerationStats extends ContextStats {
  /**
   * Tokens of the prompt.
   * @unit tokens
   */
  readonly promptTokens: number;
  /**
   * Those of the prompt that were computed: what the prompt begins with may be there from an earlier text, or from one beside it.
   * @unit tokens
   */
  readonly computedPromptTokens: number;
  /**
   * Tokens that were picked.
   * @unit tokens
   */
  readonly generatedTokens: number;
  /**
   * With `speculate`: tokens that were decoded before they were picked.
   * @unit tokens
   */
  readonly drafted?: number;
  /**
   * With `speculate`: drafted tokens that were picked then.
   * @unit tokens
   */
  readonly accepted?: number;
  /**
   * With `speculate`: batches of the sequence.
   * @unit batches
   */
  readonly decodes?: number;
  /**
   * Tokens per second, without the prompt.
   * @unit tokens/s
   */
  readonly tokensPerSecond: number;
  /**
   * Tokens of the text that came whatever the logits were: the only ones that a grammar allowed, and those of texts that the chain writes;
   * absent without one.
   * @unit tokens
   */
  readonly forcedTokens?: number;
  /**
   * Tokens that were picked although a grammar that the chain asked did not allow them, with one that ended the text: the grammar
   * waits at them, so the text as a whole may not obey it. Absent without one.
   * @unit tokens
   */
  readonly disallowedTokens?: number;
  /**
   * With `bannedPhrases`: how often the text was taken back.
   * @unit rewinds
   */
  readonly rewinds?: number;
  /**
   * With `bannedPhrases`: tokens that were taken back, which are not among `generatedTokens`.
   * @unit tokens
   */
  readonly takenBackTokens?: number;
  /**
   * With `bannedPhrases`: phrases that stayed, since a grammar or the chain left no other token at their beginning.
   * @unit phrases
   */
  readonly keptPhrases?: number;
  /**
   * With `heal`: the text of the token of the prompt that was taken back, which is not among `promptTokens`; absent where none was. The first
   * of `generatedTokens` begin with it.
   */
  readonly healed?: string;
  /** Why the chain does not run on the model's device as a whole; absent if it does. */
  readonly split?: Split;
  /**
   * Why the text ended; absent until then. `end`: the model picked a token that ends it; `stop`: a stop text came; `stopped`: a
   * `stop when` of the chain held; `rewinds`: it was taken back as often as `maxRewinds` allows.
   */
  readonly finish?: "end" | "stop" | "stopped" | "maxTokens" | "context" | "rewinds";
  /** The stop text that ended it. */
  readonly stopText?: string;
  /** The name of the `stop when` that ended it; of several that held, of the first in the order of the chain. */
  readonly stoppedBy?: string;
}

/**
 * An iterator over pieces of text whose uniforms can change while it runs. It starts with the first requested piece, and ends early
 * when the loop is left or the signal is aborted. One loop, or one iterator, can read it: another one is an `InputError` with the
 * code `BUSY`, and after the end `ENDED`.
 */
export interface Generation extends AsyncIterable<Piece> {
  /**
   * Sets uniforms from the next token on, without a new graph. Throws `InputError`, also for another value of a parameter of the host
   * tail; after the end with the code `ENDED`.
   */
  setUniforms(values: UniformValues): void;
  /**
   * Takes the last tokens that were read back, with all that depends on them: the text goes on as if they had never been written,
   * with the present values of uniforms. After the end this is what `save` gives then.
   * @throws InputError for more tokens than were read, and while a piece is awaited (`BUSY`)
   */
  rewind(count: number): void;
  /**
   * The text up to the last piece that was read, including the prompt, and the state of the sequence, to continue later with
   * `resume`; the texts of the guides are the prompts of the guides then.
   */
  save(): Saved;
  /** Statistics so far. Throws `InputError` before the first piece. */
  stats(): GenerationStats;
}
