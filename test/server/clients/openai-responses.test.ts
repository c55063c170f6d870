/** OpenAI's own client, with Responses. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import type { Opened } from "../open.js";
import { casesOf } from "./cases.js";
import { openDemo, PLACE, SEEDED, untilFree, type Place } from "./demo.js";

let server: Opened;
beforeAll(async () => {
  server = await openDemo();
});
afterAll(() => server.close(0));

const ran = casesOf("openai-responses");
const responses = () => server.client.responses;
const base = { model: "demo", input: "And God said", max_output_tokens: 12, seed: 1 };
const tools: OpenAI.Responses.FunctionTool[] = [
  { type: "function", name: "find", description: "Finds a verse", parameters: PLACE, strict: true },
];

ran("a text, and the same as a stream", async () => {
  const whole = await responses().create(base);
  expect(whole).toMatchObject({
    object: "response",
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    model: "demo",
    store: false,
    usage: { output_tokens: 12 },
    output: [{ type: "message", role: "assistant", status: "incomplete", content: [{ type: "output_text" }] }],
  });
  expect(whole.output_text).not.toBe("");
  const stream = responses().stream(base);
  const types: string[] = [];
  const numbers: number[] = [];
  let text = "";
  for await (const event of stream) {
    types.push(event.type.replace(/^response\./, ""));
    numbers.push(event.sequence_number);
    if (event.type === "response.output_text.delta") text += event.delta;
  }
  expect(text).toBe(whole.output_text);
  expect(numbers).toEqual(numbers.map((_, i) => i));
  expect(types.filter((type, i) => type !== types[i - 1])).toEqual([
    ...["created", "in_progress", "output_item.added", "content_part.added", "output_text.delta", "output_text.done"],
    ...["content_part.done", "output_item.done", "incomplete"],
  ]);
  const final = await stream.finalResponse();
  expect([final.status, final.output_text, final.usage]).toEqual([whole.status, whole.output_text, whole.usage]);
});

ran("a conversation", async () => {
  const first = await responses().create({ ...base, instructions: "Speak" });
  const input: OpenAI.Responses.ResponseInput = [
    { role: "developer", content: "Briefly" },
    { role: "user", content: [{ type: "input_text", text: "And God said" }] },
    ...(first.output as OpenAI.Responses.ResponseInput),
    { role: "user", content: "And then" },
  ];
  const next = await responses().create({ ...base, instructions: "Speak", input });
  // with the first answer, and both messages of the system
  expect(next.usage!.input_tokens).toBeGreaterThan(first.usage!.input_tokens + 12);
  // the same as chat has it
  const { choices } = await server.client.chat.completions.create({
    ...SEEDED,
    messages: [
      { role: "system", content: "Speak\n\nBriefly" },
      { role: "user", content: "And God said" },
      { role: "assistant", content: first.output_text },
      { role: "user", content: "And then" },
    ],
  });
  expect(next.output_text).toBe(choices[0]!.message.content);
});

ran("a call of a tool, and its result", async () => {
  const asked = { ...base, max_output_tokens: 80, tools };
  for (const choice of ["required", { type: "function" as const, name: "find" }] as const) {
    const response = await responses().create({ ...asked, tool_choice: choice });
    const [call] = response.output as OpenAI.Responses.ResponseFunctionToolCall[];
    expect(response.status).toBe("completed");
    expect(call).toMatchObject({ type: "function_call", name: "find", status: "completed" });
    expect(["Genesis", "Exodus"]).toContain((JSON.parse(call!.arguments) as Place).book);
    const stream = responses().stream({ ...asked, tool_choice: choice });
    let args = "";
    stream.on("response.function_call_arguments.delta", ({ delta }) => (args += delta));
    const final = await stream.finalResponse();
    expect(args).toBe(call!.arguments);
    expect(final.output).toMatchObject([{ type: "function_call", name: "find", arguments: args }]);
    const next = await responses().create({
      ...asked,
      input: [
        { role: "user", content: base.input },
        ...(response.output as OpenAI.Responses.ResponseInput),
        { type: "function_call_output", call_id: call!.call_id, output: "Let there be light" },
      ],
    });
    expect(next.usage!.input_tokens).toBeGreaterThan(response.usage!.input_tokens + 20);
  }
});

ran("an object by a schema", async () => {
  const place = z.object({ book: z.enum(["Genesis", "Exodus"]), verse: z.int().min(1).max(50) });
  const { output_parsed: found } = await responses().parse({
    ...base,
    max_output_tokens: 60,
    text: { format: zodTextFormat(place, "place") },
  });
  expect(place.parse(found)).toEqual(found);
});

ran("log-probabilities", async () => {
  const include: OpenAI.Responses.ResponseIncludable[] = ["message.output_text.logprobs"];
  const { output } = await responses().create({ ...base, max_output_tokens: 3, include, top_logprobs: 2 });
  const [message] = output as OpenAI.Responses.ResponseOutputMessage[];
  const [part] = message!.content as OpenAI.Responses.ResponseOutputText[];
  expect(part!.logprobs!.map(({ token }) => token).join("")).toBe(part!.text);
  expect(part!.logprobs![0]!.top_logprobs).toHaveLength(2);
});

ran("an abort", async () => {
  const stream = await responses().create({ ...base, max_output_tokens: 400, stream: true, ...{ ignore_eos: true } });
  for await (const event of stream) if (event.type === "response.output_text.delta") stream.controller.abort();
  await untilFree(server);
});

ran("an error", async () => {
  const asked = responses().create({ ...base, previous_response_id: "resp_1" });
  await expect(asked).rejects.toThrow(/`previous_response_id` is not supported: answers are not stored/);
  await expect(asked).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
  await expect(responses().create({ ...base, model: "other" })).rejects.toThrow(/`other` does not exist/);
});
