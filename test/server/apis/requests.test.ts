/** Requests of each API: what is wrong is refused in its form and in its names, and a lenient server says what it ignores. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { most } from "../../../server/http/limits.js";
import { openDemo } from "../clients/demo.js";
import { eventsOf, type Opened } from "../open.js";

let server: Opened;
let lenient: Opened;
beforeAll(async () => {
  server = await openDemo();
  lenient = await openDemo({ lenient: true });
});
afterAll(async () => {
  await server.close(0);
  await lenient.close(0);
});

const USER = [{ role: "user", content: "Hi" }];
const RESPONSES = { path: "/v1/responses", base: { input: "Hi", max_output_tokens: 2 } };
const MESSAGES = { path: "/v1/messages", base: { messages: USER, max_tokens: 2 } };
const COUNT = { path: "/v1/messages/count_tokens", base: { messages: USER } };
const CHAT = { path: "/api/chat", base: { model: "demo", messages: USER, stream: false, options: { num_predict: 2 } } };
const GENERATE = { path: "/api/generate", base: { model: "demo", prompt: "Hi", stream: false } };

const CASES: readonly (readonly [api: { path: string; base: object }, fields: object, param: string, why: RegExp])[] = [
  [RESPONSES, { input: undefined }, "input", /expected a text or a list/],
  [
    RESPONSES,
    { input: [{ role: "user", content: [{ type: "input_image", image_url: "x" }] }] },
    "input[0].content[0]",
    /read text only/,
  ],
  [
    RESPONSES,
    { input: [{ type: "item_reference", id: "x" }] },
    "input[0].type",
    /answers are not stored: send the item itself/,
  ],
  [RESPONSES, { input: [{ type: "web_search_call" }] }, "input[0].type", /found "web_search_call"/],
  [
    RESPONSES,
    { input: [{ type: "function_call", name: "a", call_id: "b", arguments: "[1]" }] },
    "input[0].arguments",
    /must be an object, or its JSON text/,
  ],
  [
    RESPONSES,
    { input: [{ type: "function_call_output", output: "a" }] },
    "input[0].call_id",
    /the `call_id` of the call/,
  ],
  [RESPONSES, { tools: [{ type: "web_search" }] }, "tools[0]", /this server has no tools of its own/],
  [RESPONSES, { tools: [{ type: "function" }] }, "tools[0].name", /expected a text/],
  [
    RESPONSES,
    {
      tools: [
        {
          type: "function",
          name: "a",
          parameters: { type: "object", properties: { x: { type: "array", uniqueItems: true } }, required: ["x"] },
        },
      ],
      tool_choice: "required",
    },
    "tools[0].parameters",
    /`uniqueItems` cannot be enforced/,
  ],
  [RESPONSES, { tool_choice: "required" }, "tool_choice", /needs `tools`/],
  [RESPONSES, { tool_choice: { type: "allowed_tools" } }, "tool_choice", /`none`, `auto`, `required`, or a function/],
  [
    RESPONSES,
    { text: { format: { type: "json_schema", name: "x", schema: { type: "array", uniqueItems: true } } } },
    "text.format",
    /`uniqueItems` cannot be enforced/,
  ],
  [RESPONSES, { text: { verbosity: "low" } }, "text", /ask for another `verbosity` in a message/],
  [RESPONSES, { max_output_tokens: -2 }, "max_output_tokens", /must be an integer from -1/],
  [RESPONSES, { previous_response_id: "resp_1" }, "previous_response_id", /send the whole conversation in `input`/],
  [RESPONSES, { truncation: "auto" }, "truncation", /a prompt that is too long is a 400/],
  [RESPONSES, { background: true }, "background", /answers are not stored/],
  [RESPONSES, { messages: USER }, "messages", /is no field of \/v1\/responses, but of \/v1\/chat\/completions/],
  [RESPONSES, { input: "x".repeat(5000) }, "input", /tokens: shorten it/],
  [RESPONSES, { sampler: "gredy()" }, "sampler", /did you mean `greedy`/],
  [MESSAGES, { messages: [] }, "messages", /1 or more/],
  [
    MESSAGES,
    {
      system: "Speak",
      messages: [...USER, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f" }] }],
    },
    "messages[1].content[0]",
    /is a call in the last message/,
  ],
  [
    MESSAGES,
    { messages: [{ role: "user", content: [{ type: "image", source: {} }] }] },
    "messages[0].content[0]",
    /cannot read there/,
  ],
  [
    MESSAGES,
    { messages: [{ role: "user", content: [{ type: "tool_result", content: "a" }] }] },
    "messages[0].content[0].tool_use_id",
    /the id of the call/,
  ],
  [
    MESSAGES,
    { tools: [{ type: "web_search_20250305", name: "web_search" }] },
    "tools[0]",
    /only Anthropic's models know tools/,
  ],
  [
    MESSAGES,
    {
      tools: [
        {
          name: "a",
          input_schema: { type: "object", properties: { x: { type: "array", uniqueItems: true } }, required: ["x"] },
        },
      ],
      tool_choice: { type: "any" },
    },
    "tools[0].input_schema",
    /cannot be enforced/,
  ],
  [MESSAGES, { stop_sequences: "x" }, "stop_sequences", /must be a list/],
  [MESSAGES, { thinking: { type: "often" } }, "thinking.type", /"enabled", "disabled", or "adaptive"/],
  [MESSAGES, { service_tier: "priority" }, "service_tier", /there is one tier/],
  [MESSAGES, { system: "x".repeat(5000) }, "messages", /tokens: shorten it/],
  [MESSAGES, { stop: 1 }, "stop", /must be a text or a list/],
  [COUNT, { max_tokens: 1 }, "max_tokens", /is no field of \/v1\/messages\/count_tokens/],
  [COUNT, { model: "other" }, "model", /`other` does not exist/],
  [CHAT, { model: undefined }, "model", /expected a text that is not empty/],
  [CHAT, { messages: [{ role: "user", content: "a", images: ["x"] }] }, "messages[0].images", /read text only/],
  [CHAT, { options: { top_k: "a" } }, "options.top_k", /must be an integer/],
  [CHAT, { options: { top_kk: 1 } }, "options.top_kk", /expected/],
  [
    CHAT,
    { options: { num_predict: 1, min_tokens: 2 } },
    "options.min_tokens",
    /must be at most `options.num_predict`, 1/,
  ],
  [CHAT, { temperature: 1 }, "temperature", /is no field of \/api\/chat, but of \/v1\/chat\/completions/],
  [CHAT, { format: "xml" }, "format", /must be "json"/],
  [CHAT, { format: { type: "array", uniqueItems: true } }, "format", /cannot be enforced/],
  [CHAT, { top_logprobs: 2 }, "top_logprobs", /needs `logprobs: true`/],
  [GENERATE, { raw: true, think: true }, "think", /with `raw` the prompt is gone on with as it is/],
  [GENERATE, { raw: true, system: "a" }, "system", /with `raw`/],
  [GENERATE, { context: [1] }, "context", /send the conversation to `\/api\/chat`/],
  [GENERATE, { images: ["x"] }, "images", /read text only/],
  [GENERATE, { prompt: "x".repeat(5000) }, "prompt", /tokens: shorten it/],
  [{ path: "/api/show", base: {} }, {}, "model", /expected the name of a model/],
  [{ path: "/api/show", base: {} }, { model: "other" }, "model", /`other` does not exist/],
];

interface Told {
  readonly message: string;
  readonly param?: string;
  readonly code: string;
}

/** An error in the form of its API. */
function toldIn(path: string, body: Readonly<Record<string, unknown>>): Told {
  if (!path.startsWith("/api/")) return body["error"] as Told;
  return { ...body, message: body["error"] as string } as unknown as Told;
}

test.each(CASES)("%#: %j with %j is refused by the name %s", async ({ path, base }, fields, param, why) => {
  const { status, body } = await server.post(path, { ...base, ...fields });
  const told = toldIn(path, body);
  expect({ param: told.param, is4xx: status >= 400 && status < 500 }).toEqual({ param, is4xx: true });
  expect(told.message).toMatch(why);
  expect(JSON.stringify(body)).toContain("request_id");
});

test("the forms of errors", async () => {
  const refused = async (path: string): Promise<unknown> => (await server.post(path, { odd: 1 })).body;
  expect(await refused("/v1/responses")).toMatchObject({
    error: { type: "invalid_request_error", code: "unknown_parameter", param: "odd" },
  });
  expect(await refused("/v1/messages")).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", code: "unknown_parameter", param: "odd" },
    request_id: expect.any(String) as unknown,
  });
  expect(await refused("/api/chat")).toMatchObject({
    error: expect.stringContaining("unknown parameter") as unknown,
    code: "unknown_parameter",
    param: "odd",
  });
  // where there is no route, that of the client that asks there
  expect(await refused("/api/pull")).toMatchObject({ error: "there is no /api/pull: /openapi.json lists the paths" });
  expect(await refused("/v1/messages/batches")).toMatchObject({ type: "error", error: { type: "not_found_error" } });
  const { status, headers } = await fetch(`${server.url}/api/chat`);
  expect([status, headers.get("allow")]).toEqual([405, "POST"]);
});

describe("a lenient server", () => {
  test.each([
    [RESPONSES, { tools: [{ type: "web_search" }], odd: 1, reasoning: { effort: "low" } }, ["odd", "tools[0]"]],
    [RESPONSES, { previous_response_id: "x", model: "gpt-5" }, ["previous_response_id", "model"]],
    [MESSAGES, { tools: [{ type: "bash_20250124", name: "bash" }], container: "x" }, ["container", "tools[0]"]],
    [CHAT, { odd: 1, model: "llama3", options: { num_predict: 1, odder: 2 } }, ["odd", "options.odder", "model"]],
  ])("%#: takes %j %j and names what it ignores", async ({ path, base }, fields, names) => {
    const { status, headers } = await lenient.post(path, { ...base, ...fields });
    expect(status).toBe(200);
    const ignored = headers.get("x-ggsl-ignored")!.split(", ");
    for (const name of names) expect(ignored).toContain(name);
  });
});

test("fields of this server, also in Ollama's options, have their meaning", async () => {
  const text = async (path: string, body: object, read: (answer: never) => string): Promise<string> => {
    const answer = await server.post(path, body);
    expect([path, answer.status]).toEqual([path, 200]);
    return read(answer.body as never);
  };
  const sampler = "greedy()";
  const all = [
    await text(
      "/v1/chat/completions",
      { messages: USER, max_tokens: 8, sampler },
      (a: { choices: [{ message: { content: string } }] }) => a.choices[0].message.content,
    ),
    await text(
      "/v1/responses",
      { input: "Hi", max_output_tokens: 8, sampler },
      (a: { output: [{ content: [{ text: string }] }] }) => a.output[0].content[0].text,
    ),
    await text(
      "/v1/messages",
      { messages: USER, max_tokens: 8, sampler },
      (a: { content: [{ text: string }] }) => a.content[0].text,
    ),
    await text(
      "/api/chat",
      { ...CHAT.base, options: { num_predict: 8 }, sampler },
      (a: { message: { content: string } }) => a.message.content,
    ),
    await text(
      "/api/chat",
      { ...CHAT.base, options: { num_predict: 8, sampler } },
      (a: { message: { content: string } }) => a.message.content,
    ),
    await text(
      "/api/generate",
      { ...GENERATE.base, options: { num_predict: 8, sampler } },
      (a: { response: string }) => a.response,
    ),
  ];
  expect(all[0]).not.toBe("");
  expect(new Set(all)).toEqual(new Set([all[0]]));
});

test("the limits of bodies hold for all, also of lists of items", async () => {
  const deep = `${"[".repeat(most("depth"))}${"]".repeat(most("depth"))}`;
  for (const { path } of [RESPONSES, MESSAGES, COUNT, CHAT, GENERATE]) {
    const { status, body } = await server.post(path, `{"odd":${deep}}`);
    expect([path, status, toldIn(path, body).code]).toEqual([path, 400, "request_too_complex"]);
  }
  const many = Array.from({ length: most("messageValues") / 3 + 1 }, () => USER[0]);
  for (const [path, name] of [
    ["/v1/responses", "input"],
    ["/v1/messages", "messages"],
    ["/api/chat", "messages"],
  ] as const) {
    const { status, body } = await server.post(path, { model: "demo", [name]: many });
    expect([path, status, toldIn(path, body).code]).toEqual([path, 400, "request_too_complex"]);
  }
});

test("streams, ids in the log's facts, and metrics", async () => {
  const answer = await fetch(`${server.url}/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...RESPONSES.base, stream: true }),
  });
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const text = await answer.text();
  expect(text.startsWith("event: response.created\ndata: ")).toBe(true);
  expect(eventsOf(text.replace(/^event: .*\n/gm, "")).length).toBeGreaterThan(5);
  expect(text).not.toContain("[DONE]");
  const lines = await fetch(`${server.url}/api/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    // a stream is what Ollama's clients get that do not say otherwise
    body: JSON.stringify({ model: "demo", messages: USER, options: { num_predict: 3 } }),
  });
  expect(lines.headers.get("content-type")).toBe("application/x-ndjson");
  const all = (await lines.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { done: boolean });
  expect(all.map(({ done }) => done)).toEqual([...all.slice(1).map(() => false), true]);
  const metrics = await server.get("/metrics");
  for (const path of ["/v1/responses", "/api/chat"])
    expect(metrics).toMatch(new RegExp(`ggsl_requests_total\\{route="${path}",status="200"\\} \\d`));
});

test("bodies as programs send them", async () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { command: { type: "array", items: { type: "string" } }, workdir: { type: "string" } },
    required: ["command"],
    additionalProperties: false,
  };
  const ask = async (path: string, body: object, headers = {}): Promise<string> => {
    const answer = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    expect([path, answer.status, answer.status === 200 ? "" : text]).toEqual([path, 200, ""]);
    return text;
  };
  const text = (type: string, of: string): object => ({ type, text: of });
  const codex = {
    model: "demo",
    instructions: "You are an agent",
    input: [
      { type: "message", role: "developer", content: [text("input_text", "Ask first")] },
      { type: "message", role: "user", content: [text("input_text", "List the files")] },
    ],
    tools: [{ type: "function", name: "shell", description: "Runs a command", strict: false, parameters: schema }],
    tool_choice: "auto",
    parallel_tool_calls: false,
    reasoning: null,
    store: false,
    stream: true,
    include: [],
    prompt_cache_key: "0198",
  };
  expect(await ask("/v1/responses", codex)).toMatch(/event: response\.(completed|incomplete)\n/);
  const cached = { cache_control: { type: "ephemeral" } };
  const claude = {
    model: "demo",
    system: [{ ...text("text", "You are an agent"), ...cached }],
    messages: [{ role: "user", content: [{ ...text("text", "List the files"), ...cached }] }],
    tools: [{ name: "Bash", description: "Runs a command", input_schema: schema, ...cached }],
    metadata: { user_id: "user_1" },
    max_tokens: 32_000,
    temperature: 1,
    stream: true,
  };
  const version = { "anthropic-version": "2023-06-01", "anthropic-beta": "interleaved-thinking-2025-05-14" };
  expect(await ask("/v1/messages?beta=true", claude, version)).toMatch(/event: message_stop\n/);
  const page = { model: "demo:latest", messages: USER, stream: true, options: {}, keep_alive: "5m", format: "" };
  expect(await ask("/api/chat", page)).toMatch(/"done":true,.*\n$/);
});

describe("keys", () => {
  let folder: string;
  let guarded: Opened;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ggsl-keys-"));
    writeFileSync(join(folder, "keys"), "sk-right-and-long alice\n");
    guarded = await openDemo({ apiKeys: join(folder, "keys"), sequences: 1 });
  });
  afterAll(async () => {
    await guarded.close(0);
    rmSync(folder, { recursive: true });
  });

  test("come in either header, and refusals have the form of the path", async () => {
    const post = (headers: Readonly<Record<string, string>>) => guarded.post(MESSAGES.path, MESSAGES.base, headers);
    expect((await post({ "x-api-key": "sk-right-and-long", "anthropic-version": "2023-06-01" })).status).toBe(200);
    expect((await post({ authorization: "Bearer sk-right-and-long" })).status).toBe(200);
    for (const headers of [{}, { "x-api-key": "sk-wrong" }, { "x-api-key": "" }])
      expect(await post(headers as Record<string, string>)).toMatchObject({
        status: 401,
        body: { type: "error", error: { type: "authentication_error" } },
      });
    // one that is wrong is not made right by the other
    const both = { authorization: "Bearer sk-wrong", "x-api-key": "sk-right-and-long" };
    expect((await post(both)).status).toBe(401);
    const { status, body } = await guarded.post(CHAT.path, CHAT.base);
    expect([status, typeof body.error]).toEqual([401, "string"]);
  });
});
