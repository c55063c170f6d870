/** Calls in the form of each of llama.cpp's templates: what a template writes is read as the message that it was given. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ChatMessage, Tool } from "../../runtime/chat/messages.js";
import { openConversation, renderConversation, type ChatOptions } from "../../runtime/chat/render.js";
import { hasBit } from "../../runtime/grammars/bits.js";
import type { NativeModel } from "../../runtime/backends/native/binding.js";
import { openGrammar } from "../../runtime/grammars/open.js";
import type { GrammarSource } from "../../runtime/grammars/types.js";
import { findForm } from "ggsl/chat/calls/find.js";
import type { CallForm } from "ggsl/chat/calls/form.js";
import { callGrammar, freeGrammar } from "ggsl/chat/calls/grammar.js";
import { withoutMarks, type Control } from "ggsl/chat/calls/controls.js";
import { ToolReader } from "ggsl/chat/calls/reader.js";
import { randomIntegers } from "../grammars/walk.js";
import { readWhole, type Call, type Whole } from "./answers.js";
import { modelWith, sourceOf, TEMPLATES } from "./templates.js";
import { UNREAD, WITHOUT_CALLS } from "./toolTables.js";

/** Templates that show the first call of several only, or refuse several. */
const ONE_CALL = [
  "GigaChat3-10B-A1.8B",
  "GigaChat3.1-10B-A1.8B",
  "meta-llama-Llama-3.1-8B-Instruct",
  "meta-llama-Llama-3.2-3B-Instruct",
  "meta-llama-Llama-3.3-70B-Instruct",
  "openai-gpt-oss-120b",
];

/** Templates that leave content out where there are calls, or write it elsewhere than directly before them. */
const WITHOUT_CONTENT = [
  "Cohere2MoE",
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use",
  "MiniMax-M1",
  "Mistral-Small-3.2-24B-Instruct-2506",
  "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use",
  "NousResearch-Hermes-3-Llama-3.1-8B-tool_use",
  "NVIDIA-Nemotron-Nano-v2",
  "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B",
  "google-gemma-4-31B-it",
  "google-gemma-4-31B-it-interleaved",
  "llama-cpp-deepseek-r1",
  "meta-llama-Llama-3.1-8B-Instruct",
  "meta-llama-Llama-3.2-3B-Instruct",
  "meta-llama-Llama-3.3-70B-Instruct",
  "mistralai-Mistral-Nemo-Instruct-2407",
  "openai-gpt-oss-120b",
  "upstage-Solar-Open-100B",
];

/** Templates whose arguments are not JSON as it is written, or have an id after them: their calls come as a whole. */
const WHOLE = [
  "ByteDance-Seed-OSS",
  "GLM-4.6",
  "GLM-4.7-Flash",
  "Kimi-K3",
  "LFM2.5-8B-A1B",
  "MiniMax-M2",
  "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
  "Qwen3-Coder",
  "Qwen3.5-4B",
  "Spark2.5",
  "StepFun3.5-Flash",
  "deepseek-ai-DeepSeek-V3.2",
  "deepseek-ai-DeepSeek-V4",
  "deepseek-ai-DeepSeek-V4-Flash-0731",
  "google-gemma-4-31B-it",
  "google-gemma-4-31B-it-interleaved",
  "inclusionai-ling-3.0-flash",
  "mistralai-Mistral-Nemo-Instruct-2407",
  "openbmb-MiniCPM5-1B",
  "poolside-Laguna-S-2.1",
  "poolside-Laguna-XS-2.1",
  "poolside-Laguna-XS.2",
  "tencent-Hy3",
];

/** What ends a text with calls, where that is not the first mark after an answer without. */
const ENDS: Readonly<Record<string, string>> = {
  Cohere2MoE: "<|END_OF_TURN_TOKEN|>",
  // the template leaves it out, and begins the next message
  "CohereForAI-c4ai-command-r-plus-tool_use": "<|START_OF_TURN_TOKEN|>",
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": "<|END_OF_TURN_TOKEN|>",
  "Kimi-K3": "<|end_of_msg|>",
  "MiniMax-M2": "[e~[",
  "meetkai-functionary-medium-v3.1": "<|eom_id|>",
  "openai-gpt-oss-120b": "<|call|>",
  "upstage-Solar-Open-100B": "<|calls|>",
};
const controlsOf = (name: string): Control[] => (name in ENDS ? [{ token: 2, text: ENDS[name]!, isEnd: true }] : []);

const names = TEMPLATES.map((file) => file.replace(".jinja", ""));
const renderOf = (given: string | NativeModel) => {
  const model = typeof given === "string" ? modelWith(sourceOf(`${given}.jinja`)) : given;
  return async (messages: readonly ChatMessage[], options: ChatOptions): Promise<string> =>
    (await renderConversation(model, openConversation(messages, options))).text;
};

const toolOf = (name: string): Tool => ({
  type: "function",
  function: {
    name,
    description: "Finds",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" }, more: { type: "object" } },
      required: ["city", "days"],
    },
  },
});
const tools = [toolOf("find"), toolOf("find_all")];
const byName = new Map(tools.map((tool) => [tool.function.name, tool]));

type Given = Call;
const ONE: Given = {
  id: "kfYw0a2Lq",
  function: { name: "find_all", arguments: '{"city": "São \\"P\\", {x}", "days": 1234567890123456789}' },
};
const TWO: Given = { id: "Z81hsPq0x", function: { name: "find", arguments: '{"city": "Bonn", "days": 1e400}' } };
const messageOf = (content: string | null, calls: readonly Given[]): ChatMessage => ({
  role: "assistant",
  content,
  ...(calls.length > 0 && { tool_calls: calls.map((call) => ({ ...call, type: "function" as const })) }),
});

const USER: ChatMessage = { role: "user", content: "Hello" };
const CONTENT = "First line.\n\n- one\n- two";

const END_TOKEN = 256;
const vocabulary = {
  pieces: [...Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)), "</s>"],
  classes: { control: [], end: [END_TOKEN] },
  tokenize: () => new Int32Array(),
};

/** Whether a text obeys a grammar, as tokens of one byte. */
function accepts(grammar: GrammarSource, text: string): boolean {
  let at = openGrammar(grammar, { vocabulary, now: true });
  for (const byte of Buffer.from(text)) {
    if (!hasBit(at.bits(), byte)) return false;
    at = at.accept(byte);
  }
  return hasBit(at.bits(), END_TOKEN);
}

/** Without blanks between the parts. */
const compact = (json: string): string => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1").replace("\\u00e3", "ã");

/** What a text is read as, in pieces of some characters. */
function read(form: CallForm, text: string, size: number): Omit<Whole, "reasoning"> {
  const { content, calls } = readWhole(new ToolReader(form, byName, true), text, size);
  return { content: withoutMarks(content), calls };
}

const shownBy = (calls: readonly Given[]) =>
  calls.map(({ function: { name, arguments: args } }) => ({ name, arguments: compact(args) }));

test("the templates without a form", async () => {
  const found = await Promise.all(
    names.map(async (name) => [name, await findForm(renderOf(name), controlsOf(name))] as const),
  );
  const without = found.flatMap(([name, form]) => (form ? [] : [name]));
  expect(without.sort()).toEqual([...WITHOUT_CALLS, ...Object.keys(UNREAD)].sort());
  expect(found.length - without.length).toBe(59);
});

describe.each(names.filter((name) => !WITHOUT_CALLS.includes(name) && !(name in UNREAD)))("%s", (name) => {
  const render = renderOf(name);
  let form: CallForm;
  /** What ends an answer. */
  let end: string;
  beforeAll(async () => {
    form = (await findForm(render, controlsOf(name)))!;
    const answered = await render([USER, messageOf(CONTENT, [])], { tools, addGenerationPrompt: false });
    end = answered.slice(answered.lastIndexOf(CONTENT) + CONTENT.length);
  });

  /** An answer as the template writes it, from its content on, or from the end of the message before. */
  async function written(content: string | null, calls: readonly Given[]): Promise<string> {
    const text = await render([USER, messageOf(content, calls)], { tools, addGenerationPrompt: false });
    const begin = content === null ? text.lastIndexOf(USER.content as string) + 5 : text.lastIndexOf(content);
    const answer = text.slice(begin);
    const mark = ENDS[name] ?? /<[^<>]*>/.exec(end)?.[0];
    const at = mark === undefined ? -1 : answer.indexOf(mark, answer.lastIndexOf("days"));
    return at < 0 ? answer.trimEnd() : answer.slice(0, at);
  }

  test.each([1, 1000])("calls, in pieces of %i", async (size) => {
    const lists = [[ONE], ...(ONE_CALL.includes(name) ? [] : [[ONE, TWO]])];
    for (const calls of lists) {
      const text = await written(null, calls);
      const found = read(form, text, size);
      expect(shownBy(found.calls)).toEqual(shownBy(calls));
      // what the template writes between the messages
      expect(text.startsWith(found.content)).toBe(true);
      expect(found.content).not.toContain("find");
      if (form.item.segments.some((one) => typeof one === "object" && one.hole === "id"))
        expect(found.calls.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
      for (const { id } of found.calls) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    }
  });

  if (!WITHOUT_CONTENT.includes(name))
    test.each([1, 1000])("content before a call, in pieces of %i", async (size) => {
      const text = await written(CONTENT, [ONE]);
      const found = read(form, text, size);
      expect(found.content).toBe(CONTENT);
      expect(shownBy(found.calls)).toEqual(shownBy([ONE]));
      const more = read(form, `${text.trimEnd()}\n\nAnd more.\n`, size);
      expect(more).toMatchObject({
        content: `${CONTENT}\n\nAnd more.\n`,
        calls: [{ function: found.calls[0]!.function }],
      });
    });

  test("arguments come as they are written", async () => {
    const text = await written(null, [ONE]);
    const reader = new ToolReader(form, byName, true);
    const parts = Array.from(text)
      .flatMap((char) => reader.push(char))
      .flatMap((one) => (one.part === "call" ? [one.call] : []));
    expect([name, parts.length > 20]).toEqual([name, !WHOLE.includes(name)]);
    expect([parts[0]!.index, parts[0]!.name]).toEqual([0, "find_all"]);
    for (const { index, id, name: called } of parts.slice(1))
      expect([index, id, called]).toEqual([0, undefined, undefined]);
  });

  test("values of all kinds", async () => {
    // one escapes nothing in texts, the others write nothing for null
    const city = name === "LFM2.5-8B-A1B" ? "it" : 'it\'s \\ "x"\n<b>';
    const nothing = name.startsWith("google-gemma-4") ? [] : [null];
    const args = { city, days: -3, more: { a: [1, "b c", true, ...nothing, [0.5]], c: { d: "", e: {} }, f: [] } };
    const call = { id: ONE.id, function: { name: "find", arguments: JSON.stringify(args) } };
    const text = await written(null, [call]);
    const { calls } = read(form, text, 1);
    expect(calls.map(({ function: one }) => JSON.parse(one.arguments) as unknown)).toEqual([args]);
  });

  test("the grammars of calls take what the template writes, and no other tool or arguments", async () => {
    const two = { ...TWO, function: { ...TWO.function, arguments: '{"city": "Bonn", "days": 3}' } };
    const calls = ONE_CALL.includes(name) ? [ONE] : [ONE, two];
    const whole = await written(WITHOUT_CONTENT.includes(name) ? null : CONTENT, calls);
    const at = whole.indexOf(form.head === "" ? '{"name"' : form.mark);
    const options = { schema: {}, isParallel: true };
    const free = freeGrammar(form, tools, options);
    // a form without a mark can not be told from text before it is read
    expect(free === undefined).toBe(form.head === "");
    const one = callGrammar(form, tools);
    const first = (await written(null, [ONE])).trimStart();
    const called = first.slice(first.indexOf(form.head === "" ? '{"name"' : form.mark)).trimEnd();
    for (const [grammar, text, begin] of [
      [free, whole, at],
      [one, called, 0],
    ] as const) {
      if (!grammar) continue;
      expect(accepts(grammar, text)).toBe(true);
      expect(accepts(grammar, text.replace("1234567890123456789", "soon"))).toBe(false);
      expect(accepts(grammar, text.replace("find_all", "find_more"))).toBe(false);
      expect(accepts(grammar, text.slice(0, text.indexOf("find_all") + 8))).toBe(false);
      expect(accepts(grammar, text.slice(0, begin))).toBe(grammar === free);
    }
    if (!free) return;
    expect(accepts(free, CONTENT)).toBe(true);
    const single = freeGrammar(form, tools, { ...options, isParallel: false })!;
    expect(accepts(single, whole)).toBe(calls.length === 1);
    expect(accepts(single, CONTENT + called)).toBe(true);
  });

  test("damaged texts are read the same in all pieces, and no character of their content is new", async () => {
    const text = `${CONTENT}\n${await written(null, ONE_CALL.includes(name) ? [ONE] : [ONE, TWO])} c ${"d".repeat(600)}`;
    const random = randomIntegers(text.length);
    for (let i = 0; i < 6; i++) {
      const [at, to] = [random(text.length), random(text.length)];
      const copied = text.slice(Math.min(at, to), Math.min(at, to) + random(30));
      const damaged = `${text.slice(0, at)}${copied}${text.slice(at + random(4))}`;
      const shown = ({ content, calls }: Omit<Whole, "reasoning">) => ({
        content,
        calls: calls.map((call) => call.function),
      });
      const whole = shown(read(form, damaged, damaged.length));
      expect(shown(read(form, damaged, 1))).toEqual(whole);
      expect(shown(read(form, damaged, 7))).toEqual(whole);
      let from = 0;
      for (const char of whole.content) {
        from = damaged.indexOf(char, from) + 1;
        expect(from).toBeGreaterThan(0);
      }
    }
  });

  test("content without calls stays as it is", () => {
    const texts = [
      CONTENT,
      "\n\n  a\n",
      "<",
      "a [b] {c",
      '{"x": 1} <tool',
      "",
      "if (a < b && c > d) { return [1]; }\n",
    ];
    for (const text of texts) expect(read(form, text, 1)).toEqual({ content: text, calls: [] });
  });

  test("the next turn shows the message that was read as the template wrote it", async () => {
    const content = WITHOUT_CONTENT.includes(name) ? null : CONTENT;
    const text = await written(content, [ONE]);
    const { content: shown, calls } = read(form, text, 3);
    const turn = messageOf(content === null ? null : shown, calls);
    const answer: ChatMessage = { role: "tool", name: "find_all", tool_call_id: calls[0]!.id, content: '{"t": 21}' };
    const next = await render([USER, turn, answer], { tools });
    const at = next.lastIndexOf(USER.content as string);
    const first = await render([USER, messageOf(content, [{ ...ONE, id: calls[0]!.id }]), answer], { tools });
    expect(next.slice(at)).toBe(first.slice(first.lastIndexOf(USER.content as string)));
    expect(next).toContain("1234567890123456789");
  });
});

test("what models of gpt-oss write between a name and its arguments", async () => {
  const form = (await findForm(renderOf("openai-gpt-oss-120b"), controlsOf("openai-gpt-oss-120b")))!;
  for (const gap of [" <|constrain|>json<|message|>", "<|channel|>commentary json<|message|>", "<|message|>"]) {
    const text = `to=functions.find_all${gap}{"city": "Bonn"}`;
    expect(read(form, text, 1).calls).toMatchObject([
      { function: { name: "find_all", arguments: '{"city": "Bonn"}' } },
    ]);
  }
  const other = 'to=functions.find_some<|message|>{"city": "Bonn"}';
  expect(read(form, other, 1)).toEqual({ content: other, calls: [] });
});

test("a template that writes very much costs little", async () => {
  const model = modelWith(
    `{% for m in messages %}{{ m.content }}{% for call in m.tool_calls %}{{ '{' * 200000 }}{{ call.function.name }}{{ '{"' * 200000 }}{% endfor %}{% endfor %}`,
  );
  const begin = process.cpuUsage();
  expect(await findForm(renderOf(model))).toBeUndefined();
  expect(process.cpuUsage(begin).user).toBeLessThan(3e6);
});
