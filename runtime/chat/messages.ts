/** Conversations as callers give them: in the form of OpenAI's API, which templates expect. */
import { show } from "@ggsl/compiler/core/show.js";
import * as is from "../core/check.js";
import { invalid } from "../core/errors.js";
import type { Digits } from "./digits.js";
import { checkLimit } from "./limits.js";

/** A part of a message's content. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** A call of a tool by the model. */
export interface ToolCall {
  readonly type?: "function" | undefined;
  readonly id?: string | undefined;
  readonly function: {
    readonly name: string;
    /** As an object, or as its JSON text. */
    readonly arguments: Readonly<Record<string, unknown>> | string;
  };
}

/** Further members reach the template as they are. */
export interface ChatMessage {
  /** `system`, `user`, `assistant`, `tool`, or another role that the template knows. */
  readonly role: string;
  /** May be absent beside `tool_calls`. Clients keep an answer without any text as null, with the role `assistant`. */
  readonly content?: string | readonly TextPart[] | null | undefined;
  readonly tool_calls?: readonly ToolCall[] | undefined;
  /** Of the call that a message of the role `tool` answers. */
  readonly tool_call_id?: string | undefined;
  readonly name?: string | undefined;
  /** The model's thought before the content. It reaches the template by the name that it reads, as `reasoning` and `thinking` do. */
  readonly reasoning_content?: string | null | undefined;
  readonly [member: string]: unknown;
}

/** A tool that the model may call; `parameters` is a JSON schema. */
export interface Tool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: object };
}

const role = is.that(
  "the name of a role, such as system, user, assistant or tool",
  (value) => typeof value === "string" && value !== "",
);
const PART = is.having({ type: is.oneOf("text"), text: is.text });
const content = is.either(
  'a text, or a list of parts { type: "text", text }',
  is.text,
  is.listOf("a list of parts", PART),
);
const callArguments = is.either("an object, or its JSON text", is.someObject, is.text);
const calls = is.listOf(
  "a list of tool calls",
  is.having({ function: is.having({ name: is.text, arguments: callArguments }) }),
);
const tool = is.having({ function: is.having({ name: is.text }) });
const toolList = is.listOf("a list of tools", tool);

const thought = is.that(
  "a text, or null",
  (value) => value === undefined || value === null || typeof value === "string",
);

const message: is.Check = (value, name) => {
  is.having({ role })(value, name);
  const given = value as ChatMessage;
  thought(given.reasoning_content, `${name}.reasoning_content`);
  if (given.tool_calls !== undefined) calls(given.tool_calls, `${name}.tool_calls`);
  const isSilent = given.content === undefined || given.content === null;
  const mayBeSilent = given.tool_calls?.length || (given.content === null && given.role === "assistant");
  if (!isSilent || !mayBeSilent) content(given.content, `${name}.content`);
};
const messageList = is.listOf("a list of messages", message);

/** Throws `InputError` for a conversation that is empty or not one. */
export function checkMessages(messages: unknown): asserts messages is readonly ChatMessage[] {
  messageList(messages, "messages");
  if ((messages as readonly unknown[]).length === 0)
    throw invalid("`messages` must be a list of at least one message, found none");
}

export function checkTools(tools: unknown): asserts tools is readonly Tool[] {
  toolList(tools, "tools");
}

/** As JSON, which is plain data: a template must not call functions of its caller. */
export function plain(value: object, name: string): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw invalid(`\`${name}\` must be values that JSON has: ${(error as Error).message}`, error);
  }
  checkLimit("text", text.length);
  return text;
}

/** What a template can read. */
export interface Forms {
  /** The arguments of tool calls: as objects, or as JSON text. */
  readonly arguments: "object" | "text";
  /** The content: as text, or only as a list of parts. */
  readonly content: "text" | "parts";
  /** Messages of the role `system`. Else their text is put before the next message, as llama.cpp's programs do. */
  readonly system: boolean;
  /** Thoughts: as members of a message, or as parts of its content. */
  readonly thoughts: "members" | "parts";
  /** Whether a message with calls may have both a content and a thought. */
  readonly thoughtsBeside: boolean;
}

/** The messages in the forms that a template reads. Numbers of arguments that are given as JSON text are shown by `digits`. */
export const prepared = (messages: readonly ChatMessage[], forms: Forms, digits: Digits): Record<string, unknown>[] =>
  withoutSystem(messages, forms).map((given, i) => ({
    ...given,
    content: contentOf(given, forms),
    ...thoughtOf(given, forms),
    ...(given.tool_calls && {
      tool_calls: given.tool_calls.map((call, j) => ({
        type: "function",
        ...call,
        function: {
          ...call.function,
          arguments: argumentsOf(call, forms, digits, `messages[${i}].tool_calls[${j}].function.arguments`),
        },
      })),
    }),
  }));

function withoutSystem(messages: readonly ChatMessage[], { system }: Forms): readonly ChatMessage[] {
  const [first, second, ...rest] = messages;
  if (system || first?.role !== "system" || !second) return messages;
  return [{ ...second, content: `${joinedContent(first)}\n${joinedContent(second)}` }, ...rest];
}

function contentOf(message: ChatMessage, forms: Forms): string | readonly TextPart[] {
  const { content: given } = message;
  if (forms.content === "text") return joinedContent(message);
  return typeof given === "string" ? [{ type: "text", text: given }] : (given ?? []);
}

/** The names by which templates read a thought. */
const THOUGHTS = ["reasoning_content", "reasoning", "thinking", "thought"] as const;

/** The members of a message that have its thought, by all names that templates have for it. */
function thoughtOf(message: ChatMessage, { thoughts, thoughtsBeside, content }: Forms): Record<string, unknown> {
  const given = THOUGHTS.map((name) => message[name]).find((one) => typeof one === "string" && one !== "");
  if (message.role !== "assistant" || given === undefined) return {};
  const text = joinedContent(message);
  if (thoughts === "parts")
    return {
      content: [{ type: "thinking", thinking: given }, ...(text === "" ? [] : [{ type: "text", text }])],
    };
  const isJoined = !thoughtsBeside && text !== "" && (message.tool_calls?.length ?? 0) > 0;
  const thought = isJoined ? `${given as string}\n\n${text}` : given;
  return {
    ...Object.fromEntries(THOUGHTS.map((name) => [name, thought])),
    ...(isJoined && { content: content === "text" ? "" : [] }),
  };
}

const joinedContent = ({ content: given }: ChatMessage): string =>
  typeof given === "object" ? (given ?? []).map(({ text }) => text).join("\n") : (given ?? "");

function argumentsOf({ function: { arguments: args } }: ToolCall, forms: Forms, digits: Digits, name: string): unknown {
  if (forms.arguments === "text") return typeof args === "string" ? args : JSON.stringify(args);
  if (typeof args !== "string") return args;
  try {
    return JSON.parse(digits.hide(args));
  } catch (error) {
    throw invalid(`\`${name}\` must be an object, or its JSON text, found ${show(args)}`, error);
  }
}
