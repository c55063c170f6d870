/** The chat templates of llama.cpp's repository, and llama.cpp's own rendering of them. */
import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ChatMessage, Tool } from "../../runtime/chat/messages.js";
import type { NativeModel } from "../../runtime/backends/native/binding.js";

const FOLDER = fileURLToPath(new URL("../../build/llama.cpp/models/templates/", import.meta.url));
const ADDON = fileURLToPath(new URL("../../build/Release/ggsl_common_oracle.node", import.meta.url));

export const TEMPLATES = readdirSync(FOLDER).filter((file) => file.endsWith(".jinja"));
export const sourceOf = (name: string): string => readFileSync(FOLDER + name, "utf8");

interface Oracle {
  renderTemplate(source: string, variables: string): string;
  applyTemplate(
    source: string,
    given: { bos: string; eos: string; messages: string; tools: string; addGenerationPrompt: boolean },
  ): string;
}
const oracle = createRequire(import.meta.url)(ADDON) as Oracle;

/** An error's message: its last line. */
const orError = (render: () => string): string => {
  try {
    return render();
  } catch (error) {
    return `error: ${(error as Error).message.split("\n").at(-1)!}`;
  }
};

/** llama.cpp's Jinja engine with the same variables. */
export const byEngine = (source: string, variables: object): string =>
  orError(() => oracle.renderTemplate(source, JSON.stringify(variables)));

/** What llama.cpp's programs make of a conversation. */
export const byPrograms = (source: string, messages: readonly ChatMessage[], tools?: readonly Tool[]): string =>
  orError(() =>
    oracle.applyTemplate(source, {
      bos: "<s>",
      eos: "</s>",
      addGenerationPrompt: true,
      messages: JSON.stringify(messages),
      tools: JSON.stringify(tools ?? null),
    }),
  );

/** As much of a model as rendering needs. */
export const modelWith = (source: string | undefined, named: Readonly<Record<string, string>> = {}): NativeModel => {
  const variants = Object.entries(named).map(([name, text]) => [`tokenizer.chat_template.${name}`, text] as const);
  const metadata = {
    ...(source !== undefined && { "tokenizer.chat_template": source }),
    ...Object.fromEntries(variants),
  };
  const piece = (token: number): Uint8Array => new TextEncoder().encode(token === 1 ? "<s>" : "</s>");
  const classes = (): Uint8Array => Uint8Array.of(0, 1, 1);
  return { info: { metadata, bos: 1, eos: 2 }, piece, classes } as unknown as NativeModel;
};

const TURNS: readonly ChatMessage[] = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hi there" },
  { role: "user", content: "What is the weather in Paris?" },
];
const SYSTEM: ChatMessage = { role: "system", content: "You are helpful." };

export const TOOLS: readonly Tool[] = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "The weather of a city",
      parameters: {
        type: "object",
        properties: { city: { type: "string", description: "The city" }, days: { type: "integer" } },
        required: ["city"],
      },
    },
  },
  {
    type: "function",
    function: {
      name: "find",
      description: 'Find "texts" & <tags>',
      parameters: {
        type: "object",
        properties: {
          words: { type: "array", items: { type: "string" }, description: "L'été" },
          where: { type: "object", properties: { page: { type: "number" } }, additionalProperties: false },
          order: { type: "string", enum: ["new", "old"], default: "new" },
        },
      },
    },
  },
];
const CALL: readonly ChatMessage[] = [
  {
    role: "assistant",
    content: "",
    tool_calls: [
      { id: "call00001", type: "function", function: { name: "get_weather", arguments: { city: "Paris", days: 2 } } },
    ],
  },
  { role: "tool", name: "get_weather", tool_call_id: "call00001", content: '{"temperature": 21}' },
];

export interface Case {
  readonly name: string;
  /** Also compared with llama.cpp's programs. */
  readonly hasPrograms?: true;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly Tool[];
}

export const CASES: readonly Case[] = [
  { name: "two turns", messages: TURNS },
  { name: "a system message", hasPrograms: true, messages: [SYSTEM, ...TURNS] },
  { name: "a tool call", messages: [SYSTEM, ...TURNS, ...CALL], tools: TOOLS },
  {
    name: "an answer after it",
    hasPrograms: true,
    messages: [...TURNS, ...CALL, { role: "assistant", content: "It is 21 °C." }, { role: "user", content: "Thanks" }],
    tools: TOOLS,
  },
];
