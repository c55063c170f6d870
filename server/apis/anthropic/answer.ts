/** Answers of Anthropic's Messages: one message with its content blocks, whole or as events. */
import type { Part } from "ggsl/chat/answer.js";
import type { GenerationStats, Piece } from "ggsl/generation/pieces.js";
import type { Usage } from "../../engine/texts.js";
import type { StreamEvent } from "../../http/events.js";
import type { Refusal } from "../../refusal.js";
import type { AnswerContext, AnswerWriter, TextEnd } from "../api.js";
import { Blocks, type Block, type BlockChange } from "../blocks.js";
import { newId } from "../ids.js";
import { objectOf } from "../rawJson.js";
import { anthropicErrors } from "./errors.js";

/** Why a message ended. */
interface Stop {
  readonly stop_reason:
    "end_turn" | "max_tokens" | "model_context_window_exceeded" | "stop_sequence" | "tool_use" | null;
  readonly stop_sequence: string | null;
  /** The name of the `stop when` of the chain that ended it; absent if none did. */
  readonly stopped_by?: string;
}

/** Clients send thoughts back only with a signature; nothing is signed. */
const SIGNATURE = "unsigned";

const OPEN: Stop = { stop_reason: null, stop_sequence: null };

export class MessageAnswer implements AnswerWriter {
  readonly id = newId("msg_");
  private readonly blocks = new Blocks();
  private stop = OPEN;

  constructor(private readonly context: AnswerContext) {}

  begin(): readonly StreamEvent[] {
    const { promptTokens } = this.context;
    const message = this.message([], OPEN, { promptTokens, cachedTokens: 0, generatedTokens: 0 });
    return [event("message_start", { message }), event("ping", {})];
  }

  piece(_: number, __: Piece, parts: readonly Part[]): readonly StreamEvent[] {
    return this.blocks.add(parts).flatMap(eventsOf);
  }

  end(_: number, { stats, parts, isCut = false }: TextEnd): readonly StreamEvent[] {
    const changes = [...this.blocks.add(parts), ...this.blocks.close()];
    this.stop = stopOf(stats, !isCut && this.blocks.all.some(({ kind }) => kind === "call"));
    return changes.flatMap(eventsOf);
  }

  finish(usage: Usage): readonly StreamEvent[] {
    return [event("message_delta", { delta: this.stop, usage: usageOf(usage) }), event("message_stop", {})];
  }

  fail(refusal: Refusal, request: string): readonly StreamEvent[] {
    return [{ name: "error", data: anthropicErrors(refusal, request) }];
  }

  whole(usage: Usage): object {
    return this.message(
      this.blocks.all.map((block) => wholeOf(block)),
      this.stop,
      usage,
    );
  }

  private message(content: readonly object[], stop: Stop, usage: Tokens): object {
    return {
      id: this.id,
      type: "message",
      role: "assistant",
      model: this.context.name,
      content,
      ...stop,
      usage: usageOf(usage),
    };
  }
}

const event = (type: string, more: object): StreamEvent => ({ name: type, data: { type, ...more } });

function stopOf({ finish, stopText, stoppedBy }: GenerationStats, mustCall: boolean): Stop {
  if (mustCall) return { stop_reason: "tool_use", stop_sequence: null };
  if (stopText !== undefined) return { stop_reason: "stop_sequence", stop_sequence: stopText };
  const cut = { maxTokens: "max_tokens", rewinds: "max_tokens", context: "model_context_window_exceeded" } as const;
  const reason = finish !== undefined && finish in cut ? cut[finish as keyof typeof cut] : "end_turn";
  return { stop_reason: reason, stop_sequence: null, ...(stoppedBy !== undefined && { stopped_by: stoppedBy }) };
}

type Tokens = Pick<Usage, "promptTokens" | "cachedTokens" | "generatedTokens">;

/** Tokens that were cached count apart. */
const usageOf = ({ promptTokens, cachedTokens, generatedTokens }: Tokens): object => ({
  input_tokens: promptTokens - cachedTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cachedTokens,
  output_tokens: generatedTokens,
});

// ---------------------------------------------------------------- blocks

function openOf({ kind, call }: Block): object {
  switch (kind) {
    case "content":
      return { type: "text", text: "" };
    case "reasoning":
      return { type: "thinking", thinking: "", signature: "" };
    case "call":
      return { type: "tool_use", id: call!.id, name: call!.name, input: {} };
  }
}

function wholeOf(block: Block): object {
  const { kind, text } = block;
  const own = {
    content: () => ({ text }),
    reasoning: () => ({ thinking: text, signature: SIGNATURE }),
    call: () => ({ input: objectOf(text) }),
  };
  return { ...openOf(block), ...own[kind]() };
}

const DELTAS = {
  content: (text: string) => ({ type: "text_delta", text }),
  reasoning: (text: string) => ({ type: "thinking_delta", thinking: text }),
  call: (text: string) => ({ type: "input_json_delta", partial_json: text }),
} as const;

function eventsOf(change: BlockChange): readonly StreamEvent[] {
  const { index, kind } = change.block;
  const delta = (of: object): StreamEvent => event("content_block_delta", { index, delta: of });
  switch (change.change) {
    case "open":
      return [event("content_block_start", { index, content_block: openOf(change.block) })];
    case "add":
      return [delta(DELTAS[kind](change.text))];
    case "close":
      return [
        ...(kind === "reasoning" ? [delta({ type: "signature_delta", signature: SIGNATURE })] : []),
        event("content_block_stop", { index }),
      ];
  }
}
