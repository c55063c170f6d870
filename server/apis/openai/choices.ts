/** The choices of answers: of a whole answer, and of the events of a stream. */
import type { CallPart, Part } from "ggsl/chat/answer.js";
import type { GenerationStats, Piece } from "ggsl/generation/pieces.js";
import type { Model } from "ggsl/models/model.js";
import type { TextEnd } from "../api.js";
import { addLogprob, chatLogprob, openLogprobs, type ChatLogprob } from "./logprobs.js";

interface TextOptions {
  readonly index: number;
  readonly model: Model;
  readonly wantsLogprobs: boolean;
  /** What is told of each token beside its text. */
  readonly reported: Reported;
}

/** Parts of the answer that are asked for. */
interface Reported {
  readonly measures: boolean;
  readonly trace: boolean;
}

/** A text in the form of an endpoint. Events have what is new, the whole choice has all. */
export interface TextForm {
  /** Takes a piece, and gives the choice of an event; undefined if there is nothing to tell. */
  piece(piece: Piece, parts: readonly Part[]): object | undefined;
  /** The choices of the last events. */
  end(end: TextEnd): object[];
  /** The choice of a whole answer, after `end`. */
  readonly whole: object;
}

const REASONS = {
  end: "stop",
  stop: "stop",
  stopped: "stop",
  maxTokens: "length",
  context: "length",
  rewinds: "length",
} as const;

/** Why a text ended, in OpenAI's words. */
export const reasonOf = ({ finish = "stop" }: Pick<GenerationStats, "finish">): "stop" | "length" => REASONS[finish];

/** The name of the `stop when` that ended a text, as vLLM names what ended one. */
const stopReason = ({ stoppedBy }: GenerationStats): { readonly stop_reason?: string } =>
  stoppedBy === undefined ? {} : { stop_reason: stoppedBy };

type Told = Pick<Piece, "measures"> & { readonly trace?: Piece["trace"] | null };

/** The measures of a text, for each its values by token, and its trace by token. */
class ReportedSoFar {
  private readonly values: Record<string, number[]> = {};
  private readonly traces: (Piece["trace"] | null)[] = [];

  constructor(private readonly wanted: Reported) {}

  /** For the choice of an event. A token that the chain did not pick has no trace. */
  add({ measures = {}, trace = null }: Told): Told {
    if (this.wanted.measures)
      for (const [name, value] of Object.entries(measures)) (this.values[name] ??= []).push(value);
    if (this.wanted.trace) this.traces.push(trace);
    return { ...(this.wanted.measures && { measures }), ...(this.wanted.trace && { trace }) };
  }

  get isAny(): boolean {
    return this.wanted.measures || this.wanted.trace;
  }

  get whole(): { readonly measures?: object; readonly trace?: object } {
    return {
      ...(this.wanted.measures && { measures: this.values }),
      ...(this.wanted.trace && { trace: this.traces }),
    };
  }
}

/** A text of `/v1/completions`. */
export class CompletionText implements TextForm {
  private text = "";
  private reason = "stop";
  private stopped: ReturnType<typeof stopReason> = {};
  private readonly logprobs = openLogprobs();
  private readonly reported: ReportedSoFar;

  constructor(private readonly options: TextOptions) {
    this.reported = new ReportedSoFar(options.reported);
  }

  piece(piece: Piece): object | undefined {
    const { index, model, wantsLogprobs } = this.options;
    const offset = this.text.length;
    this.text += piece.text;
    const reported = this.reported.add(piece);
    const own = openLogprobs();
    if (wantsLogprobs) for (const to of [own, this.logprobs]) addLogprob(to, model, piece, offset);
    if (piece.text === "" && !wantsLogprobs && !this.reported.isAny) return undefined;
    return { index, text: piece.text, logprobs: wantsLogprobs ? own : null, finish_reason: null, ...reported };
  }

  end({ stats }: TextEnd): object[] {
    this.reason = reasonOf(stats);
    this.stopped = stopReason(stats);
    return [{ index: this.options.index, text: "", logprobs: null, finish_reason: this.reason, ...this.stopped }];
  }

  get whole(): object {
    const { index, wantsLogprobs } = this.options;
    const logprobs = wantsLogprobs ? this.logprobs : null;
    return { index, text: this.text, logprobs, finish_reason: this.reason, ...this.stopped, ...this.reported.whole };
  }
}

/** A call as answers have it. */
interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; arguments: string };
}

/** A text of `/v1/chat/completions`. */
export class ChatText implements TextForm {
  private content = "";
  private reasoning = "";
  private isFirst = true;
  private reason = "stop";
  private stopped: ReturnType<typeof stopReason> = {};
  private readonly calls: ToolCall[] = [];
  private readonly logprobs: ChatLogprob[] = [];
  private readonly reported: ReportedSoFar;

  constructor(private readonly options: TextOptions) {
    this.reported = new ReportedSoFar(options.reported);
  }

  piece(piece: Piece, parts: readonly Part[]): object | undefined {
    const { model, wantsLogprobs } = this.options;
    const delta = this.delta(parts);
    const reported = this.reported.add(piece);
    const own = wantsLogprobs ? [chatLogprob(model, piece)] : [];
    for (const one of own) this.logprobs.push(one);
    if (!delta && !wantsLogprobs && !this.reported.isAny) return undefined;
    return this.event(delta ?? {}, wantsLogprobs ? { content: own, refusal: null } : null, reported);
  }

  end({ stats, parts, isCut = false }: TextEnd): object[] {
    // clients need the role, also of a text without a token that is shown
    const delta = this.delta(parts) ?? (this.isFirst ? { content: "" } : undefined);
    this.reason = this.calls.length > 0 && !isCut ? "tool_calls" : reasonOf(stats);
    this.stopped = stopReason(stats);
    const { index } = this.options;
    const last = { index, delta: {}, logprobs: null, finish_reason: this.reason, ...this.stopped };
    return [...(delta ? [this.event(delta, null)] : []), last];
  }

  get whole(): object {
    const { index, wantsLogprobs } = this.options;
    const { content, calls, reasoning } = this;
    const message = {
      role: "assistant",
      content: calls.length > 0 && content === "" ? null : content,
      refusal: null,
      ...(reasoning !== "" && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const logprobs = wantsLogprobs ? { content: this.logprobs, refusal: null } : null;
    return { index, message, logprobs, finish_reason: this.reason, ...this.stopped, ...this.reported.whole };
  }

  /** What is new; undefined if nothing is. */
  private delta(parts: readonly Part[]): object | undefined {
    let [content, reasoning] = ["", ""];
    const calls: object[] = [];
    for (const part of parts) {
      if (part.part === "call") calls.push(this.call(part.call));
      else if (part.part === "content") content += part.text;
      else reasoning += part.text;
    }
    this.content += content;
    this.reasoning += reasoning;
    if (content === "" && reasoning === "" && calls.length === 0) return undefined;
    return {
      ...(reasoning !== "" && { reasoning_content: reasoning }),
      ...(content !== "" && { content }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }

  private call({ index, id, name, arguments: args }: CallPart): object {
    if (id === undefined || name === undefined) {
      this.calls[index]!.function.arguments += args;
      return { index, function: { arguments: args } };
    }
    const call: ToolCall = { id, type: "function", function: { name, arguments: args } };
    this.calls.push(call);
    return { index, ...call, function: { ...call.function } };
  }

  private event(delta: object, logprobs: object | null, reported: object = {}): object {
    const role = this.isFirst ? { role: "assistant" } : {};
    this.isFirst = false;
    return { index: this.options.index, delta: { ...role, ...delta }, logprobs, finish_reason: null, ...reported };
  }
}
