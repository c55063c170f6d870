/** Answers to conversations. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import { contextSettings } from "../contextOptions.js";
import {
  generateIn,
  openScheduler,
  type GenerateOptions,
  type Generation,
  type LoadedModel,
  type Room,
} from "../generate.js";
import { checkRun, checkSequence, graphOf, type SequenceRequest } from "../generation/request.js";
import type { NativeModel } from "../native/binding.js";
import { openTokensOf, type LatePrompt } from "../prompt.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import type { Slot } from "../scheduler/step.js";
import type { ChatMessage } from "./messages.js";
import { openConversation, renderConversation, type ChatOptions } from "./render.js";

/** The prompt of a conversation. Throws `InputError` for messages that are not valid; its template runs later. */
export function chatPrompt(
  model: NativeModel,
  messages: readonly ChatMessage[],
  { tools, addGenerationPrompt, template, variables }: ChatOptions & Partial<SequenceRequest>,
): LatePrompt {
  const conversation = openConversation(messages, { tools, addGenerationPrompt, template, variables });
  return async () => openTokensOf(model, await renderConversation(model, conversation));
}

interface Taken {
  readonly slot: Slot;
  readonly scheduler: Scheduler;
}

/** A model's context for conversations: a new turn finds the tokens of the turns before. */
export class KeptContext {
  private kept: { readonly key: string; readonly scheduler: Scheduler; isTaken: boolean } | undefined;

  /** A slot of the kept context, if it is free; else of one for this slot alone. */
  async acquire(key: string, open: () => Scheduler, given: Parameters<Scheduler["acquire"]>): Promise<Taken> {
    if (this.kept && this.kept.key !== key && !this.kept.isTaken) this.dispose();
    this.kept ??= { key, scheduler: open(), isTaken: false };
    const { kept } = this;
    const isFree = kept.key === key && !kept.isTaken;
    const scheduler = isFree ? kept.scheduler : open();
    if (isFree) kept.isTaken = true;
    const free = (): void => {
      if (!isFree) scheduler.dispose();
      kept.isTaken &&= !isFree;
    };
    try {
      const slot = await scheduler.acquire(...given);
      const release = (): void => {
        slot.release();
        free();
      };
      return { slot: Object.assign(Object.create(slot) as Slot, { release }), scheduler };
    } catch (error) {
      free();
      throw error;
    }
  }

  dispose(): void {
    this.kept?.scheduler.dispose();
    this.kept = undefined;
  }
}

/** A generation in the kept context. */
export function startChat(
  model: LoadedModel,
  kept: KeptContext,
  messages: readonly ChatMessage[],
  options: GenerateOptions & ChatOptions,
): Generation {
  const prompt = chatPrompt(model.native, messages, options);
  checkSequence(options);
  checkRun(options, "options");
  const settings = contextSettings(options, model.settings);
  const { placement, checkLogits } = options;
  const sequences = 1 + guidesOf(graphOf(options)).length;
  const open = (): Scheduler => openScheduler(model, sequences, options);
  const key = JSON.stringify([sequences, placement, checkLogits, ...Object.entries(settings).sort()]);
  let taken: Taken | undefined;
  const scheduler: Room["scheduler"] = {
    sequences,
    acquire: async (...given) => (taken = await kept.acquire(key, open, given)).slot,
    companion: (...given) => taken!.scheduler.companion(...given),
  };
  return generateIn({ scheduler, model, options }, prompt, options);
}
