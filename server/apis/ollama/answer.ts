/** Answers of Ollama's API: one object, or a line of JSON for each part. */
import type { Part } from "ggsl/chat/answer.js";
import type { Piece } from "ggsl/generation/pieces.js";
import type { Usage } from "../../engine/texts.js";
import type { StreamEvent } from "../../http/events.js";
import type { Refusal } from "../../refusal.js";
import type { AnswerContext, AnswerWriter, TextEnd } from "../api.js";
import { Blocks, type Block, type BlockKind } from "../blocks.js";
import { newId } from "../ids.js";
import { reasonOf } from "../openai/choices.js";
import { chatLogprob, type ChatLogprob } from "../openai/logprobs.js";
import { jsonOf, objectOf } from "../rawJson.js";
import { ollamaErrors } from "./errors.js";

/** What a part says, in the form of `/api/chat` or `/api/generate`. */
type TextForm = (said: Said) => object;

interface Said {
  readonly content: string;
  readonly thinking: string;
  readonly calls: readonly Block[];
}

const NOTHING: Said = { content: "", thinking: "", calls: [] };

export const chatForm: TextForm = ({ content, thinking, calls }) => ({
  message: {
    role: "assistant",
    content,
    ...(thinking !== "" && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  },
});

export const generateForm: TextForm = ({ content, thinking }) => ({
  response: content,
  ...(thinking !== "" && { thinking }),
});

const callOf = ({ call, text }: Block, index: number): object => ({
  id: call!.id,
  function: { index, name: call!.name, arguments: objectOf(text) },
});

export class OllamaAnswer implements AnswerWriter {
  readonly id = newId("ollama-");
  private readonly blocks = new Blocks();
  private readonly logprobs: ChatLogprob[] = [];
  private readonly wantsLogprobs: boolean;
  private isCut = false;
  private stoppedBy: string | undefined;

  constructor(
    private readonly context: AnswerContext,
    private readonly form: TextForm,
  ) {
    this.wantsLogprobs = context.asked.body["logprobs"] === true;
  }

  begin(): readonly StreamEvent[] {
    return [];
  }

  piece(_: number, piece: Piece, parts: readonly Part[]): readonly StreamEvent[] {
    const own = this.wantsLogprobs ? [chatLogprob(this.context.model, piece)] : [];
    for (const one of own) this.logprobs.push(one);
    return this.told(parts, own, false);
  }

  end(_: number, { stats, parts }: TextEnd): readonly StreamEvent[] {
    this.isCut = reasonOf(stats) === "length";
    this.stoppedBy = stats.stoppedBy;
    return this.told(parts, [], true);
  }

  finish(usage: Usage): readonly StreamEvent[] {
    return [this.line({ ...this.form(NOTHING), ...this.ended(usage) })];
  }

  fail(refusal: Refusal, request: string): readonly StreamEvent[] {
    return [{ data: ollamaErrors(refusal, request) }];
  }

  whole(usage: Usage): object {
    const { all } = this.blocks;
    const textOf = (kind: BlockKind): string => all.map((block) => (block.kind === kind ? block.text : "")).join("");
    const calls = all.filter(({ kind }) => kind === "call");
    return {
      ...this.head(),
      ...this.form({ content: textOf("content"), thinking: textOf("reasoning"), calls }),
      ...(this.wantsLogprobs && { logprobs: this.logprobs }),
      ...this.ended(usage),
    };
  }

  /** Calls are told when they are whole. */
  private told(parts: readonly Part[], logprobs: readonly ChatLogprob[], isLast: boolean): readonly StreamEvent[] {
    const changes = [...this.blocks.add(parts), ...(isLast ? this.blocks.close() : [])];
    const textOf = (kind: BlockKind): string =>
      changes.map((one) => (one.change === "add" && one.block.kind === kind ? one.text : "")).join("");
    const calls = changes.flatMap(({ change, block }) => (change === "close" && block.kind === "call" ? [block] : []));
    const said = { content: textOf("content"), thinking: textOf("reasoning"), calls };
    const isSilent = said.content === "" && said.thinking === "" && calls.length === 0;
    if (isSilent && logprobs.length === 0) return [];
    return [this.line({ ...this.form(said), done: false, ...(logprobs.length > 0 && { logprobs }) })];
  }

  private head(): object {
    return { model: this.context.asked.body["model"], created_at: new Date().toISOString() };
  }

  private line(more: object): StreamEvent {
    return { data: jsonOf({ ...this.head(), ...more }) };
  }

  /** Times in nanoseconds. */
  private ended({ promptTokens, generatedTokens, firstToken = 0 }: Usage): object {
    const total = performance.now() - this.context.started;
    const nanoseconds = (milliseconds: number): number => Math.round(milliseconds * 1e6);
    return {
      done: true,
      done_reason: this.isCut ? "length" : "stop",
      ...(this.stoppedBy !== undefined && { stopped_by: this.stoppedBy }),
      total_duration: nanoseconds(total),
      load_duration: 0,
      prompt_eval_count: promptTokens,
      prompt_eval_duration: nanoseconds(firstToken),
      eval_count: generatedTokens,
      eval_duration: nanoseconds(total - firstToken),
    };
  }
}
