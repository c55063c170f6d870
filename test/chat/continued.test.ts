/** Answers that have begun: the prompt is what the template writes up to the end of the last message's content. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { Digits } from "../../runtime/chat/digits.js";
import { loadJinja } from "../../runtime/chat/jinja.js";
import { Budget } from "../../runtime/chat/limits.js";
import { prepared, type ChatMessage } from "../../runtime/chat/messages.js";
import { openConversation, renderConversation, type ChatOptions } from "../../runtime/chat/render.js";
import { openTemplate } from "../../runtime/chat/template.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/file.js";
import { byEngine, modelWith, sourceOf, TEMPLATES, TOOLS } from "./templates.js";

const USER: ChatMessage = { role: "user", content: "Hello" };
const BEGUN: ChatMessage = { role: "assistant", content: "Let there be lig" };
const GOES_ON: ChatOptions = { continueFinalMessage: true };

const render = async (source: string, messages: readonly ChatMessage[], options = GOES_ON): Promise<string> =>
  (await renderConversation(modelWith(source), openConversation(messages, options))).text;

describe("the prompt of an answer that has begun", () => {
  test.each(TEMPLATES)("is the beginning of the conversation, as llama.cpp's engine writes it: %s", async (name) => {
    const source = sourceOf(name);
    const messages = [USER, BEGUN];
    const forms = openTemplate(await loadJinja(), source).forms(new Budget());
    for (const tools of [undefined, TOOLS.slice(0, 1)]) {
      const given = { messages: prepared(messages, forms, new Digits([])), tools: tools ?? [] };
      const more = { datetime: "Jan 01 2026", date_string: "01 Jan 2026", bos_token: "<s>", eos_token: "</s>" };
      const whole = byEngine(source, { ...given, ...more, add_generation_prompt: false });
      const prompt = await render(source, messages, { ...GOES_ON, tools: tools ?? [] });
      expect([name, prompt]).toEqual([name, expect.stringMatching(/Let there be lig$/)]);
      expect([name, undated(whole).slice(0, undated(prompt).length)]).toEqual([name, undated(prompt)]);
    }
  });

  test("has the content as it is, which a template trims, in text or parts, after a thought", async () => {
    const source =
      "{% for m in messages %}{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content | trim }}</s>{% endfor %}";
    for (const content of [
      " Let  ",
      [
        { type: "text", text: " Let" },
        { type: "text", text: "  " },
      ],
    ] as const)
      expect(await render(source, [USER, { role: "assistant", content }])).toMatch(/^Hello<\/s>Let\n?  $/);
    expect(await render(source, [USER, { ...BEGUN, reasoning_content: "Hm" }])).toBe(
      "Hello</s><think>Hm</think>Let there be lig",
    );
    expect(await render(source, [USER, { role: "assistant", content: "" }])).toBe("Hello</s>");
  });

  test("has special tokens of the content as letters", async () => {
    const { text, parts } = await renderConversation(
      modelWith("{% for m in messages %}<s>{{ m.content }}</s>{% endfor %}"),
      openConversation([USER, { role: "assistant", content: "a</s>b" }], GOES_ON),
    );
    expect(text).toBe("<s>Hello</s><s>a</s>b");
    expect(parts.filter(({ special }) => !special).map(({ from, to }) => text.slice(from, to))).toEqual(["a</s>b"]);
  });

  test.each([
    [[USER], {}, /needs a last message of the role "assistant", found "user"/],
    [[USER, { role: "assistant", content: null }], {}, /`messages\[1\].content` is absent/],
    [
      [USER, { role: "assistant", content: "a", tool_calls: [{ function: { name: "f", arguments: {} } }] }],
      {},
      /`messages\[1\].tool_calls` has some/,
    ],
    [[USER, BEGUN], { addGenerationPrompt: true }, /cannot both be true/],
  ] as const)("%j %j is refused", (messages, options, message) => {
    expect(() => openConversation(messages, { ...GOES_ON, ...options })).toThrow(message);
  });

  test.each(["{{ messages[0].content }}", "{% for m in messages %}{{ m.content }}{{ m.content }}{% endfor %}"])(
    "cannot be found where the template does not write the content once: %s",
    async (source) => {
      await expect(render(source, [USER, BEGUN])).rejects.toMatchObject({
        code: "TEMPLATE_REFUSED",
        message: expect.stringMatching(/writes the last message (0|2) times/) as unknown,
      });
    },
  );
});

/** Without the date of today, which some templates write. */
const undated = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\d|\d\d? \w{3,9} \d{4}|\w{3,9} \d\d?,? \d{4}/g, "DATE");

describe("an answer goes on", () => {
  let model: Model;
  beforeAll(async () => (model = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 256 })));
  afterAll(() => model.dispose());

  test("with what `generate` writes after the same text, and no thought comes", async () => {
    const template =
      "{% for m in messages %}{{ m.role }}: {% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}assistant: <think>{% endif %}";
    const messages = [
      { role: "user", content: "And God said" },
      { role: "assistant", content: "Let there be" },
    ];
    const options = { chain: compilePipeline("greedy()"), maxTokens: 12 };
    let text = "";
    for await (const piece of model.generate("user: And God said\nassistant: Let there be", options))
      text += piece.text;
    const chat = { ...options, template, ...GOES_ON };
    expect(await model.chat(messages, chat).answer()).toEqual({ reasoning: "", content: text, calls: [] });
    // without it the same prompt is one of a thought
    const { reasoning, content } = await model.chat(messages, { ...options, template }).answer();
    expect([reasoning === "", content]).toEqual([false, ""]);
    expect(await model.chat(messages, { ...chat, reasoningBudget: 0 }).answer()).toMatchObject({ content: text });
    expect(await model.renderChat(messages, { template, ...GOES_ON })).toBe(
      "user: And God said\nassistant: Let there be",
    );
  });
});
