/** Messages of Anthropic's form as chat's: results of tools are messages of their own. */
import { missing, unsupported } from "../../refusal.js";
import type { Body } from "../../request/fields.js";
import { show } from "../../request/fit.js";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: object;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
}

interface Message {
  readonly role: "user" | "assistant" | "system";
  readonly content: string | readonly Block[];
}

type Origins = Map<string, string>;

/** The messages of `system` and `messages`. @param origins gets their places */
export function messagesOf(body: Body, origins: Origins): readonly object[] {
  const { system, messages } = body as {
    readonly system?: string | readonly Block[];
    readonly messages: readonly Message[];
  };
  const all: object[] = [];
  const add = (path: string, message: object): void => {
    origins.set(`messages[${all.length}]`, path);
    all.push(message);
  };
  if (system !== undefined) {
    origins.set("messages[0].content", "system");
    add("system", { role: "system", content: textsOf(system, "system") });
  }
  for (const [i, { role, content }] of messages.entries()) {
    const path = `messages[${i}]`;
    if (typeof content === "string") add(path, { role, content });
    else if (role === "assistant")
      add(
        path,
        ofAssistant(content, path, (at) => `messages[${all.length}].${at}`, origins),
      );
    else for (const message of ofUser(role, content, path)) add(path, message);
  }
  return all;
}

/** The text of an answer, its thoughts and its calls. */
function ofAssistant(blocks: readonly Block[], path: string, place: (at: string) => string, origins: Origins): object {
  let thought = "";
  const texts: object[] = [];
  const calls: object[] = [];
  for (const [i, block] of blocks.entries()) {
    const { type, thinking, id, name, input = {} } = block;
    const at = `${path}.content[${i}]`;
    if (type === "thinking") thought += thinking ?? "";
    else if (type === "tool_use") {
      if (name === undefined) throw missing(`${at}.name`, "the name of a tool");
      origins.set(place(`tool_calls[${calls.length}]`), at);
      calls.push({ ...(id !== undefined && { id }), type: "function", function: { name, arguments: input } });
    }
    // what only Anthropic's models can read
    else if (type !== "redacted_thinking") texts.push(textOf(block, at));
  }
  return {
    role: "assistant",
    content: texts.length > 0 ? texts : null,
    ...(thought !== "" && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** Texts in turn are one message, and each result of a tool is one. */
function ofUser(role: string, blocks: readonly Block[], path: string): readonly object[] {
  const all: { role: string; content: unknown; tool_call_id?: string }[] = [];
  for (const [i, block] of blocks.entries()) {
    const at = `${path}.content[${i}]`;
    if (block.type === "tool_result") {
      if (block.tool_use_id === undefined) throw missing(`${at}.tool_use_id`, "the id of the call");
      const content = textsOf(block.content ?? "", `${at}.content`);
      all.push({ role: "tool", content, tool_call_id: block.tool_use_id });
    } else {
      const text = textOf(block, at);
      const last = all.at(-1);
      if (last?.role === role) (last.content as object[]).push(text);
      else all.push({ role, content: [text] });
    }
  }
  return all.length > 0 ? all : [{ role, content: "" }];
}

const textsOf = (content: string | readonly Block[], path: string): unknown =>
  typeof content === "string" ? content : content.map((block, i) => textOf(block, `${path}[${i}]`));

function textOf({ type, text }: Block, path: string): object {
  if (type === "text" && text !== undefined) return { type, text };
  if (type === "text") throw missing(`${path}.text`, "a text");
  throw unsupported(
    path,
    `has the type ${show(type)}, which the models of this server cannot read there: expected { type: "text", text }`,
  );
}
