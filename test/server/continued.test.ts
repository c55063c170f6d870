/** Answers that have begun, by `continue_final_message`. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ChatCompletion, Completion } from "openai/resources";
import { eventsOf, open, type Answer, type Opened } from "./open.js";

const TEMPLATE = `{% for m in messages %}{{ m.role }}: {% if m.role == 'assistant' and m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}{% for call in m.tool_calls or [] %}<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</tool_call>{% endfor %}{{ '\n' }}{% endfor %}{% if add_generation_prompt %}assistant: <think>{% endif %}`;

let server: Opened;
beforeAll(async () => (server = await open({ template: TEMPLATE })));
afterAll(() => server.close(0));

const messages = [
  { role: "user", content: "And God said" },
  { role: "assistant", content: "Let there be" },
];
const base = { messages, temperature: 0, max_tokens: 12, continue_final_message: true };
const PROMPT = "user: And God said\nassistant: Let there be";
const tools = [{ type: "function", function: { name: "find", parameters: { type: "object" } } }];

const ask = (body: object): Promise<Answer> => server.post("/v1/chat/completions", { ...base, ...body });
const messageOf = ({ body }: Answer) => (body as unknown as ChatCompletion).choices[0]!.message;

/** What goes on with the same text. */
async function rest(more: object = {}): Promise<string> {
  const asked = { prompt: PROMPT, temperature: 0, max_tokens: 12, ...more };
  const { body } = await server.post("/v1/completions", asked);
  return (body as unknown as Completion).choices[0]!.text;
}

test("the answer is what comes after the last message, whole and as a stream, without a thought", async () => {
  const text = await rest();
  for (const more of [
    {},
    { add_generation_prompt: false },
    { reasoning_budget: 0 },
    { tools },
    { tools, tool_choice: "none" },
  ]) {
    const message = messageOf(await ask(more));
    expect([more, message.content]).toEqual([
      more,
      "tools" in more && !("tool_choice" in more) ? expect.any(String) : text,
    ]);
    expect(message).not.toHaveProperty("reasoning_content");
  }
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...base, stream: true }),
  });
  const deltas = (eventsOf(await response.text()) as { choices: { delta: { content?: string } }[] }[]).flatMap(
    ({ choices }) => choices.map(({ delta }) => delta.content ?? ""),
  );
  expect(deltas.join("")).toBe(text);
  const { body } = await server.post("/apply-template", { messages, continue_final_message: true });
  expect(body["prompt"]).toBe(PROMPT);
});

test("without it a last message of the assistant is one of the history", async () => {
  const { body } = await server.post("/apply-template", { messages, continue_final_message: false });
  expect(body["prompt"]).toBe(`${PROMPT}\nassistant: <think>`);
});

test.each([
  [{ messages: messages.slice(0, 1) }, "messages[0].role", "invalid_request", /must be "assistant"/],
  [{ add_generation_prompt: true }, "add_generation_prompt", "invalid_request", /begins another answer/],
  [
    { messages: [messages[0], { role: "assistant", content: null, reasoning_content: "Hm" }] },
    "messages[1].content",
    "invalid_request",
    /a thought alone cannot go on/,
  ],
  [
    {
      messages: [
        messages[0],
        { role: "assistant", content: "I", tool_calls: [{ function: { name: "find", arguments: "{}" } }] },
      ],
    },
    "messages[1].tool_calls[0]",
    "unsupported_parameter",
    /is a call in the last message/,
  ],
  [{ response_format: { type: "json_object" } }, "response_format", "unsupported_parameter", /about the whole answer/],
  [{ regex: "[a-z]+" }, "regex", "unsupported_parameter", /about the whole answer/],
  [{ tools, tool_choice: "required" }, "tool_choice", "unsupported_parameter", /about the whole answer/],
  [{ continue_final_message: "content" }, "continue_final_message", "invalid_request", /must be true or false/],
] as const)("%j is refused", async (more, param, code, message) => {
  const { status, body } = await ask(more);
  expect([status, body.error]).toMatchObject([
    400,
    { param, code, message: expect.stringMatching(message) as unknown },
  ]);
});
