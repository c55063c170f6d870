/** The output items of Responses, and the events of each kind. */
import type { Body } from "../../request/fields.js";
import type { Block } from "../blocks.js";
import type { ChatLogprob } from "../openai/logprobs.js";

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** A block that is an item. */
export interface Item {
  readonly id: string;
  readonly block: Block;
  /** Of the tokens of the content, where they are asked for. */
  readonly logprobs: readonly ChatLogprob[];
}

/** An event: its type after `response.`, and its members beside the item's place. */
export type Told = readonly [type: string, more: Body];

/** What items of a kind are, and what is told while they grow. */
export interface ItemKind {
  readonly prefix: string;
  /** @param text so far */
  item(item: Item, status: ItemStatus, text: string): object;
  open(item: Item): readonly Told[];
  add(item: Item, delta: string, logprobs: readonly ChatLogprob[]): Told;
  close(item: Item): readonly Told[];
}

interface Growing {
  /** Of its events, before `_part.added` and `_part.done`. */
  readonly part: string;
  /** Before `.delta` and `.done`. */
  readonly text: string;
  /** Where the part is in its item. */
  readonly at: Body;
  readonly made: (text: string, logprobs: readonly ChatLogprob[]) => object;
  readonly more?: (logprobs: readonly ChatLogprob[]) => Body;
}

/** What is told of an item with one part that is a text. */
const growing = ({ part, text: name, at, made, more = () => ({}) }: Growing): Omit<ItemKind, "prefix" | "item"> => ({
  open: () => [[`${part}_part.added`, { ...at, part: made("", []) }]],
  add: (_, delta, logprobs) => [`${name}.delta`, { ...at, delta, ...more(logprobs) }],
  close: ({ block: { text }, logprobs }) => [
    [`${name}.done`, { ...at, text, ...more(logprobs) }],
    [`${part}_part.done`, { ...at, part: made(text, logprobs) }],
  ],
});

const FIRST = { content_index: 0 };
const output = (text: string, logprobs: readonly ChatLogprob[]): object => ({
  type: "output_text",
  text,
  annotations: [],
  logprobs,
});

const message: ItemKind = {
  prefix: "msg_",
  item: ({ id, logprobs }, status, text) => ({
    id,
    type: "message",
    role: "assistant",
    status,
    content: status === "in_progress" ? [] : [output(text, logprobs)],
  }),
  ...growing({ part: "content", text: "output_text", at: FIRST, made: output, more: (logprobs) => ({ logprobs }) }),
};

const call: ItemKind = {
  prefix: "fc_",
  item: ({ id, block }, status, text) => ({
    id,
    type: "function_call",
    status,
    call_id: block.call!.id,
    name: block.call!.name,
    arguments: text,
  }),
  open: () => [],
  add: (_, delta) => ["function_call_arguments.delta", { delta }],
  close: ({ block: { text, call: of } }) => [["function_call_arguments.done", { name: of!.name, arguments: text }]],
};

const thought = (text: string): object => ({ type: "reasoning_text", text });
const reasoning: ItemKind = {
  prefix: "rs_",
  item: ({ id }, status, text) => ({
    id,
    type: "reasoning",
    status,
    summary: [],
    content: status === "in_progress" ? [] : [thought(text)],
  }),
  ...growing({ part: "content", text: "reasoning_text", at: FIRST, made: thought }),
};

const summarised = (text: string): object => ({ type: "summary_text", text });
/** Thoughts of which a summary is asked for. */
const summary: ItemKind = {
  prefix: "rs_",
  item: ({ id }, status, text) => ({
    id,
    type: "reasoning",
    status,
    summary: status === "in_progress" ? [] : [summarised(text)],
  }),
  ...growing({
    part: "reasoning_summary",
    text: "reasoning_summary_text",
    at: { summary_index: 0 },
    made: summarised,
  }),
};

export const kindOf = ({ kind }: Block, isSummary: boolean): ItemKind =>
  ({ content: message, call, reasoning: isSummary ? summary : reasoning })[kind];
