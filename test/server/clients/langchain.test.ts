/** LangChain with OpenAI's chat models. */
import { AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { z } from "zod";
import type { Opened } from "../open.js";
import { casesOf } from "./cases.js";
import { openDemo, untilFree, type Place } from "./demo.js";

let server: Opened;
beforeAll(async () => {
  server = await openDemo();
});
afterAll(() => server.close(0));

const ran = casesOf("langchain");
type Options = ConstructorParameters<typeof ChatOpenAI>[0] & object;
const model = (options: Options = {}) =>
  new ChatOpenAI({
    model: "demo",
    apiKey: "none",
    temperature: 0,
    maxTokens: 12,
    maxRetries: 0,
    configuration: { baseURL: `${server.url}/v1` },
    ...options,
  });
const place = z.object({ book: z.enum(["Genesis", "Exodus"]), verse: z.int().min(1).max(50) });
const messages = [new HumanMessage("And God said")];

interface Tokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
}
/** The type of a message of a chat model does not have what it is filled with. */
const usageOf = ({ usage_metadata: usage }: { readonly usage_metadata?: unknown }): Tokens => usage as Tokens;

async function texts(options: Options): Promise<void> {
  const whole = await model(options).invoke(messages);
  expect(whole.text).not.toBe("");
  expect(usageOf(whole).output_tokens).toBe(12);
  let sum: AIMessageChunk | undefined;
  for await (const part of await model(options).stream(messages)) sum = sum?.concat(part) ?? part;
  expect(sum!.text).toBe(whole.text);
}

ran("a text, and the same as a stream", () => texts({}));
ran("the same by Responses", () => texts({ useResponsesApi: true }));

ran("a call of a tool, and its result", async () => {
  const find = tool(({ book }: Place) => `${book}: let there be light`, { name: "find", schema: place });
  for (const useResponsesApi of [false, true]) {
    const own = model({ maxTokens: 160, useResponsesApi });
    const answer = await own.bindTools([find], { tool_choice: useResponsesApi ? "find" : "required" }).invoke(messages);
    const [call] = answer.tool_calls!;
    expect(["Genesis", "Exodus"]).toContain((call!.args as Place).book);
    const result: ToolMessage = await find.invoke({ ...call!, type: "tool_call" });
    const next = await own.bindTools([find]).invoke([...messages, answer, result]);
    expect(usageOf(next).input_tokens).toBeGreaterThan(usageOf(answer).input_tokens + 20);
  }
});

ran("an object by a schema", async () => {
  for (const method of ["jsonSchema", "functionCalling"] as const) {
    const found = await model({ maxTokens: 100 })
      .withStructuredOutput(place, { name: "place", method })
      .invoke("A place");
    expect(place.parse(found)).toEqual(found);
  }
});

ran("an abort", async () => {
  const abort = new AbortController();
  const read = async (): Promise<void> => {
    const long = model({ maxTokens: 400, modelKwargs: { ignore_eos: true } });
    for await (const part of await long.stream(messages, { signal: abort.signal })) if (part.text) abort.abort();
  };
  await expect(read()).rejects.toThrow(/abort/i);
  await untilFree(server);
});

ran("an error", async () => {
  await expect(model({ model: "other" }).invoke(messages)).rejects.toThrow(/the model `other` does not exist/);
});
