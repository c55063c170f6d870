/// <reference lib="esnext.disposable" preserve="true" />
/** Several generations in one context, decoded together. */
import type { AnyChainTypes, ChainTypes } from "../chain/chainTypes.js";
import type { AnswerLimits, AnswerParts } from "./answers.js";
import { Reading } from "./reading.js";
import { chatPrompt, LIMITS } from "./chats.js";
import type { ChatMessage } from "../chat/messages.js";
import { CHAT, type ChatOptions } from "../chat/render.js";
import * as is from "../core/check.js";
import {
  generateIn,
  openScheduler,
  type Generation,
  type LoadedModel,
  type RunOptions,
  type SequenceRequest,
} from "../generation/generate.js";
import { checkNotHealed } from "../generation/healing/healing.js";
import { checkSequence, MAX_SEQUENCES, REQUEST, RUN } from "../generation/request.js";
import type { GenerationOf, SequenceRequestOf } from "../generation/typed.js";

export interface BatchOptions extends RunOptions {
  /** Sequences that run at the same time, at most 256. Each has memory for `contextSize` tokens. */
  readonly sequences: number;
  /**
   * Numbers of sequences, from 0 on, only for requests that name them with `place`.
   * @default none
   */
  readonly reserved?: readonly number[] | undefined;
  /**
   * Rows that the chains of one decode may compute together: `work` of `costOf`, where each kernel counts as 4096 rows more, and rows of
   * slow ones several times. Beyond it, texts with costly chains wait for a later decode by turns of their lanes, so that they hold up no
   * others. Texts do not change.
   * @default any number
   * @unit rows
   */
  readonly decodeWork?: number | undefined;
  /**
   * A text that begins, or is set, while others are computed ahead of their readers joins them with the next decode, not after as many tokens
   * as they are ahead. What is decoded together depends on time then, and so the last digits of the model's logits, as between a single text
   * and a batch.
   * @default false
   */
  readonly joinsAtOnce?: boolean | undefined;
  /**
   * Called after each decode with the milliseconds that it took; it must not throw.
   * @default none
   */
  readonly onDecode?: ((milliseconds: number) => void) | undefined;
}

/**
 * Generations that share a context. Those whose readers wait for a piece are decoded in one batch, so read them concurrently.
 * They start and end independently; if there are more generations than sequences, the rest wait for a free sequence.
 */
export interface GenerationBatch extends Disposable {
  /** Adds a generation, also while others run. Throws as `Model.generate` does. */
  add<T extends ChainTypes = AnyChainTypes>(
    prompt: string | Int32Array,
    request: SequenceRequestOf<T>,
  ): GenerationOf<T>;
  /** Adds the answer to a conversation. Throws as `Model.chat` does. */
  chat<T extends ChainTypes = AnyChainTypes>(
    messages: readonly ChatMessage[],
    request: SequenceRequestOf<T> & ChatOptions & AnswerLimits,
  ): GenerationOf<T> & AnswerParts;
  /** Different chains of the generations that run; equal ones share a subgraph. */
  readonly liveChains: number;
  /** Tokens that have waited for a later decode because of `decodeWork`. */
  readonly postponed: number;
  /** Frees the context; unfinished generations fail. */
  dispose(): void;
}

const sequenceCount = is.integer(1, MAX_SEQUENCES);
const BATCH: is.Checks<BatchOptions> = {
  ...RUN,
  sequences: sequenceCount,
  reserved: is.listOf("a list of numbers of sequences", is.integer(0)),
  decodeWork: is.integer(1),
  onDecode: is.callback,
  joinsAtOnce: is.flag,
};
const checkBatch = is.options(BATCH);
const CHAT_REQUEST: is.Checks<SequenceRequest & ChatOptions & AnswerLimits> = { ...REQUEST, ...CHAT, ...LIMITS };

export function openBatch(model: LoadedModel, options: BatchOptions): GenerationBatch {
  checkBatch(options, "options");
  const { sequences, reserved = [], onDecode, decodeWork, joinsAtOnce } = options;
  sequenceCount(sequences, "sequences"); // it has no default
  is.listOf("a list of numbers of sequences", is.integer(0, sequences - 1))(reserved, "reserved");
  const scheduler = openScheduler(model, sequences, options, {
    reserved: new Set(reserved),
    onDecode,
    decodeWork,
    joinsAtOnce,
  });
  const dispose = (): void => scheduler.dispose();
  // the types check names only at compile time; here all names are checked
  const add = (prompt: string | Int32Array, request: SequenceRequest): Generation => {
    checkSequence(request);
    return generateIn({ scheduler, model, options }, prompt, request);
  };
  const chat = (
    messages: readonly ChatMessage[],
    request: SequenceRequest & ChatOptions & AnswerLimits,
  ): Generation & AnswerParts => {
    checkSequence(request, CHAT_REQUEST);
    checkNotHealed(request);
    const reading = new Reading(model, request);
    const prompt = chatPrompt(model.native, messages, request, { reading });
    return reading.with(generateIn({ scheduler, model, options }, prompt, reading.requestOf(request)));
  };
  return {
    add: add as GenerationBatch["add"],
    chat: chat as GenerationBatch["chat"],
    get liveChains() {
      return scheduler.liveChains;
    },
    get postponed() {
      return scheduler.postponed;
    },
    dispose,
    [Symbol.dispose]: dispose,
  };
}
