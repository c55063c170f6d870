/** Items of Responses as messages: those that the model wrote in one turn are one message. */
import { missing, unsupported } from "../../refusal.js";
import type { Body } from "../../request/fields.js";
import { show } from "../../request/fit.js";

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
}
type Content = string | readonly Part[];

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: Content;
  readonly summary?: readonly Part[];
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: Content;
}

type Message = { -readonly [name in keyof Written]: Written[name] };
interface Written {
  readonly role: string;
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly tool_calls?: object[];
  readonly tool_call_id?: string;
}

/** What is no part of a conversation that is sent whole. */
const OTHERS: Readonly<Record<string, string>> = {
  item_reference:
    "names an item that was stored, and answers are not stored: send the item itself (`store: false` makes clients do so)",
};

/** The messages of `instructions` and `input`. @param origins gets their places */
export function messagesOf(body: Body, origins: Map<string, string>): readonly object[] {
  const { instructions, input } = body as { readonly instructions?: string; readonly input: string | readonly Item[] };
  const messages: Message[] = [];
  origins.set("messages", "input");
  if (instructions !== undefined) add(messages, origins, "instructions", { role: "system", content: instructions });
  if (typeof input === "string") add(messages, origins, "input", { role: "user", content: input });
  else
    for (const [i, item] of input.entries()) {
      const path = `input[${i}]`;
      const kind = item.type ?? "message";
      if (!Object.hasOwn(READERS, kind))
        throw unsupported(
          `${path}.type`,
          OTHERS[kind] ??
            `must be "message", "function_call", "function_call_output" or "reasoning", found ${show(kind)}`,
        );
      READERS[kind as keyof typeof READERS](item, path, messages, origins);
    }
  return messages;
}

const READERS = {
  message(item: Item, path: string, messages: Message[], origins: Map<string, string>): void {
    const { role = "user", content } = item;
    if (content === undefined)
      throw missing(`${path}.content`, 'a text, or a list of parts such as { type: "input_text", text }');
    const written = { role, content: contentOf(content, `${path}.content`) };
    const last = messages.at(-1);
    if (role === "assistant" && last?.role === role && last.content === undefined && !last.tool_calls)
      // after its thoughts
      last.content = written.content;
    else if ((role === "system" || role === "developer") && messages.length === 1 && last?.role === "system")
      // templates take one message of the system, at the beginning
      last.content = `${last.content as string}\n\n${textOf(content, `${path}.content`)}`;
    else add(messages, origins, path, written);
  },
  reasoning(
    { content = [], summary = [] }: Item,
    path: string,
    messages: Message[],
    origins: Map<string, string>,
  ): void {
    const own = typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
    const thought = own === "" ? summary.map(({ text = "" }) => text).join("\n") : own;
    const last = messages.at(-1);
    if (thought === "") return;
    if (last?.role === "assistant" && last.content === undefined && !last.tool_calls)
      last.reasoning_content = `${last.reasoning_content ?? ""}\n${thought}`;
    else add(messages, origins, path, { role: "assistant", reasoning_content: thought });
  },
  function_call(item: Item, path: string, messages: Message[], origins: Map<string, string>): void {
    const { call_id: id, name, arguments: args = "" } = item;
    if (name === undefined) throw missing(`${path}.name`, "the name of a tool");
    if (messages.at(-1)?.role !== "assistant") add(messages, origins, path, { role: "assistant" });
    const calls = (messages.at(-1)!.tool_calls ??= []);
    const at = `messages[${messages.length - 1}].tool_calls[${calls.length}]`;
    origins.set(at, path).set(`${at}.function.arguments`, `${path}.arguments`);
    calls.push({ ...(id !== undefined && { id }), type: "function", function: { name, arguments: args } });
  },
  function_call_output(item: Item, path: string, messages: Message[], origins: Map<string, string>): void {
    const { call_id: id, output } = item;
    if (id === undefined) throw missing(`${path}.call_id`, "the `call_id` of the call");
    if (output === undefined) throw missing(`${path}.output`, "what the tool gave, as a text");
    const content = contentOf(output, `${path}.output`);
    add(messages, origins, path, { role: "tool", tool_call_id: id, content });
  },
};

function add(messages: Message[], origins: Map<string, string>, path: string, message: Message): void {
  const at = `messages[${messages.length}]`;
  origins.set(at, path);
  if (path === "instructions" || path === "input") origins.set(`${at}.content`, path);
  if (message.role === "tool") origins.set(`${at}.content`, `${path}.output`);
  messages.push(message);
}

const contentOf = (content: Content, path: string): unknown =>
  typeof content === "string" ? content : content.map((part, i) => partOf(part, `${path}[${i}]`));

const textOf = (content: Content, path: string): string =>
  typeof content === "string" ? content : content.map((part, i) => partOf(part, `${path}[${i}]`).text).join("\n");

const TEXTS: ReadonlySet<string> = new Set(["input_text", "output_text", "text", "summary_text", "reasoning_text"]);

function partOf({ type, text, refusal }: Part, path: string): { readonly type: "text"; readonly text: string } {
  const own = type === "refusal" ? refusal : text;
  if ((TEXTS.has(type) || type === "refusal") && typeof own === "string") return { type: "text", text: own };
  if (TEXTS.has(type)) throw missing(`${path}.text`, "a text");
  throw unsupported(
    path,
    `has the type ${show(type)}, and the models of this server read text only: expected { type: "input_text", text }`,
  );
}
