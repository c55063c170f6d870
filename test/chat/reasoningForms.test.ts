/** Thoughts in the form of each of llama.cpp's templates: what a template writes is read as the message that it was given. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { AnswerReader } from "ggsl/chat/answer.js";
import { findForm } from "ggsl/chat/calls/find.js";
import { callsFormat, freeFormat } from "ggsl/chat/calls/grammar.js";
import type { Control } from "ggsl/chat/calls/controls.js";
import type { CallForm } from "ggsl/chat/calls/form.js";
import type { ChatMessage, Tool } from "ggsl/chat/messages.js";
import { findReasoning } from "ggsl/chat/reasoning/find.js";
import { promptEnd, type PromptEnd, type ReasoningForm } from "ggsl/chat/reasoning/form.js";
import { afterThought } from "ggsl/chat/reasoning/grammar.js";
import { openConversation, renderConversation, type ChatOptions } from "ggsl/chat/render.js";
import { hasBit } from "ggsl/grammars/bits.js";
import { openGrammar } from "ggsl/grammars/open.js";
import { randomIntegers } from "../grammars/walk.js";
import { readWhole, type Whole } from "./answers.js";
import { AROUND, ENDS, HIDDEN, MARKS, PROMPTS, WITHOUT, WITHOUT_CALLS } from "./reasoningTables.js";
import { modelWith, sourceOf, TEMPLATES } from "./templates.js";

const QUESTION = "What is it?";
const USER: ChatMessage = { role: "user", content: QUESTION };
const THOUGHT = "First, a < b.\n\nThen <b> and `</i>` [1].";
const CONTENT = "Two lines:\n\n- one\n- two";
const CALLED = { name: "find", arguments: '{"city": "Bonn", "days": 12345678901234567890}' };
const CALL = { id: "kfYw0a2Lq", type: "function" as const, function: CALLED };
const tool: Tool = {
  type: "function",
  function: {
    name: "find",
    parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } },
  },
};

const names = TEMPLATES.map((file) => file.replace(".jinja", ""));
const renderOf = (name: string) => {
  const model = modelWith(sourceOf(`${name}.jinja`));
  return async (messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<string> => {
    const { text } = await renderConversation(model, openConversation(messages, options));
    return text;
  };
};
const [ON, OFF] = [true, false].map((is) => ({ enable_thinking: is, thinking: is }));

/** Tokens before are bytes, and the end of texts. */
const [END_TOKEN, FIRST_MARK] = [256, 257];

/** The marks of a template as control tokens. */
function controlsOf(name: string): Control[] {
  const [open, close] = MARKS[name] ?? ["<think>", "</think>"];
  const texts = `${open}${close}${(AROUND[name] ?? []).join("")}`.match(/<[^<>]+>|\[[A-Z/]+\]/g) ?? [];
  const marks = [...new Set(texts)].map((text, i) => ({ token: FIRST_MARK + i, text, isEnd: false }));
  return name in ENDS ? [...marks, { token: END_TOKEN, text: ENDS[name]!, isEnd: true }] : marks;
}
const endsOf = (name: string): Control[] => controlsOf(name).filter(({ isEnd }) => isEnd);

/** Reads a text whose marks are letters, or tokens without a text. */
function read(
  [form, calls]: readonly [ReasoningForm, CallForm | undefined],
  text: string,
  {
    size = 1,
    prompt = "free",
    controls = [],
  }: { size?: number; prompt?: PromptEnd; controls?: readonly Control[] } = {},
): Whole & { readonly tokens: number } {
  const reader = new AnswerReader(calls && { form: calls, tools: [tool], isParallel: true }, { form, prompt });
  let rest = text;
  const byMark = { push: (part: string) => reader.push({ text: part, token: -1 }), flush: () => reader.flush() };
  if (controls.length === 0) return { ...readWhole(byMark, text, size), tokens: reader.reasoningTokens };
  const pieces: { text: string; token: number }[] = [];
  while (rest !== "") {
    const mark = controls.find((one) => !one.isEnd && rest.startsWith(one.text));
    pieces.push(mark ? { text: "", token: mark.token } : { text: rest[0]!, token: -1 });
    rest = rest.slice(mark?.text.length ?? 1);
  }
  const next = { push: (at: string) => reader.push(pieces[at.charCodeAt(0)]!), flush: () => reader.flush() };
  const whole = readWhole(next, pieces.map((_, i) => String.fromCharCode(i)).join(""), 1);
  return { ...whole, tokens: reader.reasoningTokens };
}

/** Whether a text obeys a grammar, as tokens of one byte and control tokens. */
function accepts(format: object, text: string, controls: readonly Control[]): boolean {
  const marks = controls.filter(({ isEnd }) => !isEnd);
  const vocabulary = {
    pieces: [...Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)), "</s>", ...marks.map(() => "")],
    classes: { control: marks.map(({ token }) => token), end: [END_TOKEN] },
    tokenize: () => new Int32Array(),
  };
  let at = openGrammar({ structuralTag: format }, { vocabulary, now: true });
  const accept = (token: number): boolean => {
    if (!hasBit(at.bits(), token)) return false;
    at = at.accept(token);
    return true;
  };
  for (let rest = text; rest !== "";) {
    const mark = marks.find((one) => rest.startsWith(one.text));
    const part = mark?.text ?? String.fromCodePoint(rest.codePointAt(0)!);
    const tokens = mark ? [mark.token] : [...Buffer.from(part)];
    if (!tokens.every(accept)) return false;
    rest = rest.slice(part.length);
  }
  return hasBit(at.bits(), END_TOKEN);
}

test("the templates without a form", async () => {
  const without: string[] = [];
  for (const name of names)
    if (!(await findReasoning(renderOf(name), { source: sourceOf(`${name}.jinja`) }))) without.push(name);
  expect(without.sort()).toEqual([...WITHOUT].sort());
  expect(names.length - without.length).toBe(46);
});

describe.each(names.filter((name) => !WITHOUT.includes(name)))("%s", (name) => {
  const render = renderOf(name);
  const source = sourceOf(`${name}.jinja`);
  const [open, close] = MARKS[name] ?? ["<think>", "</think>"];
  const [before, after, between = ""] = AROUND[name] ?? ["", ""];
  const variables = HIDDEN[name] === "without thinking" ? ON : {};
  /** With marks of letters, and with those that are control tokens. */
  let [letters, tokens]: (readonly [ReasoningForm, CallForm | undefined])[] = [];
  const controls = controlsOf(name);

  beforeAll(async () => {
    const formsWith = async (given: readonly Control[]) => {
      const calls = await findForm(render, given);
      return [(await findReasoning(render, { source, controls: given, calls }))!, calls] as const;
    };
    letters = await formsWith(endsOf(name));
    tokens = await formsWith(controls);
  });

  const readEach = (text: string, prompt: PromptEnd = "free"): readonly Whole[] => [
    ...[1, 7, 1000].map((size) => read(letters!, text, { size, prompt })),
    read(tokens!, text, { prompt, controls }),
  ];
  const thought = `${open}\n${THOUGHT}\n${close}`;
  const answer = `${between}${before}${CONTENT}${after}`;
  const whole = { reasoning: THOUGHT, content: CONTENT, calls: [] };

  test("the marks, and what prompts end with", async () => {
    const [form] = letters!;
    expect([form.open.trim(), form.close.trim()]).toEqual([open, close]);
    expect([form.content.open, form.next]).toEqual([before, between]);
    if (after !== "") expect(form.content.close).toBe(after);
    const ends = [];
    for (const given of [{}, ON!, OFF!]) ends.push(promptEnd(form, await render([USER], { variables: given })));
    expect(ends).toEqual(PROMPTS[name] ?? ["free", "free", "free"]);
  });

  test("a thought and content", () => {
    for (const one of readEach(`${thought}\n\n${answer}`)) expect(one).toMatchObject(whole);
    for (const one of readEach(`\n${thought}${answer}`)) expect(one).toMatchObject(whole);
  });

  test("a thought that the prompt begins", () => {
    for (const one of readEach(`${THOUGHT}\n${close}\n${answer}`, "open")) expect(one).toMatchObject(whole);
  });

  test("content alone", () => {
    const alone = { ...whole, reasoning: "" };
    for (const one of readEach(`${before}${CONTENT}${after}`)) expect(one).toMatchObject(alone);
    for (const one of readEach(`\n\n${before}${CONTENT}${after}`, "closed")) expect(one).toMatchObject(alone);
    // blanks are the model's where no thought is
    if (before === "")
      for (const one of readEach(`  ${CONTENT}`)) expect(one).toMatchObject({ content: `  ${CONTENT}` });
  });

  test("an empty thought", () => {
    for (const text of [`${open}${close}${answer}`, `${open}\n\n${close}\n\n${answer}`])
      for (const one of readEach(text)) expect(one).toMatchObject({ ...whole, reasoning: "" });
  });

  test("a thought that is cut", () => {
    const cut = { ...whole, reasoning: THOUGHT, content: "" };
    for (const one of readEach(`${open}${THOUGHT}`)) expect(one).toMatchObject(cut);
    for (const one of readEach(THOUGHT, "open")) expect(one).toMatchObject(cut);
    for (const size of [1, 1000])
      expect(read(letters!, thought.slice(0, -1), { size })).toMatchObject({
        ...cut,
        reasoning: `${THOUGHT}\n${close.slice(0, -1)}`,
      });
  });

  test("marks inside content are content", () => {
    const code = `See:\n\`\`\`\n${open}x${close}\n\`\`\``;
    for (const size of [1, 7, 1000])
      for (const prompt of ["free", "closed"] as const)
        expect(read(letters!, code, { size, prompt })).toMatchObject({ reasoning: "", content: code });
  });

  test("damaged texts are read the same in all pieces, and no character is new", () => {
    const text = `${thought}\n${answer} c\n${thought} ${open} d ${close}`;
    const random = randomIntegers(text.length);
    for (let i = 0; i < 8; i++) {
      const [at, to] = [random(text.length), random(text.length)];
      const copied = text.slice(Math.min(at, to), Math.min(at, to) + random(30));
      const damaged = `${text.slice(0, at)}${copied}${text.slice(at + random(4))}`;
      for (const prompt of ["free", "open", "closed"] as const) {
        const one = read(letters!, damaged, { size: damaged.length, prompt });
        expect(read(letters!, damaged, { prompt })).toMatchObject({ reasoning: one.reasoning, content: one.content });
        expect(read(letters!, damaged, { size: 7, prompt })).toMatchObject({ content: one.content });
        // between two thoughts comes an empty line
        for (const part of [one.reasoning, one.content]) {
          let from = 0;
          for (const char of part.replaceAll("\n\n", "")) {
            from = damaged.indexOf(char, from) + 1;
            expect(from).toBeGreaterThan(0);
          }
        }
      }
    }
  });

  test("what a grammar asks for comes after the thought", () => {
    const json = (value: number): string => `{"a": ${value}}`;
    const content = { type: "json_schema", json_schema: { const: { a: 1 } } };
    for (const [[form], given] of [
      [letters!, []],
      [tokens!, controls],
    ] as const) {
      const format = (prompt: PromptEnd): object => afterThought({ form, prompt }, { content });
      // marks around content that are letters are not asked for, unless they are messages
      const opened = given.length > 0 || between !== "" ? `${between}${before}` : "";
      const gap = between === "" && (before === "" || given.length === 0) ? "\n\n" : "";
      for (const [prompt, text] of [
        ["free", `${thought}${gap}${opened}`],
        ["free", between === "" && given.length === 0 ? "" : before],
        ["open", `${THOUGHT}\n${close}${gap}${opened}`],
        ["closed", ""],
      ] as const) {
        expect([prompt, text, accepts(format(prompt), `${text}${json(1)}`, given)]).toEqual([prompt, text, true]);
        expect(accepts(format(prompt), `${text}${json(2)}`, given)).toBe(false);
        expect(accepts(format(prompt), text, given)).toBe(false);
      }
      expect(accepts(format("open"), THOUGHT, given)).toBe(false);
      expect(accepts(format("closed"), `${THOUGHT}\n${close}${opened}${json(1)}`, given)).toBe(false);
    }
  });

  const isShown = name in HIDDEN ? HIDDEN[name] === "without thinking" : true;
  if (isShown)
    test("what the template writes, and the next turn with it", async () => {
      const message = { role: "assistant", content: CONTENT, reasoning_content: THOUGHT };
      const given = { variables, addGenerationPrompt: false };
      const text = await render([USER, message], given);
      for (const other of ["reasoning", "thinking"])
        expect(await render([USER, { role: "assistant", content: CONTENT, [other]: THOUGHT }], given)).toBe(text);
      const from = text.indexOf(QUESTION) + QUESTION.length;
      const prompt = await render([USER], { variables });
      const end = text.lastIndexOf(CONTENT) + CONTENT.length;
      const begin = text.startsWith(prompt) ? prompt.length : text.indexOf(text.includes(open) ? open : THOUGHT, from);
      const ended = text.startsWith(prompt) ? promptEnd(letters![0], prompt) : text.includes(open) ? "free" : "open";
      const written = text.slice(begin, end) + (text.startsWith(after, end) ? after : "");
      for (const one of readEach(written, ended)) {
        expect(one).toMatchObject(whole);
        const again = { role: "assistant", content: one.content, reasoning_content: one.reasoning };
        expect(await render([USER, again], given)).toBe(text);
      }
    });

  if (HIDDEN[name] !== "always" && !WITHOUT_CALLS.includes(name))
    test("a call after a thought", async () => {
      const message = { role: "assistant", content: null, reasoning_content: THOUGHT, tool_calls: [CALL] };
      const text = await render([USER, message], { tools: [tool], variables, addGenerationPrompt: false });
      const at = text.indexOf(THOUGHT);
      expect(at).toBeGreaterThan(0);
      const stop =
        ENDS[name] ??
        /<(?:\|im_end\||turn\||｜end▁of▁sentence｜|seed:eos|\|role_end\||sep|\/s|\/assistant)>/.exec(
          text.slice(at),
        )?.[0];
      const end = stop === undefined ? -1 : text.indexOf(stop, text.indexOf("days", at));
      const written = text.slice(at, end < 0 ? text.length : end);
      const compact = (json: string): string => json.replaceAll(" ", "");
      for (const one of readEach(written, "open")) {
        expect(one.reasoning).toBe(THOUGHT);
        expect(one.calls.map(({ function: of }) => [of.name, compact(of.arguments)])).toEqual([
          ["find", compact(CALLED.arguments)],
        ]);
        expect(one.content.trim()).toMatch(/^(?:|<[^<>]*>)$/);
      }
      const [form, calls] = tokens!;
      // ids that a model does not write, and digits that JavaScript does not
      const asked = { schema: {}, isParallel: true };
      const format = afterThought({ form, prompt: "open" }, { calls: callsFormat(calls!, [tool], asked) });
      expect(accepts(format, written.trimEnd(), controls)).toBe(true);
      expect(accepts(format, written.trimEnd().replace("12345678901234567890", "soon"), controls)).toBe(false);
      expect(accepts(format, written.slice(0, THOUGHT.length), controls)).toBe(false);
      const free = afterThought({ form, prompt: "open" }, { calls: freeFormat(calls!, [tool], asked)! });
      expect(accepts(free, written.trimEnd(), controls)).toBe(true);
      // its mark is of several tokens, which come elsewhere, too
      const isEnforced = name !== "Kimi-K3";
      expect(accepts(free, written.trimEnd().replace("12345678901234567890", "soon"), controls)).toBe(!isEnforced);
    });
});

test("messages of gpt-oss: several thoughts, one to the user before a call, a recipient after the channel", async () => {
  const name = "openai-gpt-oss-120b";
  const render = renderOf(name);
  for (const controls of [[], controlsOf(name)]) {
    const marks = controls.filter(({ isEnd }) => !isEnd);
    const calls = (await findForm(render, controls))!;
    const form = (await findReasoning(render, { source: sourceOf(`${name}.jinja`), controls, calls }))!;
    const message = (header: string, text: string): string =>
      `<|channel|>${header}<|message|>${text}<|end|><|start|>assistant`;
    const before = `${message("analysis", "One.")}${message("analysis", "Two.")}${message("commentary", "I look.")}`;
    const thoughts = { reasoning: "One.\n\nTwo.", content: "I look." };
    for (const header of [
      " to=functions.find<|channel|>commentary json",
      "<|channel|>commentary to=functions.find json",
    ]) {
      const text = `${before}${header}<|message|>{"city": "Bonn"}`;
      for (const size of [1, 9, 1000]) {
        const found = read([form, calls], text, { size, controls: marks });
        expect(found).toMatchObject(thoughts);
        expect(found.calls.map(({ function: of }) => of)).toEqual([{ name: "find", arguments: '{"city": "Bonn"}' }]);
      }
    }
    const final = read([form, calls], `${before}<|channel|>final<|message|> It is so.`, { controls: marks });
    expect(final).toMatchObject({ ...thoughts, content: "I look. It is so." });
  }
});

test("a call after content and a thought of gpt-oss is shown by its template", async () => {
  const render = renderOf("openai-gpt-oss-120b");
  const message = { role: "assistant", content: "I look.", reasoning_content: "Hm.", tool_calls: [CALL] };
  const text = await render([USER, message], { tools: [tool], addGenerationPrompt: false });
  expect(text).toContain("<|channel|>analysis<|message|>Hm.\n\nI look.<|end|><|start|>assistant to=functions.find");
});

test("tokens of a thought are counted with its marks", async () => {
  const form = (await findReasoning(renderOf("Qwen-Qwen3-0.6B"), { source: sourceOf("Qwen-Qwen3-0.6B.jinja") }))!;
  const count = (pieces: readonly string[], prompt: PromptEnd): number => {
    const reader = new AnswerReader(undefined, { form, prompt });
    for (const text of pieces) reader.push({ text, token: 5 });
    return reader.reasoningTokens;
  };
  expect(count(["<think>", "\n", "a", " b", "\n", "</think>", "\n\n", "c"], "free")).toBe(6);
  expect(count(["a", " b", "</think>", "c"], "open")).toBe(3);
  expect(count(["a", " b"], "closed")).toBe(0);
});
