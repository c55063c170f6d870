/** Ollama's own client. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { Ollama, type Tool } from "ollama";
import type { Opened } from "../open.js";
import { casesOf } from "./cases.js";
import { openDemo, PLACE, SEEDED, untilFree, type Place } from "./demo.js";

let server: Opened;
let client: Ollama;
beforeAll(async () => {
  server = await openDemo();
  client = new Ollama({ host: server.url });
});
afterAll(() => server.close(0));

const ran = casesOf("ollama");
const messages = [{ role: "user", content: "And God said" }];
const options = { num_predict: 12, seed: 1 };
const base = { model: "demo", messages, options };
const find = { name: "find", description: "Finds a verse", parameters: PLACE };
// the client's types know fewer schemas than its server
const tools = [{ type: "function", function: find }] as unknown as Tool[];

ran("a conversation, and the same as lines", async () => {
  const whole = await client.chat({ ...base, keep_alive: "5m" });
  expect(whole).toMatchObject({
    model: "demo",
    message: { role: "assistant" },
    done: true,
    done_reason: "length",
    eval_count: 12,
  });
  expect(whole.total_duration).toBeGreaterThanOrEqual(whole.prompt_eval_duration + whole.eval_duration - 1);
  expect(Number.isNaN(new Date(whole.created_at).getTime())).toBe(false);
  let text = "";
  const ends: boolean[] = [];
  for await (const { message, done, eval_count } of await client.chat({ ...base, stream: true })) {
    text += message.content;
    ends.push(done);
    if (done) expect(eval_count).toBe(12);
  }
  expect(text).toBe(whole.message.content);
  expect(ends.indexOf(true)).toBe(ends.length - 1);
  const { choices } = await server.client.chat.completions.create({
    ...SEEDED,
    messages: [{ role: "user", content: "And God said" }],
  });
  expect(text).toBe(choices[0]!.message.content);
});

ran("a prompt with the template, and without", async () => {
  const asked = { model: "demo:latest", options };
  const { message } = await client.chat({ ...base, messages: [{ role: "system", content: "Speak" }, ...messages] });
  const shaped = await client.generate({ ...asked, prompt: "And God said", system: "Speak" });
  expect(shaped.response).toBe(message.content);
  const raw = await client.generate({ ...asked, prompt: "And God said", raw: true });
  const { choices } = await server.client.completions.create({
    ...{ model: "demo", prompt: "And God said", max_tokens: 12, seed: 1 },
  });
  expect([raw.model, raw.response]).toEqual(["demo:latest", choices[0]!.text]);
  let text = "";
  for await (const { response } of await client.generate({ ...asked, prompt: "And God said", raw: true, stream: true }))
    text += response ?? "";
  expect(text).toBe(raw.response);
  const loaded = await client.generate({ model: "demo", prompt: "" });
  expect(loaded).toMatchObject({ response: "", done: true, done_reason: "load" });
});

ran("an answer that has begun", async () => {
  const begun = [...messages, { role: "assistant", content: "Let there be" }];
  const { message } = await client.chat({ ...base, messages: begun });
  const prompt = "user: And God saidassistant: Let there be";
  expect(message.content).toBe((await client.generate({ model: "demo", options, prompt, raw: true })).response);
});

ran("a call of a tool, and its result", async () => {
  const asked = { ...base, options: { ...options, num_predict: 80 }, tools, ...{ tool_choice: "required" } };
  const { message } = await client.chat(asked);
  const [call] = message.tool_calls!;
  expect(call!.function.name).toBe("find");
  expect(["Genesis", "Exodus"]).toContain((call!.function.arguments as unknown as Place).book);
  const calls: unknown[] = [];
  for await (const part of await client.chat({ ...asked, stream: true }))
    calls.push(...(part.message.tool_calls ?? []));
  expect(calls).toMatchObject([{ function: call!.function }]);
  const answered = [...messages, message, { role: "tool", tool_name: "find", content: "Let there be light" }];
  const next = await client.chat({ ...base, tools, messages: answered });
  const first = await client.chat({ ...base, tools });
  expect(next.prompt_eval_count).toBeGreaterThan(first.prompt_eval_count + 20);
});

ran("an object by a schema", async () => {
  const asked = { ...base, options: { ...options, num_predict: 60 } };
  const { message } = await client.chat({ ...asked, format: PLACE });
  expect(Object.keys(JSON.parse(message.content) as Place)).toEqual(["book", "verse"]);
  const { response } = await client.generate({
    model: "demo",
    prompt: "A place:",
    format: PLACE,
    options: asked.options,
  });
  expect((JSON.parse(response!) as Place).verse).toBeLessThanOrEqual(50);
  const raw = await client.generate({
    model: "demo",
    prompt: "A place:",
    raw: true,
    format: PLACE,
    options: asked.options,
  });
  expect((JSON.parse(raw.response!) as Place).verse).toBeLessThanOrEqual(50);
});

ran("options", async () => {
  const asked = { temperature: 0, top_k: 40, top_p: 0.9, min_p: 0, repeat_penalty: 1, repeat_last_n: 64 };
  const { message } = await client.chat({ ...base, options: { ...options, ...asked, num_ctx: 4096, num_gpu: 1 } });
  const likeliest = await server.post("/v1/chat/completions", { messages, max_tokens: 12, temperature: 0 });
  expect(likeliest.body).toMatchObject({ choices: [{ message: { content: message.content } }] });
  const { headers } = await server.post("/api/chat", {
    ...base,
    stream: false,
    options: { num_ctx: 1, num_predict: 1 },
  });
  expect(headers.get("x-ggsl-ignored")).toBe("options.num_ctx");
  const stopped = await client.chat({
    ...base,
    options: { ...options, stop: [message.content.slice(2, 5)], temperature: 0 },
  });
  expect(stopped).toMatchObject({ done_reason: "stop", message: { content: message.content.slice(0, 2) } });
});

ran("models", async () => {
  const { models } = await client.list();
  expect(models).toMatchObject([{ name: "demo", model: "demo", details: { format: "gguf" } }]);
  expect(models[0]!.size).toBeGreaterThan(1e6);
  const shown = await client.show({ model: "demo" });
  expect(shown.capabilities).toEqual(["completion", "tools"]);
  const info = shown.model_info as unknown as Readonly<Record<string, unknown>>;
  expect(typeof info[`${String(info["general.architecture"])}.context_length`]).toBe("number");
  expect((await client.ps()).models).toMatchObject([{ name: "demo" }]);
  expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/);
});

ran("an abort", async () => {
  const long = { ...options, num_predict: 400, ...{ ignore_eos: true } };
  const stream = await client.chat({ ...base, options: long, stream: true });
  const read = async (): Promise<void> => {
    for await (const { message } of stream) if (message.content !== "") stream.abort();
  };
  await expect(read()).rejects.toThrow(/abort/i);
  await untilFree(server);
});

ran("an error", async () => {
  await expect(client.chat({ ...base, model: "other" })).rejects.toMatchObject({
    message: expect.stringContaining("the model `other` does not exist") as unknown,
    status_code: 404,
  });
  await expect(client.chat({ ...base, options: { top_p: 2 } })).rejects.toThrow(
    "`options.top_p` must be a number from 0 to 1, found 2",
  );
  await expect(client.pull({ model: "llama3" })).rejects.toThrow("there is no /api/pull");
});
