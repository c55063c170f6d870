/** The AI SDK with Anthropic's provider. */
import { createAnthropic } from "@ai-sdk/anthropic";
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

const ran = casesOf("ai-anthropic");
const sdk = aiSdk({
  server: () => server,
  model: (name = "demo") => createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "none" })(name),
});

ran("a text, and the same as a stream", sdk.text);
ran("tools in a loop", sdk.loop);
ran("an object by a schema", sdk.object);
ran("an abort", sdk.abort);
ran("an error", sdk.error);
