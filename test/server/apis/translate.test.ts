/** Bodies of each API in the server's own form, beside what OpenAI's chat would be sent for the same. */
import { expect, test } from "@jest/globals";
import { messages } from "../../../server/apis/anthropic/api.js";
import type { TextApi } from "../../../server/apis/api.js";
import { ollamaChat, ollamaGenerate } from "../../../server/apis/ollama/api.js";
import { readBody } from "../../../server/apis/read.js";
import { responses } from "../../../server/apis/responses/api.js";

/** What the engine gets, and what is said to have no effect. */
async function read(api: TextApi, body: object): Promise<{ body: object; ignored: string[] }> {
  const ignored: string[] = [];
  const asked = await readBody(api, body, { isLenient: false, ignored, pause: () => Promise.resolve() });
  return { body: asked.given.body, ignored };
}

const CALLS = [
  { id: "a", type: "function", function: { name: "find", arguments: '{"verse":1}' } },
  { id: "b", type: "function", function: { name: "read", arguments: "{}" } },
];

test("items of one turn are one message, and so are those of the system at the beginning", async () => {
  const text = (type: string, of: string): object => ({ type, text: of });
  const { body } = await read(responses, {
    instructions: "Speak",
    input: [
      { type: "message", role: "developer", content: [text("input_text", "Briefly")] },
      { role: "user", content: "Who?" },
      { type: "reasoning", id: "rs_1", summary: [], content: [text("reasoning_text", "Hm")] },
      {
        type: "message",
        role: "assistant",
        id: "msg_1",
        status: "completed",
        content: [text("output_text", "I look")],
      },
      { type: "function_call", id: "fc_1", call_id: "a", name: "find", arguments: '{"verse":1}' },
      { type: "function_call", call_id: "b", name: "read", arguments: "" },
      { type: "function_call_output", call_id: "a", output: "Light" },
      { type: "function_call_output", call_id: "b", output: [text("input_text", "Dark")] },
      { type: "reasoning", summary: [text("summary_text", "So")] },
      { role: "assistant", content: [{ type: "refusal", refusal: "No" }] },
      { role: "user", content: [text("input_text", "Why?")] },
    ],
  });
  expect(body).toMatchObject({
    messages: [
      { role: "system", content: "Speak\n\nBriefly" },
      { role: "user", content: "Who?" },
      {
        role: "assistant",
        reasoning_content: "Hm",
        content: [{ type: "text", text: "I look" }],
        tool_calls: CALLS,
      },
      { role: "tool", tool_call_id: "a", content: "Light" },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "Dark" }] },
      { role: "assistant", reasoning_content: "So", content: [{ type: "text", text: "No" }] },
      { role: "user", content: [{ type: "text", text: "Why?" }] },
    ],
  });
});

test("fields of Responses", async () => {
  const schema = { type: "object" };
  const { body, ignored } = await read(responses, {
    model: "demo",
    input: "Hi",
    tools: [{ type: "function", name: "find", description: "Finds", parameters: schema, strict: true }],
    tool_choice: { type: "function", name: "find" },
    text: { format: { type: "json_schema", name: "x", schema, strict: true }, verbosity: "medium" },
    reasoning: { summary: "auto" },
    max_output_tokens: 9,
    include: ["message.output_text.logprobs", "reasoning.encrypted_content"],
    top_logprobs: 2,
    store: true,
    truncation: "disabled",
    metadata: { a: "b" },
    service_tier: "auto",
    seed: 7,
    top_k: 3,
    temperature: null,
  });
  expect(body).toEqual({
    model: "demo",
    messages: [{ role: "user", content: "Hi" }],
    tools: [
      { type: "function", function: { name: "find", description: "Finds", parameters: expect.anything() as unknown } },
    ],
    tool_choice: { type: "function", function: { name: "find" } },
    response_format: { type: "json_schema", json_schema: { name: "x", schema, strict: true } },
    max_completion_tokens: 9,
    logprobs: true,
    top_logprobs: 2,
    seed: 7,
    top_k: 3,
  });
  expect(ignored).toEqual([]);
});

test("Anthropic's messages: results of tools are messages in their order, thoughts are the template's", async () => {
  const text = (of: string): object => ({ type: "text", text: of, cache_control: { type: "ephemeral" } });
  const { body } = await read(messages, {
    system: [text("Speak"), text("Briefly")],
    messages: [
      { role: "user", content: "Who?" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm", signature: "unsigned" },
          { type: "redacted_thinking", data: "x" },
          text("I look"),
          { type: "tool_use", id: "a", name: "find", input: { verse: 1 } },
          { type: "tool_use", id: "b", name: "read", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "b", content: [text("Dark")] },
          { type: "tool_result", tool_use_id: "a", is_error: true },
          text("Go"),
          text("on"),
        ],
      },
    ],
  });
  const part = (of: string): object => ({ type: "text", text: of });
  expect(body).toMatchObject({
    messages: [
      { role: "system", content: [part("Speak"), part("Briefly")] },
      { role: "user", content: "Who?" },
      {
        role: "assistant",
        reasoning_content: "Hm",
        content: [part("I look")],
        tool_calls: [
          { id: "a", function: { name: "find", arguments: { verse: 1 } } },
          { id: "b", function: { name: "read", arguments: {} } },
        ],
      },
      { role: "tool", tool_call_id: "b", content: [part("Dark")] },
      { role: "tool", tool_call_id: "a", content: "" },
      { role: "user", content: [part("Go"), part("on")] },
    ],
  });
});

test("fields of Anthropic's Messages", async () => {
  const schema = { type: "object", properties: { a: { type: "integer" } } };
  const base = { messages: [{ role: "user", content: "Hi" }], max_tokens: 9 };
  const { body } = await read(messages, {
    ...base,
    tools: [{ type: "custom", name: "find", description: "Finds", input_schema: schema, cache_control: null }],
    tool_choice: { type: "any", disable_parallel_tool_use: true },
    stop_sequences: ["X"],
    output_config: { format: { type: "json_schema", schema } },
    thinking: { type: "disabled" },
    metadata: { user_id: "u" },
    top_k: 3,
    min_p: 0.1,
  });
  expect(body).toEqual({
    ...base,
    tools: [{ type: "function", function: { name: "find", description: "Finds", parameters: schema } }],
    tool_choice: "required",
    parallel_tool_calls: false,
    stop: ["X"],
    response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
    chat_template_kwargs: { enable_thinking: false },
    user: "u",
    top_k: 3,
    min_p: 0.1,
  });
  for (const [choice, own] of [
    [{ type: "auto" }, "auto"],
    [{ type: "none" }, "none"],
    [
      { type: "tool", name: "find" },
      { type: "function", function: { name: "find" } },
    ],
  ] as const) {
    const tools = [{ name: "find", input_schema: schema }];
    expect((await read(messages, { ...base, tools, tool_choice: choice })).body).toMatchObject({ tool_choice: own });
  }
  const { body: thinking } = await read(messages, { ...base, thinking: { type: "enabled", budget_tokens: 1024 } });
  expect(thinking).toMatchObject({ chat_template_kwargs: { enable_thinking: true } });
  const { body: usual } = await read(messages, { ...base, thinking: { type: "adaptive" } });
  expect(usual).toEqual(base);
});

test("fields of Ollama's API", async () => {
  const call = { function: { name: "find", arguments: { verse: 1 } } };
  const { body, ignored } = await read(ollamaChat, {
    model: "demo:latest",
    messages: [
      { role: "user", content: "Who?", images: [] },
      { role: "assistant", content: "", thinking: "Hm", tool_calls: [call] },
      { role: "tool", content: "Light", tool_name: "find" },
    ],
    format: "json",
    think: false,
    keep_alive: -1,
    options: { temperature: 0.5, seed: 7, stop: ["X"], num_predict: -2, num_ctx: 4096, tfs_z: 1, repeat_last_n: -1 },
  });
  expect(body).toEqual({
    model: "demo",
    stream: true,
    messages: [
      { role: "user", content: "Who?" },
      {
        role: "assistant",
        content: "",
        reasoning_content: "Hm",
        tool_calls: [{ type: "function", function: { name: "find", arguments: { verse: 1 } } }],
      },
      { role: "tool", content: "Light", name: "find" },
    ],
    response_format: { type: "json_object" },
    chat_template_kwargs: { enable_thinking: false },
    ...{ temperature: 0.5, seed: 7, stop: ["X"], max_tokens: -1, repeat_last_n: -1 },
  });
  expect(ignored).toEqual(["options.num_ctx", "options.tfs_z"]);
  const asked = { model: "demo", prompt: "Hi", stream: false };
  expect((await read(ollamaGenerate, { ...asked, system: "Speak", think: true })).body).toEqual({
    model: "demo",
    stream: false,
    messages: [
      { role: "system", content: "Speak" },
      { role: "user", content: "Hi" },
    ],
    chat_template_kwargs: { enable_thinking: true },
  });
  expect((await read(ollamaGenerate, { ...asked, raw: true, logprobs: true })).body).toEqual({
    ...{ model: "demo", stream: false, prompt: "Hi", max_tokens: -1, logprobs: 0 },
  });
});
