/** Thoughts, calls and failures in the form of each API, read by its own client where the client can read what is no answer to a request. */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "@jest/globals";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { messages } from "../../../server/apis/anthropic/api.js";
import type { TextApi } from "../../../server/apis/api.js";
import { ollamaChat, ollamaGenerate } from "../../../server/apis/ollama/api.js";
import { chat } from "../../../server/apis/openai/api.js";
import { responses } from "../../../server/apis/responses/api.js";
import { jsonOf } from "../../../server/apis/rawJson.js";
import { failed, PARTS, written } from "./writers.js";

const CALL = '{"verse":12345678901234567890}';

/** The fetch of a client: whatever it asks, this is the answer. */
const answering = (text: string, api: TextApi) => () =>
  Promise.resolve(new Response(text, { headers: { "content-type": api.stream.type } }));

const openai = (text: string) => new OpenAI({ apiKey: "none", maxRetries: 0, fetch: answering(text, responses) });
const anthropic = (text: string) => new Anthropic({ apiKey: "none", maxRetries: 0, fetch: answering(text, messages) });
const ollama = (text: string) => new Ollama({ fetch: answering(text, ollamaChat) });

describe("Responses", () => {
  const asked = { model: "demo", input: "Hi" };
  const OUTPUT = [
    { type: "reasoning", content: [{ type: "reasoning_text", text: "Let me see." }], summary: [] },
    { type: "message", content: [{ type: "output_text", text: "I look it up." }] },
    { type: "function_call", call_id: "abcdefgh1", name: "find", arguments: CALL },
    { type: "function_call", call_id: "abcdefgh2", name: "read", arguments: "{}" },
  ];

  test("items of thoughts, texts and calls, whole and by the client's stream", async () => {
    const { stream, whole } = written(responses);
    expect(whole).toMatchObject({ status: "completed", output: OUTPUT });
    expect((whole as { usage: object }).usage).toEqual({
      input_tokens: 7,
      input_tokens_details: { cached_tokens: 3 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 16,
    });
    const reading = openai(stream).responses.stream(asked);
    const types = new Set<string>();
    let thought = "";
    for await (const event of reading) {
      types.add(event.type);
      if (event.type === "response.reasoning_text.delta") thought += event.delta;
    }
    expect(thought).toBe("Let me see.");
    expect(await reading.finalResponse()).toMatchObject({ status: "completed", output: OUTPUT });
    for (const type of ["reasoning_text.done", "function_call_arguments.done", "output_text.done", "completed"])
      expect(types).toContain(`response.${type}`);
  });

  test("with a summary asked for, thoughts are it", async () => {
    const { stream, whole } = written(responses, { body: { reasoning: { summary: "auto" } } });
    const summary = [{ type: "summary_text", text: "Let me see." }];
    expect(whole).toMatchObject({ output: [{ type: "reasoning", summary }, {}, {}, {}] });
    const final = await openai(stream).responses.stream(asked).finalResponse();
    expect(final).toMatchObject({ output: [{ type: "reasoning", summary }, {}, {}, {}] });
  });

  test("the last item of a text that a limit cuts is not complete", () => {
    for (const finish of ["maxTokens", "context"] as const)
      expect(written(responses, { parts: PARTS.slice(0, 5), stats: { finish } }).whole).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output: [{ status: "completed" }, { status: "completed" }, { status: "incomplete" }],
      });
    const { whole: empty } = written(responses, { parts: [] });
    expect(empty).toMatchObject({ output: [{ type: "message", content: [{ text: "" }] }] });
  });

  test("a failure ends the stream with an error and a failed response", async () => {
    const types: string[] = [];
    let last: unknown;
    for await (const event of await openai(failed(responses)).responses.create({ ...asked, stream: true })) {
      types.push(event.type);
      last = event;
    }
    expect(types.slice(-2)).toEqual(["error", "response.failed"]);
    expect(last).toMatchObject({
      response: { status: "failed", error: { code: "model_failed", message: "the device failed" } },
    });
  });
});

describe("Anthropic's Messages", () => {
  const asked = { model: "demo", max_tokens: 9, messages: [{ role: "user" as const, content: "Hi" }] };

  test("blocks of thoughts, texts and calls, whole and by the client's stream", async () => {
    const { stream, whole } = written(messages);
    const text = jsonOf(whole);
    expect(text).toContain(`"input":${CALL}`);
    const { content, stop_reason, usage } = JSON.parse(text) as Anthropic.Message;
    const blocks = [
      { type: "thinking", thinking: "Let me see.", signature: "unsigned" },
      { type: "text", text: "I look it up." },
      { type: "tool_use", id: "abcdefgh1", name: "find" },
      { type: "tool_use", id: "abcdefgh2", name: "read", input: {} },
    ];
    expect(content).toMatchObject(blocks);
    expect(stop_reason).toBe("tool_use");
    expect(usage).toMatchObject({ input_tokens: 4, cache_read_input_tokens: 3, output_tokens: 9 });
    const parts: string[] = [];
    const reading = anthropic(stream).messages.stream(asked);
    for await (const event of reading)
      if (event.type === "content_block_delta" && event.delta.type === "input_json_delta")
        parts.push(event.delta.partial_json);
    expect(parts.join("")).toBe(`${CALL}{}`);
    const final = await reading.finalMessage();
    expect(final.content).toMatchObject(blocks);
    expect(final.usage).toMatchObject({ input_tokens: 4, cache_read_input_tokens: 3, output_tokens: 9 });
  });

  test("why a text ended", () => {
    const parts = PARTS.slice(3, 4);
    const end = (stats: Parameters<typeof written>[1] & object): unknown => {
      const { stop_reason, stop_sequence } = written(messages, stats).whole as Anthropic.Message;
      return [stop_reason, stop_sequence];
    };
    expect(end({ parts })).toEqual(["end_turn", null]);
    expect(end({ parts, stats: { finish: "stop", stopText: "X" } })).toEqual(["stop_sequence", "X"]);
    expect(end({ parts, stats: { finish: "maxTokens" } })).toEqual(["max_tokens", null]);
    expect(end({ parts, stats: { finish: "context" } })).toEqual(["model_context_window_exceeded", null]);
    expect(end({ stats: { finish: "stop" } })).toEqual(["tool_use", null]);
    // a call that a limit cuts is none that can be answered
    const cut = written(messages, { parts: PARTS.slice(3, 6), stats: { finish: "maxTokens" }, isCut: true }).whole;
    expect(JSON.parse(jsonOf(cut))).toMatchObject({
      stop_reason: "max_tokens",
      content: [{ type: "text" }, { type: "tool_use", name: "find", input: {} }],
    });
  });

  test("a failure ends the stream with the client's error", async () => {
    const reading = anthropic(failed(messages)).messages.stream(asked);
    await expect(reading.finalMessage()).rejects.toThrow(/the device failed/);
  });
});

describe("Ollama's API", () => {
  test("thoughts, texts and whole calls, as one object and as lines", async () => {
    const { stream, whole } = written(ollamaChat, { body: { model: "demo" } });
    const text = jsonOf(whole);
    expect(text).toContain(`"arguments":${CALL}`);
    const calls = [
      { id: "abcdefgh1", function: { index: 0, name: "find" } },
      { id: "abcdefgh2", function: { index: 1, name: "read", arguments: {} } },
    ];
    expect(JSON.parse(text)).toMatchObject({
      model: "demo",
      message: { role: "assistant", content: "I look it up.", thinking: "Let me see.", tool_calls: calls },
      done: true,
      done_reason: "stop",
      prompt_eval_count: 7,
      eval_count: 9,
    });
    expect(stream).toContain(`"arguments":${CALL}`);
    const seen = { content: "", thinking: "", calls: [] as unknown[], done: [] as boolean[] };
    for await (const part of await ollama(stream).chat({ model: "demo", messages: [], stream: true })) {
      seen.content += part.message.content;
      seen.thinking += part.message.thinking ?? "";
      seen.calls.push(...(part.message.tool_calls ?? []));
      seen.done.push(part.done);
    }
    expect(seen).toMatchObject({ content: "I look it up.", thinking: "Let me see." });
    expect(seen.calls.map((call) => (call as { function: { name: string } }).function.name)).toEqual(["find", "read"]);
    expect(seen.done.filter(Boolean)).toEqual([true]);
    const { whole: generated } = written(ollamaGenerate, { body: { model: "demo" }, parts: PARTS.slice(0, 4) });
    expect(generated).toMatchObject({ response: "I look", thinking: "Let me see." });
  });

  test("a failure ends the lines with the client's error", async () => {
    const read = async (): Promise<void> => {
      for await (const _ of await ollama(failed(ollamaChat)).chat({ model: "demo", messages: [], stream: true }));
    };
    await expect(read()).rejects.toThrow("the device failed");
  });
});

test("OpenAI's chat has thoughts beside the content, and ends a stream that fails with its error", () => {
  const { stream, whole } = written(chat);
  expect(whole).toMatchObject({
    choices: [
      {
        message: { reasoning_content: "Let me see.", content: "I look it up.", tool_calls: [{ id: "abcdefgh1" }, {}] },
        finish_reason: "tool_calls",
      },
    ],
    usage: { completion_tokens_details: { reasoning_tokens: 2 } },
  });
  expect(stream).toContain('"delta":{"role":"assistant","reasoning_content":"Let me "}');
  const cut = written(chat, { stats: { finish: "maxTokens" }, isCut: true }).whole;
  expect(cut).toMatchObject({ choices: [{ finish_reason: "length" }] });
  expect(failed(chat)).toContain('"code":"model_failed","request_id":"id-1"');
});

test("a stop of the chain has its name beside the reason", async () => {
  const stats = { finish: "stopped", stoppedBy: "loop" } as const;
  const parts = PARTS.slice(0, 4);
  const without = { parts, stats: { finish: "stop" } } as const;
  const named = [
    [chat, { finish_reason: "stop" }, "stop_reason"],
    [messages, { stop_reason: "end_turn", stop_sequence: null }, "stopped_by"],
    [responses, { status: "completed" }, "stopped_by"],
    [ollamaChat, { done_reason: "stop" }, "stopped_by"],
    [ollamaGenerate, { done_reason: "stop" }, "stopped_by"],
  ] as const;
  for (const [api, reason, member] of named) {
    const { whole, stream } = written(api, { parts, stats });
    const answer = JSON.parse(jsonOf(whole)) as { readonly choices?: readonly object[] };
    expect(answer.choices?.[0] ?? answer).toMatchObject({ ...reason, [member]: "loop" });
    expect(stream).toContain(`"${member}":"loop"`);
    const other = written(api, without);
    const plain = JSON.parse(jsonOf(other.whole)) as typeof answer;
    if (api !== messages) expect(plain.choices?.[0] ?? plain).not.toHaveProperty(member);
    expect(other.stream).not.toContain('"loop"');
  }
  // the client of OpenAI passes it on
  const final = await openai(written(responses, { parts, stats }).stream)
    .responses.stream({ model: "demo", input: "Hi" })
    .finalResponse();
  expect(final).toMatchObject({ status: "completed", stopped_by: "loop" });
});
