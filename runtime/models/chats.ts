/** Answers to conversations. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import * as is from "../core/check.js";
import { contextSettings } from "../backends/contextOptions.js";
import {
  generateIn,
  openScheduler,
  type GenerateOptions,
  type Generation,
  type LoadedModel,
  type Room,
} from "../generation/generate.js";
import { checkNotHealed } from "../generation/healing/healing.js";
import { checkSequence, graphOf, REQUEST, RUN, type SequenceRequest } from "../generation/request.js";
import { translate } from "../core/errors.js";
import type { NativeModel } from "../backends/native/binding.js";
import { LatePrompt, promptTokens } from "../sequence/prompt.js";
import type { Scheduler } from "../decode/scheduler/scheduler.js";
import type { ChatMessage } from "../chat/messages.js";
import { toldConversation, type AnswerLimits, type AnswerParts } from "./answers.js";
import { Reading } from "./reading.js";
import { CHAT, openConversation, renderConversation, type ChatOptions } from "../chat/render.js";
import { renderedTokens } from "../chat/tokens.js";

/** The prompt of a conversation. Throws `InputError` for messages that are not valid; its template runs later. */
export function chatPrompt(
  model: NativeModel,
  messages: readonly ChatMessage[],
  options: ChatOptions & Partial<SequenceRequest>,
  { mostTokens = 0, reading }: { readonly mostTokens?: number | undefined; readonly reading?: Reading } = {},
): LatePrompt {
  const { lane, signal, reasoning } = options;
  const chosen = Object.fromEntries(Object.keys(CHAT).map((name) => [name, options[name as keyof ChatOptions]]));
  const conversation = openConversation(messages, chosen);
  return new LatePrompt(async () => {
    try {
      const client = { lane, signal };
      const told = await toldConversation(model, conversation, reasoning);
      const rendered = await renderConversation(model, told, client);
      const tokens = promptTokens(model, await renderedTokens(model, rendered, mostTokens, client));
      await reading?.begin(tokens);
      return tokens;
    } catch (error) {
      throw translate(error, signal);
    }
  });
}

/** A scheduler for one generation, and what to call after it. */
interface Taken {
  readonly scheduler: Scheduler;
  readonly free: () => void;
}

/** A model's context for conversations: a new turn finds the tokens of the turns before. */
export class KeptContext {
  private kept: { readonly key: string; readonly scheduler: Scheduler; isTaken: boolean } | undefined;

  /** The kept context, if it is free; else one for this generation alone. */
  take(key: string, open: () => Scheduler): Taken {
    if (this.kept && this.kept.key !== key && !this.kept.isTaken) this.dispose();
    this.kept ??= { key, scheduler: open(), isTaken: false };
    const { kept } = this;
    if (kept.key !== key || kept.isTaken) {
      const scheduler = open();
      return { scheduler, free: () => scheduler.dispose() };
    }
    kept.isTaken = true;
    return { scheduler: kept.scheduler, free: () => void (kept.isTaken = false) };
  }

  dispose(): void {
    this.kept?.scheduler.dispose();
    this.kept = undefined;
  }
}

export const LIMITS: is.Checks<AnswerLimits> = { reasoningBudget: is.integer(0), parallelToolCalls: is.flag };
const ANSWER: is.Checks<GenerateOptions & ChatOptions & AnswerLimits> = { ...REQUEST, ...RUN, ...CHAT, ...LIMITS };

/** A generation in the kept context. */
export function startChat(
  model: LoadedModel,
  kept: KeptContext,
  messages: readonly ChatMessage[],
  options: GenerateOptions & ChatOptions & AnswerLimits,
): Generation & AnswerParts {
  checkSequence(options, ANSWER);
  checkNotHealed(options);
  const reading = new Reading(model, options);
  const prompt = chatPrompt(model.native, messages, options, { reading });
  const settings = contextSettings(options, model.settings);
  const { placement, checkLogits } = options;
  const sequences = 1 + guidesOf(graphOf(options)).length;
  const open = (): Scheduler => openScheduler(model, sequences, options);
  const key = JSON.stringify([sequences, placement, checkLogits, ...Object.entries(settings).sort()]);
  // when it starts, it is known whether the kept context is free
  let taken: Taken | undefined;
  const take = (): Taken => (taken ??= kept.take(key, open));
  const scheduler: Room["scheduler"] = {
    sequences,
    shared: sequences,
    acquire: (request) => take().scheduler.acquire(request),
    companion: (...given) => take().scheduler.companion(...given),
  };
  const request = reading.requestOf(options);
  return reading.with(generateIn({ scheduler, model, options }, prompt, request, () => taken?.free()));
}
