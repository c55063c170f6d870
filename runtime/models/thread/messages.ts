/**
 * The requests of a page to the worker with a model, and their answers; `core/requests.ts` carries them, and errors. The tokens of a
 * generation are notes before its answer.
 *
 * `load`, `generate`, `chat` and `logits` are queued and run in order, at most 16 at a time; a cancelled generation ends with `done`.
 * `texts`, `tokenize`, `setUniforms` and `cancel` run at once, between two tokens.
 */
import type { ChatMessage } from "../../chat/messages.js";
import type { ChatOptions } from "../../chat/render.js";
import type { TokenizeOptions } from "../../sequence/prompt.js";
import type { GenerationStats } from "../../generation/generate.js";
import type { Guides } from "../../sequence/guides.js";
import type { ModelInfo } from "../../backends/native/binding.js";
import type { Phrase } from "../../sequence/phrases/phrases.js";
import type { UniformValues } from "../../sequence/sequence.js";
import type { StageTrace } from "../../sequence/trace.js";
import type { LookupOptions } from "../../decode/speculation/options.js";
import type { SendableModule } from "../../backends/wasm/source.js";

export type Request =
  | {
      readonly type: "load";
      /** A GGUF file; it replaces the model loaded before. */
      readonly bytes: Uint8Array;
      /** The module with llama.cpp; a text is its absolute URL. */
      readonly module: SendableModule;
    }
  | ({ readonly type: "generate" } & GenerateRequest)
  | ({ readonly type: "chat" } & ChatRequest)
  | ({ readonly type: "logits" } & LogitsRequest)
  | { readonly type: "texts"; readonly tokens: Int32Array }
  | ({ readonly type: "tokenize"; readonly text: string } & TokenizeOptions)
  | { readonly type: "setUniforms"; readonly generation: number; readonly values: UniformValues }
  | { readonly type: "cancel"; readonly generation: number };

export interface GenerateRequest extends AnyRequest, TokenizeOptions {
  /** The last token of the prompt is taken back, and the first tokens begin with its bytes. */
  readonly heal?: boolean | undefined;
  readonly prompt: string | Int32Array;
}

export interface ChatRequest extends AnyRequest, ChatOptions {
  readonly messages: readonly ChatMessage[];
}

interface AnyRequest {
  /** The chain's spec from `writeSpec`; the worker verifies it. */
  readonly spec: string;
  /** The spec of the same chain with the rows as outputs, for alternatives. */
  readonly rowsSpec?: string | undefined;
  /**
   * In place of the seeds that the chain leaves open.
   * @default new ones
   */
  readonly seed?: number | undefined;
  readonly uniforms?: UniformValues | undefined;
  readonly guides?: Guides | undefined;
  readonly maxTokens?: number | undefined;
  readonly minTokens?: number | undefined;
  readonly ignoreEnd?: boolean | undefined;
  /** Texts that end the generation. */
  readonly stop?: readonly string[] | undefined;
  /** Texts and regular expressions that are not written. */
  readonly bannedPhrases?: readonly Phrase[] | undefined;
  /** How often the text may be taken back because of them. */
  readonly maxRewinds?: number | undefined;
  readonly contextSize?: number | undefined;
  /**
   * How many of the model's own likeliest tokens to send beside the picked one, at most 100.
   * @default none
   */
  readonly logprobs?: number | undefined;
  /**
   * How many of the likeliest tokens to send with each token, at most 100.
   * @default 0
   */
  readonly alternatives?: number | undefined;
  /** Send the values of the states with each token. */
  readonly states?: boolean | undefined;
  /** Send what each stage made of the rows and of the token; the spec is that of a traced chain. */
  readonly trace?: boolean | undefined;
  /** Prompt lookup; another model cannot be sent. */
  readonly speculate?: { readonly ngram: LookupOptions } | undefined;
}

export interface LogitsRequest extends TokenizeOptions {
  readonly prompt: string | Int32Array;
  readonly contextSize?: number | undefined;
  /**
   * Of how many of the prompt's last tokens the logits are wanted, one row after the other.
   * @default 1
   */
  readonly last?: number | undefined;
}

export type Reply =
  | { readonly type: "loaded"; readonly info: ModelInfo }
  /** Answers `generate` and `chat`. */
  | ({ readonly type: "done" } & GenerationEnd)
  /** A logit for each token of the vocabulary, in each row; transferred. */
  | { readonly type: "logits"; readonly logits: Float32Array }
  /** In the order of the requested tokens. */
  | { readonly type: "texts"; readonly texts: readonly string[] }
  | { readonly type: "tokens"; readonly tokens: Int32Array }
  /** Answers `setUniforms` and `cancel`. */
  | { readonly type: "accepted" };

/** A token of a generation in a worker. */
export interface Token {
  readonly token: number;
  /** Whole characters only: the text of a token that ends inside a character comes with a later token. */
  readonly text: string;
  /** The logarithm of its probability in the model's own logits, and the model's likeliest tokens; absent without `logprobs`. */
  readonly logprob?: number;
  /** The entropy of the model's own distribution, in nats; absent without `logprobs`. */
  readonly entropy?: number;
  readonly logprobs?: readonly { readonly token: number; readonly text: string; readonly logprob: number }[];
  /** In [0, 1], after the chain; absent without `alternatives`. */
  readonly probability?: number;
  /** The likeliest first; `text` is that of the token alone. */
  readonly alternatives?: readonly { readonly token: number; readonly text: string; readonly probability: number }[];
  /** The values of the states after this token, by name; absent without `states`. */
  readonly states?: Readonly<Record<string, number>>;
  /** The values of the chain's measures for this token, by name; absent if it has none. */
  readonly measures?: Readonly<Record<string, number>>;
  /** What each stage made of the rows and of this token; absent without `trace`. */
  readonly trace?: readonly StageTrace[];
}

/** How a generation in a worker ended. */
export interface GenerationEnd {
  readonly finish: NonNullable<GenerationStats["finish"]> | "cancelled";
  /** Absent if it was cancelled before its first token. */
  readonly stats?: GenerationStats;
}
