/** The AI SDK with its provider for servers like OpenAI's. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { APICallError, generateText } from "ai";
import type { Opened } from "../open.js";
import { aiSdk } from "./ai.js";
import { casesOf } from "./cases.js";
import { openDemo } from "./demo.js";

let server: Opened;
beforeAll(async () => {
  server = await openDemo();
});
afterAll(() => server.close(0));

const ran = casesOf("ai-compatible");
const model = (name = "demo") =>
  createOpenAICompatible({
    name: "ggsl",
    baseURL: `${server.url}/v1`,
    supportsStructuredOutputs: true,
    includeUsage: true,
  })(name);
const sdk = aiSdk({ server: () => server, model });

ran("a text, and the same as a stream", sdk.text);
ran("tools in a loop", sdk.loop);
ran("an object by a schema", sdk.object);
ran("a sampler of the request", async () => {
  const options = { prompt: "And God said", maxOutputTokens: 12, maxRetries: 0 };
  const write = async (sampler: string): Promise<string> =>
    (await generateText({ ...options, model: model(), providerOptions: { ggsl: { sampler } } })).text;
  expect(await write("top_k(1) |> dist()")).toBe(await write("greedy()"));
  const error: unknown = await write("gredy()").catch((reason: unknown) => reason);
  expect(APICallError.isInstance(error) && error.statusCode).toBe(400);
  expect((error as Error).message).toContain("did you mean `greedy`?");
});
ran("an abort", sdk.abort);
ran("an error", sdk.error);
