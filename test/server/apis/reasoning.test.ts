/** Thoughts of a model by each API and its client. The demo model does not think: a template begins its thought, and a grammar writes it. */
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Ollama } from "ollama";
import { open, type Opened } from "../open.js";

const TEMPLATE = `{% for m in messages %}{% if m.role == 'assistant' %}<think>
{{ m.reasoning_content }}
</think>

{{ m.content }}
{% else %}{{ m.content }}
{% endif %}{% endfor %}{% if add_generation_prompt %}{% if enable_thinking is defined and enable_thinking is false %}<think>

</think>

{% else %}<think>
{% endif %}{% endif %}`;

/** By a grammar of the request, the model writes this text. */
const writing = (text: string) => ({
  sampler: 'import { constrain, dist } from "std"\nchain c(g: grammar) = constrain(g) |> dist()',
  sampler_params: { g: { choices: [text] } },
});
const THOUGHT = writing("He said\n</think>\n\nAnd it was so");
const MESSAGES = [{ role: "user" as const, content: "In the beginning" }];

let server: Opened;
let plain: Opened;
beforeAll(async () => {
  server = await open({ template: TEMPLATE, contextSize: 512, sequences: 2 });
  plain = await open({ template: "{% for m in messages %}{{ m.content }}{% endfor %}", sequences: 1 });
});
afterAll(async () => {
  await server.close(0);
  await plain.close(0);
});

test("Responses have items of it, which a later request brings back", async () => {
  const asked = { model: "demo", input: MESSAGES, ...THOUGHT };
  const whole = await server.client.responses.create(asked);
  const output = [
    { type: "reasoning", content: [{ type: "reasoning_text", text: "He said" }] },
    { type: "message", content: [{ type: "output_text", text: "And it was so" }] },
  ];
  expect(whole).toMatchObject({ status: "completed", output });
  expect(whole.usage!.output_tokens_details.reasoning_tokens).toBeGreaterThan(2);
  expect(await server.client.responses.stream(asked).finalResponse()).toMatchObject({ output });
  const input = [...MESSAGES, ...(whole.output as never[]), ...MESSAGES];
  const next = await server.client.responses.create({ ...asked, input });
  const { choices, usage } = await server.client.chat.completions.create({
    ...{ model: "demo", ...THOUGHT },
    messages: [
      ...MESSAGES,
      { role: "assistant", content: "And it was so", ...{ reasoning_content: "He said" } },
      ...MESSAGES,
    ],
  });
  expect(choices[0]!.message.content).toBe("And it was so");
  expect(next.usage!.input_tokens).toBe(usage!.prompt_tokens);
});

test("Anthropic's messages have blocks of it; it can be switched off and limited", async () => {
  const client = new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
  const asked = { model: "demo", max_tokens: 200, messages: MESSAGES, ...THOUGHT };
  const content = [
    { type: "thinking", thinking: "He said" },
    { type: "text", text: "And it was so" },
  ];
  expect((await client.messages.create(asked)).content).toMatchObject(content);
  const stream = client.messages.stream(asked);
  let thought = "";
  stream.on("thinking", (delta) => (thought += delta));
  expect((await stream.finalMessage()).content).toMatchObject(content);
  expect(thought).toBe("He said");
  const off = { ...asked, ...writing("And it was so"), thinking: { type: "disabled" as const } };
  expect((await client.messages.create(off)).content).toMatchObject([content[1]]);
  const limited = { model: "demo", max_tokens: 60, messages: MESSAGES, temperature: 0, ...{ top_k: 1 } };
  const thinking = { type: "enabled" as const, budget_tokens: 8 };
  const { content: blocks } = await client.messages.create({ ...limited, thinking });
  expect(blocks.map(({ type }) => type)).toEqual(["thinking", "text"]);
  const { body } = await plain.post("/v1/messages", { ...limited, thinking });
  expect(body).toMatchObject({ error: { code: "unsupported_parameter", param: "thinking.budget_tokens" } });
});

test("Ollama's messages have it beside the content; it can be switched off", async () => {
  const client = new Ollama({ host: server.url });
  const asked = { model: "demo", messages: MESSAGES, ...THOUGHT };
  expect((await client.chat({ ...asked, think: true })).message).toMatchObject({
    thinking: "He said",
    content: "And it was so",
  });
  const seen = { thinking: "", content: "" };
  for await (const { message } of await client.chat({ ...asked, stream: true })) {
    seen.thinking += message.thinking ?? "";
    seen.content += message.content;
  }
  expect(seen).toEqual({ thinking: "He said", content: "And it was so" });
  const off = await client.chat({ ...asked, ...writing("And it was so"), think: false });
  expect([off.message.content, off.message.thinking]).toEqual(["And it was so", undefined]);
  expect((await client.show({ model: "demo" })).capabilities).toContain("thinking");
});
