/** Answers of OpenAI's chat and completions, around their choices. */
import type { Part } from "ggsl/chat/answer.js";
import type { Piece } from "ggsl/generation/pieces.js";
import type { Usage } from "../../engine/texts.js";
import type { StreamEvent } from "../../http/events.js";
import type { Refusal } from "../../refusal.js";
import type { TextEndpoint } from "../../request/fields.js";
import type { AnswerContext, AnswerWriter, TextEnd } from "../api.js";
import { newId, seconds } from "../ids.js";
import { ChatText, CompletionText, type TextForm } from "./choices.js";

/** What all parts of an answer have. */
interface Head {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
}

const KINDS = {
  chat: { prefix: "chatcmpl", whole: "chat.completion", part: "chat.completion.chunk" },
  completions: { prefix: "cmpl", whole: "text_completion", part: "text_completion" },
} as const;

function headOf(endpoint: TextEndpoint, model: string, isStream: boolean): Head {
  const { prefix, whole, part } = KINDS[endpoint];
  return {
    id: newId(`${prefix}-`),
    object: isStream ? part : whole,
    created: seconds(),
    model,
  };
}

/** @param reasoningTokens those of thoughts; undefined where there are no such */
export const usageOf = (
  { promptTokens, cachedTokens, generatedTokens, drafted }: Usage,
  reasoningTokens?: number,
): object => ({
  prompt_tokens: promptTokens,
  completion_tokens: generatedTokens,
  total_tokens: promptTokens + generatedTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
  ...((drafted ?? reasoningTokens) !== undefined && {
    completion_tokens_details: {
      ...(reasoningTokens !== undefined && { reasoning_tokens: reasoningTokens }),
      ...(drafted && {
        accepted_prediction_tokens: drafted.accepted,
        rejected_prediction_tokens: drafted.tokens - drafted.accepted,
      }),
    },
  }),
});

/** Has a choice for each text. */
export class ChoicesAnswer implements AnswerWriter {
  private readonly head: Head;
  private readonly texts: readonly TextForm[];
  private readonly wantsUsage: boolean;
  private reasoningTokens: number | undefined;

  constructor({ asked: { given }, model, name, texts, isStream }: AnswerContext) {
    const { endpoint, body } = given;
    const { logprobs, measures = false, trace = false, stream_options: options } = body;
    const Form = endpoint === "chat" ? ChatText : CompletionText;
    const wantsLogprobs = logprobs !== undefined && logprobs !== false;
    this.head = headOf(endpoint, name, isStream);
    this.texts = Array.from(
      { length: texts },
      (_, index) => new Form({ index, model, wantsLogprobs, reported: { measures, trace } }),
    );
    this.wantsUsage = options?.include_usage === true;
  }

  get id(): string {
    return this.head.id;
  }

  begin(): readonly StreamEvent[] {
    return [];
  }

  piece(index: number, piece: Piece, parts: readonly Part[]): readonly StreamEvent[] {
    const choice = this.texts[index]!.piece(piece, parts);
    return choice ? [this.event([choice])] : [];
  }

  end(index: number, end: TextEnd): readonly StreamEvent[] {
    if (end.reasoningTokens !== undefined) this.reasoningTokens = (this.reasoningTokens ?? 0) + end.reasoningTokens;
    return this.texts[index]!.end(end).map((choice) => this.event([choice]));
  }

  finish(usage: Usage): readonly StreamEvent[] {
    return [
      ...(this.wantsUsage ? [this.event([], { usage: usageOf(usage, this.reasoningTokens) })] : []),
      { data: "[DONE]" },
    ];
  }

  fail(refusal: Refusal, request: string): readonly StreamEvent[] {
    return [{ data: refusal.bodyFor(request) }];
  }

  whole(usage: Usage): object {
    return { ...this.head, choices: this.texts.map(({ whole }) => whole), usage: usageOf(usage, this.reasoningTokens) };
  }

  private event(choices: readonly object[], more: object = this.wantsUsage ? { usage: null } : {}): StreamEvent {
    return { data: { ...this.head, choices, ...more } };
  }
}
