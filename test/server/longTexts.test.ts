/** Long prompts of strangers: the server answers others while they become tokens, and lives. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { performance } from "node:perf_hooks";
import { open, type Opened } from "./open.js";

const TEMPLATE = "{% for m in messages %}{{ m.content }}\n{% endfor %}";

let server: Opened;
beforeAll(async () => {
  server = await open({ contextSize: 32_768, sequences: 1, template: TEMPLATE });
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
  // the longest time between two turns of the loop, as a share of all: what is done for a text in one piece would be most of it
  let [longest, last] = [0, performance.now()];
  const begin = last;
  const clock = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  const answers = await Promise.all(
    [...TEXTS, ...TEXTS].map((prompt, i) =>
      i % 2 === 0
        ? server.post("/v1/completions", { prompt, max_tokens: 1 })
        : server.post("/v1/chat/completions", { messages: [{ role: "user", content: prompt }], max_tokens: 1 }),
    ),
  );
  clearInterval(clock);
  const all = performance.now() - begin;
  expect(answers.map(({ status, body }) => [status, body.error?.["code"]])).toEqual(
    answers.map(() => [400, "context_length_exceeded"]),
  );
  process.stderr.write(`${JSON.stringify({ longest, all })}\n`);
  const { status } = await server.post("/v1/completions", { prompt: "In the beginning", max_tokens: 1 });
  expect(status).toBe(200);
});
