/** Anthropic's own client. */
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Opened } from "../open.js";
import { casesOf } from "./cases.js";
import { openDemo, PLACE, SEEDED, untilFree, type Place } from "./demo.js";

let server: Opened;
let client: Anthropic;
beforeAll(async () => {
  server = await openDemo();
  client = new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
});
afterAll(() => server.close(0));

const ran = casesOf("anthropic");
const messages = [{ role: "user" as const, content: "And God said" }];
const base = { model: "demo", max_tokens: 12, messages, ...{ seed: 1 } };
const tools: Anthropic.Tool[] = [
  { name: "find", description: "Finds a verse", input_schema: { ...PLACE, type: "object" } },
];

const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

ran("a text, and the same as a stream", async () => {
  const whole = await client.messages.create(base);
  expect(whole).toMatchObject({
    type: "message",
    role: "assistant",
    model: "demo",
    stop_reason: "max_tokens",
    stop_sequence: null,
    usage: { output_tokens: 12 },
  });
  expect(textOf(whole)).not.toBe("");
  const stream = client.messages.stream(base);
  const types: string[] = [];
  let text = "";
  stream.on("text", (delta) => (text += delta));
  for await (const { type } of stream) types.push(type);
  expect(types.filter((type, i) => type !== types[i - 1])).toEqual([
    ...["message_start", "content_block_start", "content_block_delta", "content_block_stop"],
    ...["message_delta", "message_stop"],
  ]);
  const final = await stream.finalMessage();
  expect([text, final.stop_reason]).toEqual([textOf(whole), "max_tokens"]);
  const inputOf = ({ usage }: Anthropic.Message): number => usage.input_tokens + usage.cache_read_input_tokens!;
  expect([inputOf(final), final.usage.output_tokens]).toEqual([inputOf(whole), 12]);
});

ran("a conversation, and its tokens", async () => {
  const first = await client.messages.create({ ...base, system: "Speak" });
  const asked = {
    system: [{ type: "text" as const, text: "Speak", cache_control: { type: "ephemeral" as const } }],
    messages: [
      ...messages,
      {
        role: "assistant" as const,
        content: [{ type: "thinking" as const, thinking: "Hm", signature: "x" }, ...first.content],
      },
      { role: "user" as const, content: [{ type: "text" as const, text: "And then" }] },
    ],
  };
  const next = await client.messages.create({ ...base, ...asked });
  const { choices, usage } = await server.client.chat.completions.create({
    ...SEEDED,
    messages: [
      { role: "system", content: "Speak" },
      { role: "user", content: "And God said" },
      { role: "assistant", content: textOf(first) },
      { role: "user", content: "And then" },
    ],
  });
  expect(textOf(next)).toBe(choices[0]!.message.content);
  const { input_tokens: count } = await client.messages.countTokens({ model: "demo", ...asked });
  expect(count).toBe(usage!.prompt_tokens);
});

ran("an answer that has begun", async () => {
  const begun = [...messages, { role: "assistant" as const, content: "Let there be" }];
  const whole = await client.messages.create({ ...base, messages: begun });
  const { choices } = await server.client.completions.create({
    ...{ model: "demo", prompt: "user: And God saidassistant: Let there be", max_tokens: 12, seed: 1 },
  });
  expect(textOf(whole)).toBe(choices[0]!.text);
  const blocks = [{ type: "text" as const, text: "Let there be" }];
  const stream = client.messages.stream({ ...base, messages: [...messages, { role: "assistant", content: blocks }] });
  expect(textOf(await stream.finalMessage())).toBe(textOf(whole));
  const { input_tokens: count } = await client.messages.countTokens({ model: "demo", messages: begun });
  expect(whole.usage.input_tokens + whole.usage.cache_read_input_tokens!).toBe(count);
  const format = { type: "json_schema" as const, schema: PLACE };
  await expect(client.messages.create({ ...base, messages: begun, output_config: { format } })).rejects.toMatchObject({
    error: { error: { param: "output_config.format", code: "unsupported_parameter" } },
  });
});

ran("a call of a tool, and its result", async () => {
  const asked = { ...base, max_tokens: 80, tools };
  for (const choice of [{ type: "any" }, { type: "tool", name: "find" }] as const) {
    const whole = await client.messages.create({ ...asked, tool_choice: choice });
    const [call] = whole.content as Anthropic.ToolUseBlock[];
    expect([whole.stop_reason, call!.type, call!.name]).toEqual(["tool_use", "tool_use", "find"]);
    expect(["Genesis", "Exodus"]).toContain((call!.input as Place).book);
    const final = await client.messages.stream({ ...asked, tool_choice: choice }).finalMessage();
    expect(final.content).toMatchObject([{ type: "tool_use", name: "find", input: call!.input }]);
    const result = { type: "tool_result" as const, tool_use_id: call!.id, content: "Let there be light" };
    const next = await client.messages.create({
      ...asked,
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      messages: [
        ...messages,
        { role: "assistant", content: whole.content },
        { role: "user", content: [result, { type: "text", text: "Go on" }] },
      ],
    });
    const inputOf = ({ usage }: Anthropic.Message): number => usage.input_tokens + usage.cache_read_input_tokens!;
    expect(inputOf(next)).toBeGreaterThan(inputOf(whole) + 20);
  }
});

ran("an object by a schema", async () => {
  const { parsed_output: found } = await client.messages.parse({
    ...base,
    max_tokens: 60,
    output_config: { format: { type: "json_schema", schema: PLACE } },
  });
  expect(Object.keys(found as unknown as Place)).toEqual(["book", "verse"]);
});

ran("stop sequences", async () => {
  const whole = textOf(await client.messages.create(base));
  const stop = whole.slice(5, 8);
  const stopped = await client.messages.create({ ...base, stop_sequences: ["never so", stop] });
  expect(stopped).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: stop });
  expect(textOf(stopped)).toBe(whole.slice(0, whole.indexOf(stop)));
  const final = await client.messages.stream({ ...base, stop_sequences: [stop] }).finalMessage();
  expect(final).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: stop });
});

ran("models", async () => {
  const ids: string[] = [];
  for await (const { type, id, created_at } of client.models.list()) {
    ids.push(`${type} ${id}`);
    expect(new Date(created_at).getTime()).toBeGreaterThan(1.7e12);
  }
  expect(ids).toEqual(["model demo"]);
  expect((await client.models.retrieve("demo")).display_name).toBe("demo");
});

ran("an abort", async () => {
  const stream = client.messages.stream({ ...base, max_tokens: 400, ...{ ignore_eos: true } });
  stream.on("text", () => stream.abort());
  await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
  await untilFree(server);
});

ran("a key, and errors", async () => {
  const asked = client.messages.create({ ...base, tools: [{ type: "bash_20250124", name: "bash" }] });
  await expect(asked).rejects.toBeInstanceOf(Anthropic.BadRequestError);
  await expect(asked).rejects.toMatchObject({
    error: {
      type: "error",
      error: { type: "invalid_request_error", param: "tools[0]", code: "unsupported_parameter" },
    },
  });
  await expect(client.messages.create({ ...base, model: "other" })).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  const folder = mkdtempSync(join(tmpdir(), "ggsl-keys-"));
  writeFileSync(join(folder, "keys"), "sk-right-and-long alice\n");
  const guarded = await openDemo({ apiKeys: join(folder, "keys"), sequences: 1 });
  try {
    const by = (apiKey: string) => new Anthropic({ baseURL: guarded.url, apiKey, maxRetries: 0 }).messages.create(base);
    expect((await by("sk-right-and-long")).usage.output_tokens).toBe(12);
    await expect(by("sk-wrong")).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  } finally {
    await guarded.close(0);
    rmSync(folder, { recursive: true });
  }
});
