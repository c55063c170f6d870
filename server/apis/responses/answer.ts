/** The answers of Responses: one response with its output items, whole or as events. */
import type { Part } from "ggsl/chat/answer.js";
import type { Piece } from "ggsl/generation/pieces.js";
import type { Usage } from "../../engine/texts.js";
import type { StreamEvent } from "../../http/events.js";
import type { Refusal } from "../../refusal.js";
import type { Body } from "../../request/fields.js";
import type { AnswerContext, AnswerWriter, TextEnd } from "../api.js";
import { Blocks, type Block, type BlockChange } from "../blocks.js";
import { newId, seconds } from "../ids.js";
import { reasonOf } from "../openai/choices.js";
import { chatLogprob, type ChatLogprob } from "../openai/logprobs.js";
import { kindOf, type Item, type ItemKind, type ItemStatus, type Told } from "./items.js";

type Status = ItemStatus | "failed";

export class ResponseAnswer implements AnswerWriter {
  readonly id = newId("resp_");
  private readonly created = seconds();
  private readonly blocks = new Blocks();
  private readonly ids: string[] = [];
  private readonly logprobs: ChatLogprob[] = [];
  private readonly wantsLogprobs: boolean;
  private readonly isSummary: boolean;
  private sequence = 0;
  private isCut = false;
  private stoppedBy: string | undefined;
  private reasoningTokens = 0;

  constructor(private readonly context: AnswerContext) {
    const { reasoning } = context.asked.body as { readonly reasoning?: { readonly summary?: string } };
    this.isSummary = reasoning?.summary !== undefined;
    this.wantsLogprobs = context.asked.given.body.logprobs === true;
  }

  begin(): readonly StreamEvent[] {
    const response = this.response("in_progress", undefined);
    return [this.event("response.created", { response }), this.event("response.in_progress", { response })];
  }

  piece(_: number, piece: Piece, parts: readonly Part[]): readonly StreamEvent[] {
    const isContent = parts.some(({ part }) => part === "content");
    const own = this.wantsLogprobs && isContent ? [chatLogprob(this.context.model, piece)] : [];
    for (const one of own) this.logprobs.push(one);
    return this.changed(this.blocks.add(parts), own);
  }

  end(_: number, { stats, parts, reasoningTokens = 0 }: TextEnd): readonly StreamEvent[] {
    this.reasoningTokens = reasoningTokens;
    this.isCut = reasonOf(stats) === "length";
    this.stoppedBy = stats.stoppedBy;
    const changes = this.blocks.add(parts);
    // clients look for a message
    const added = this.blocks.all.length === 0 ? this.blocks.empty("content") : [];
    return this.changed([...changes, ...added, ...this.blocks.close()], []);
  }

  finish(usage: Usage): readonly StreamEvent[] {
    const { status } = this;
    return [this.event(`response.${status}`, { response: this.response(status, usage) })];
  }

  fail(refusal: Refusal, request: string): readonly StreamEvent[] {
    const { code, message, param = null } = refusal;
    const response = { ...this.response("failed", undefined), error: { code, message } };
    return [
      this.event("error", { code, message, param, request_id: request }),
      this.event("response.failed", { response }),
    ];
  }

  whole(usage: Usage): object {
    return this.response(this.status, usage);
  }

  private get status(): "completed" | "incomplete" {
    return this.isCut ? "incomplete" : "completed";
  }

  private event(type: string, more: object): StreamEvent {
    return { name: type, data: { type, sequence_number: this.sequence++, ...more } };
  }

  private response(status: Status, usage: Usage | undefined): object {
    const { asked, name } = this.context;
    const { body } = asked;
    const isOver = status !== "in_progress";
    return {
      id: this.id,
      object: "response",
      created_at: this.created,
      ...(isOver && { completed_at: status === "completed" ? seconds() : null }),
      status,
      background: false,
      error: null,
      incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
      ...(this.stoppedBy !== undefined && { stopped_by: this.stoppedBy }),
      model: name,
      output: isOver ? this.blocks.all.map((block) => this.finished(block)) : [],
      ...echoed(body),
      previous_response_id: null,
      store: false,
      truncation: "disabled",
      usage: usage ? usageOf(usage, this.reasoningTokens) : null,
    };
  }

  private kind(block: Block): ItemKind {
    return kindOf(block, this.isSummary);
  }

  private itemOf(block: Block): Item {
    const id = (this.ids[block.index] ??= newId(this.kind(block).prefix));
    return { id, block, logprobs: block.kind === "content" ? this.logprobs : [] };
  }

  /** As it is after its end; the last one may be cut. */
  private finished(block: Block): object {
    const isCut = this.isCut && block === this.blocks.all.at(-1);
    return this.kind(block).item(this.itemOf(block), isCut ? "incomplete" : "completed", block.text);
  }

  private changed(changes: readonly BlockChange[], logprobs: readonly ChatLogprob[]): readonly StreamEvent[] {
    return changes.flatMap((change) => {
      const { block } = change;
      const [kind, item] = [this.kind(block), this.itemOf(block)];
      const output_index = block.index;
      const tell = ([type, more]: Told): StreamEvent =>
        this.event(`response.${type}`, { item_id: item.id, output_index, ...more });
      const about = (type: string, own: object): StreamEvent =>
        this.event(`response.output_item.${type}`, { output_index, item: own });
      switch (change.change) {
        case "open":
          return [about("added", kind.item(item, "in_progress", "")), ...kind.open(item).map(tell)];
        case "add":
          return [tell(kind.add(item, change.text, logprobs))];
        case "close":
          return [...kind.close(item).map(tell), about("done", this.finished(block))];
      }
    });
  }
}

/** What the request said, with the defaults of OpenAI's API. */
function echoed(body: Body): object {
  const { format = { type: "text" } } = (body["text"] ?? {}) as { readonly format?: object };
  const { effort = null, summary = null } = (body["reasoning"] ?? {}) as Body;
  return {
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    metadata: body["metadata"] ?? {},
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    reasoning: { effort, summary },
    temperature: body["temperature"] ?? 1,
    text: { format },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_p: body["top_p"] ?? 1,
    ...(body["user"] !== undefined && { user: body["user"] }),
  };
}

const usageOf = ({ promptTokens, cachedTokens, generatedTokens }: Usage, reasoningTokens: number): object => ({
  input_tokens: promptTokens,
  input_tokens_details: { cached_tokens: cachedTokens },
  output_tokens: generatedTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: promptTokens + generatedTokens,
});
