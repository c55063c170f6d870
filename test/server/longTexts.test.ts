/** Long prompts of strangers: the server answers others while they become tokens, and lives. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { performance } from "node:perf_hooks";
import { open, type Opened } from "./open.js";

let server: Opened;
beforeAll(async () => {
  server = await open({ contextSize: 32768, sequences: 1 });
});
afterAll(() => server.close());

/** Each took seconds on the thread that answers all requests. */
const TEXTS = [
  "\n".repeat(480_000),
  "é".repeat(150_000),
  "a".repeat(250_000),
  "😀".repeat(80_000),
  " ".repeat(300_000),
];

test("the event loop is free while prompts become tokens", async () => {
  const before = performance.eventLoopUtilization();
  let isDone = false;
  const health: number[] = [];
  const watch = (async () => {
    while (!isDone) {
      await server.get("/health");
      health.push(performance.now());
    }
  })();
  const answers = await Promise.all(
    [...TEXTS, ...TEXTS].map((prompt, i) =>
      i % 2 === 0
        ? server.post("/v1/completions", { prompt, max_tokens: 1 })
        : server.post("/v1/chat/completions", { messages: [{ role: "user", content: prompt }], max_tokens: 1 }),
    ),
  );
  isDone = true;
  await watch;
  expect(answers.map(({ status, body }) => [status, body.error?.["code"]])).toEqual(
    answers.map(() => [400, "context_length_exceeded"]),
  );
  const { active } = performance.eventLoopUtilization(before);
  console.log({ active, health: health.length });
  const { status } = await server.post("/v1/completions", { prompt: "In the beginning", max_tokens: 1 });
  expect(status).toBe(200);
});
