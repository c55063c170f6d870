/** Answers of a model in parts. The demo model does not think: a template begins its thoughts, and a limit or a grammar ends them. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile, compilePipeline } from "ggsl/chain/chain.js";
import type { Part } from "ggsl/chat/answer.js";
import type { ChatMessage, Tool } from "ggsl/chat/messages.js";
import { loadModel, type Model } from "ggsl/models/model.js";
import { DEMO_MODEL } from "../model/file.js";

const BEGUN = "<think>\n";
const ENDED = "<think>\n\n</think>\n\n";
const HISTORY = `{% for m in messages %}{% if m.role == 'assistant' %}<think>
{{ m.reasoning_content }}
</think>

{{ m.content }}{% for call in m.tool_calls or [] %}<call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</call>{% endfor %}
{% else %}{{ m.content }}
{% endif %}{% endfor %}`;
const template = `${HISTORY}{% if add_generation_prompt %}{% if enable_thinking is defined and enable_thinking is false %}${ENDED}{% else %}${BEGUN}{% endif %}{% endif %}`;
const PLAIN = "{% for m in messages %}{{ m.content }}\n{% endfor %}";

const chain = compilePipeline("greedy()");
const constrained = compile('import { constrain, greedy } from "std"\nchain c(g: grammar) = constrain(g) |> greedy()');
/** The model writes this text. */
const writing = (text: string) => ({ chain: constrained, uniforms: { g: { choices: [text] } } });
const messages: readonly ChatMessage[] = [{ role: "user", content: "In the beginning" }];
const tool: Tool = { type: "function", function: { name: "find" } };
const CALL = '{"book": "Ruth", "verse": 12345678901234567890}';
const ANSWER = `He said\n</think>\n\nI look.<call>{"name": "find", "arguments": ${CALL}}</call>`;

let model: Model;
beforeAll(async () => {
  model = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 512 });
});
afterAll(() => model.dispose());

test("thoughts, content and calls, as they are written", async () => {
  const parts: Part[] = [];
  const generation = model.chat(messages, { ...writing(ANSWER), template, tools: [tool] });
  for await (const part of generation.parts()) parts.push(part);
  const textsOf = (of: Part["part"]): string[] =>
    parts.flatMap((part) => (part.part === of && part.part !== "call" ? [part.text] : []));
  const calls = parts.flatMap((part) => (part.part === "call" ? [part.call] : []));
  expect(textsOf("reasoning").join("")).toBe("He said");
  expect(textsOf("content").join("")).toBe("I look.");
  expect(calls.map((call) => call.arguments).join("")).toBe(CALL);
  expect(calls.length).toBeGreaterThan(3);
  expect(calls[0]).toMatchObject({ index: 0, name: "find", id: expect.stringMatching(/^[A-Za-z0-9]{9}$/) as unknown });
  expect(calls.slice(1).every((call) => call.id === undefined && call.name === undefined)).toBe(true);
  const order = parts.map(({ part }) => part);
  expect(order).toEqual([...order].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
  const answer = await generation.answer();
  expect(answer).toEqual({
    reasoning: "He said",
    content: "I look.",
    calls: [{ id: calls[0]!.id, type: "function", function: { name: "find", arguments: CALL } }],
  });
  const turn = {
    role: "assistant",
    content: answer.content,
    reasoning_content: answer.reasoning,
    tool_calls: answer.calls,
  };
  const next = await model.renderChat([...messages, turn], { template, addGenerationPrompt: false });
  expect(next).toBe(`In the beginning\n${BEGUN}${ANSWER}`);
});
const ORDER = ["reasoning", "content", "call"];

test("pieces are the text as the model writes it", async () => {
  let text = "";
  for await (const piece of model.chat(messages, { ...writing(ANSWER), template, tools: [tool] })) text += piece.text;
  expect(text).toBe(ANSWER);
});

test("an answer without a loop, also in a batch, and without tools", async () => {
  const options = { ...writing(ANSWER), template };
  const content = ANSWER.slice(ANSWER.indexOf("I look"));
  expect(await model.chat(messages, options).answer()).toEqual({ reasoning: "He said", content, calls: [] });
  using batch = model.batch({ sequences: 2 });
  const answers = await Promise.all(
    [options, { ...options, tools: [tool] }].map((one) => batch.chat(messages, one).answer()),
  );
  expect(answers.map(({ reasoning, calls }) => [reasoning, calls.length])).toEqual([
    ["He said", 0],
    ["He said", 1],
  ]);
});

test("one loop reads an answer", async () => {
  const generation = model.chat(messages, { chain, template, maxTokens: 3 });
  for await (const _ of generation);
  await expect(
    (async () => {
      for await (const _ of generation.parts());
    })(),
  ).rejects.toMatchObject({ code: "ENDED" });
});

describe("thinking", () => {
  test("is switched, and limited", async () => {
    const options = { chain, template, maxTokens: 40 };
    expect(await model.renderChat(messages, { template, reasoning: false })).toBe(`In the beginning\n${ENDED}`);
    expect(await model.renderChat(messages, { template, reasoning: "none" })).toBe(`In the beginning\n${ENDED}`);
    expect(await model.renderChat(messages, { template, reasoning: "high" })).toBe(`In the beginning\n${BEGUN}`);
    const off = await model.chat(messages, { ...options, reasoning: false }).answer();
    expect(off.reasoning).toBe("");
    const free = await model.chat(messages, options).answer();
    expect(free.content).toBe("");
    const generation = model.chat(messages, { ...options, reasoningBudget: 8 });
    const limited = await generation.answer();
    expect(free.reasoning.startsWith(limited.reasoning)).toBe(true);
    expect(limited.reasoning).not.toBe("");
    expect(limited.content).toMatch(/[a-z]{3}/);
    expect(generation.stats().generatedTokens).toBe(40);
    const none = await model.chat(messages, { ...options, reasoningBudget: 0 }).answer();
    expect(none.reasoning).toBe("");
  });

  test("that a template cannot be told is an error", async () => {
    for (const [options, message] of [
      [{ reasoning: true }, "`reasoning` cannot be true"],
      [{ reasoning: "high" as const }, '`reasoning` cannot be "high"'],
      [{ reasoningBudget: 4 }, "`reasoningBudget` cannot be 4"],
    ] as const)
      await expect(model.chat(messages, { chain, template: PLAIN, maxTokens: 2, ...options }).answer()).rejects.toThrow(
        message,
      );
    expect(await model.renderChat(messages, { template: PLAIN, reasoning: false })).toBe("In the beginning\n");
  });

  test("is limited in a text from a prompt, and taken back with its tokens", async () => {
    const prompt = "In the beginning <think>";
    const thought = { most: 4, open: "<think>", close: "</think>" };
    const options = { chain, maxTokens: 16 };
    const read = async (count: number): Promise<[string, string]> => {
      const generation = model.generate(prompt, { ...options, thought });
      let [text, seen] = ["", 0];
      let before = "";
      for await (const piece of generation) {
        text += piece.text;
        if (++seen === 10 && count > 0) {
          before = text;
          generation.rewind(count);
          text = "";
        }
      }
      return [before, text];
    };
    const [, whole] = await read(0);
    expect(whole.match(/<\/think>/g)).toHaveLength(1);
    const [before, after] = await read(10);
    expect(whole.startsWith(before)).toBe(true);
    expect(after).toBe(whole);
    expect(() =>
      model.generate(prompt, { ...options, thought, resume: model.generate(prompt, options).save().sequence }),
    ).toThrow("`thought` cannot be given with `resume`");
    expect(() => model.generate(prompt, { ...options, thought: { ...thought, close: " " } })).toThrow("thought.close");
  });
});
