/** The AI SDK with OpenAI's provider, which asks for Responses first. */
import { createOpenAI } from "@ai-sdk/openai";
import { afterAll, beforeAll } from "@jest/globals";
import type { Opened } from "../open.js";
import { aiSdk } from "./ai.js";
import { casesOf } from "./cases.js";
import { openDemo } from "./demo.js";

let server: Opened;
beforeAll(async () => {
  server = await openDemo();
});
afterAll(() => server.close(0));

const ran = casesOf("ai-openai");
const provider = () => createOpenAI({ baseURL: `${server.url}/v1`, apiKey: "none" });
const sdk = aiSdk({
  server: () => server,
  model: (name = "demo") => provider().responses(name),
  options: { openai: { store: false } },
});
const chat = aiSdk({ server: () => server, model: (name = "demo") => provider().chat(name) });

ran("a text, and the same as a stream", sdk.text);
ran("the same by chat", async () => {
  await chat.text();
  await chat.loop();
  await chat.object();
});
ran("tools in a loop", sdk.loop);
ran("an object by a schema", sdk.object);
ran("an abort", sdk.abort);
ran("an error", sdk.error);
