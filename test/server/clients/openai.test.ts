/** OpenAI's own client, with chat and completions. test/server/chat.test.ts and completions.test.ts have more of what it can ask for. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import type { Opened } from "../open.js";
import { casesOf } from "./cases.js";
import { openDemo, PLACE, untilFree, type Place } from "./demo.js";

let server: Opened;
beforeAll(async () => {
  server = await openDemo();
});
afterAll(() => server.close(0));

const ran = casesOf("openai");
const chat = () => server.client.chat.completions;
const messages = [{ role: "user" as const, content: "And God said" }];
const base = { model: "demo", messages, max_completion_tokens: 12, seed: 1 };
const find = { name: "find", description: "Finds a verse", parameters: PLACE };

ran("a chat, and the same as a stream", async () => {
  const whole = await chat().create(base);
  const stream = chat().stream({ ...base, stream_options: { include_usage: true } });
  let text = "";
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  const final = await stream.finalChatCompletion();
  expect(text).toBe(whole.choices[0]!.message.content);
  expect(final.choices[0]!.finish_reason).toBe("length");
  expect(final.usage!.completion_tokens).toBe(12);
});

ran("a completion, and the same as a stream", async () => {
  const asked = { model: "demo", prompt: "And God said", max_tokens: 12, seed: 1 };
  const whole = await server.client.completions.create(asked);
  let text = "";
  for await (const { choices } of await server.client.completions.create({ ...asked, stream: true }))
    text += choices[0]!.text;
  expect(text).toBe(whole.choices[0]!.text);
});

ran("a call of a tool, and its result", async () => {
  const asked = { ...base, max_completion_tokens: 80, tools: [{ type: "function" as const, function: find }] };
  const whole = await chat().create({ ...asked, tool_choice: "required" });
  const { message } = whole.choices[0]!;
  const final = await chat()
    .stream({ ...asked, tool_choice: "required" })
    .finalChatCompletion();
  const [call, same] = [message, final.choices[0]!.message].map(({ tool_calls: calls }) => calls![0]!);
  expect(["Genesis", "Exodus"]).toContain(
    (JSON.parse((call as typeof same & { function: { arguments: string } }).function.arguments) as Place).book,
  );
  expect(same).toMatchObject({ type: "function", function: (call as { function: object }).function });
  const result = { role: "tool" as const, tool_call_id: call!.id, content: "Let there be light" };
  const next = await chat().create({ ...asked, messages: [...messages, message, result] });
  expect(next.usage!.prompt_tokens).toBeGreaterThan(whole.usage!.prompt_tokens + 20);
});

ran("an object by a schema", async () => {
  const place = z.object({ book: z.enum(["Genesis", "Exodus"]), verse: z.int().min(1).max(50) });
  const { choices } = await chat().parse({
    ...base,
    max_completion_tokens: 60,
    response_format: zodResponseFormat(place, "place"),
  });
  expect(place.parse(choices[0]!.message.parsed)).toEqual(choices[0]!.message.parsed);
});

ran("tools that run by themselves", async () => {
  const found: Place[] = [];
  const runner = chat().runTools(
    {
      ...base,
      max_completion_tokens: 80,
      tool_choice: { type: "function", function: { name: "find" } },
      tools: [
        {
          type: "function",
          function: {
            ...find,
            parse: (text: string) => JSON.parse(text) as Place,
            function(place: Place) {
              found.push(place);
              return "Let there be light";
            },
          },
        },
      ],
    },
    { maxChatCompletions: 1 },
  );
  // a tool that is named runs once
  const result = await runner.finalFunctionToolCallResult();
  expect([result, found.length]).toEqual(["Let there be light", 1]);
});

ran("an abort", async () => {
  const stream = await chat().create({ ...base, max_completion_tokens: 400, stream: true, ...{ ignore_eos: true } });
  for await (const { choices } of stream) if (choices[0]!.delta.content) stream.controller.abort();
  await untilFree(server);
});

ran("an error", async () => {
  await expect(chat().create({ ...base, model: "other" })).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  await expect(chat().create({ ...base, audio: { format: "mp3", voice: "ash" } })).rejects.toMatchObject({
    status: 400,
    param: "audio",
    code: "unsupported_parameter",
  });
});
