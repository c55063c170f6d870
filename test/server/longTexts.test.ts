/** Long prompts of strangers: the server answers others while they become tokens, and lives. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import http, { type IncomingMessage } from "node:http";
import { performance } from "node:perf_hooks";
import { open, postFrom, type Opened } from "./open.js";

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

const ask = async (kind: "completions" | "chat/completions", prompt: string): Promise<unknown[]> => {
  const text = kind === "completions" ? { prompt } : { messages: [{ role: "user", content: prompt }] };
  const { status, body } = await server.post(`/v1/${kind}`, { ...text, max_tokens: 1 });
  return [status, body.error?.["code"]];
};

test.each(["completions", "chat/completions"] as const)(
  "the event loop is free while a prompt of %s becomes tokens",
  async (kind) => {
    await ask(kind, "In the beginning");
    // the longest time between two turns of the loop, as a share of all: a text that becomes tokens in one of them takes most
    let [longest, last] = [0, performance.now()];
    const begin = last;
    const clock = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }, 5);
    expect(await ask(kind, TEXTS[0]!)).toEqual([400, "context_length_exceeded"]);
    clearInterval(clock);
    longest = Math.max(longest, performance.now() - last);
    expect(longest / (performance.now() - begin)).toBeLessThan(0.5);
  },
);

test("many at once are refused, and a short one beside them is answered before they are", async () => {
  const order: string[] = [];
  const longOnes = [...TEXTS, ...TEXTS].map(async (prompt, i) => {
    const answer = await ask(i % 2 === 0 ? "completions" : "chat/completions", prompt);
    order.push("long");
    return answer;
  });
  const short = ask("completions", "In the beginning").then((answer) => {
    order.push("short");
    return answer;
  });
  for (const answer of await Promise.all(longOnes)) expect(answer).toEqual([400, "context_length_exceeded"]);
  expect(await short).toEqual([200, undefined]);
  expect(order.indexOf("short")).toBeLessThan(order.length - 1);
});

/** What is wrong with it is found once it has tokens. Of more than 16 KiB, so that it waits for the thread of longer texts. */
const TOKENS_ONLY = { prompt: "In the beginning ".repeat(1000), max_tokens: 1, min_tokens: 2 };

test("eight addresses with many long prompts delay a prompt of another one for no more than a few of them", async () => {
  const order: string[] = [];
  const url = `${server.url}/v1/completions`;
  const long = { prompt: "é".repeat(60_000), max_tokens: 1 };
  const hostile = Array.from({ length: 8 }, (_, i) =>
    Array.from({ length: 4 }, async () => {
      expect((await postFrom(`127.0.0.${10 + i}`, url, long)).status).toBe(400);
      order.push("hostile");
    }),
  ).flat();
  const honest = postFrom("127.0.0.2", url, TOKENS_ONLY).then(({ status, body }) => {
    order.push("honest");
    return [status, body.includes("min_tokens")];
  });
  expect(await honest).toEqual([400, true]);
  await Promise.all(hostile);
  expect(order.indexOf("honest")).toBeLessThan(16);
});

test("too many prompts of a client that wait to become tokens are a 429, and clients that leave make room", async () => {
  const prompt = "a".repeat(120_000);
  const begun = performance.now();
  await ask("completions", prompt);
  const one = performance.now() - begun;
  const body = JSON.stringify({ prompt, max_tokens: 1 });
  const headers = { "content-type": "application/json", "content-length": body.length };
  const options = { method: "POST", agent: false, headers };
  // all but the last byte first: then they come faster than any of them becomes tokens
  const all = Array.from({ length: 200 }, () => http.request(`${server.url}/v1/completions`, options));
  const busy = new Promise<IncomingMessage>((resolve) => {
    for (const request of all)
      request
        .on("error", () => undefined)
        .on("response", (answer) => {
          answer.resume();
          if (answer.statusCode === 429) resolve(answer);
        });
  });
  await Promise.all(
    all.map((request) => new Promise<unknown>((resolve) => void request.write(body.slice(0, -1), resolve))),
  );
  for (const request of all) request.end("}");
  const answer = await busy;
  expect(answer.headers["retry-after"]).toBe("2");
  expect(await server.get("/metrics")).toMatch(/^ggsl_refused_total\{reason="tokenizer_busy"\} [1-9]/m);
  for (const request of all) request.destroy();
  // none of the 128 that waited are before it, as soon as the server has seen that their clients are gone
  const begin = performance.now();
  let last = await server.post("/v1/completions", TOKENS_ONLY);
  while (last.status === 429) last = await server.post("/v1/completions", TOKENS_ONLY);
  expect(last.body.error).toMatchObject({ param: "min_tokens" });
  // on this machine as it is now
  expect(performance.now() - begin).toBeLessThan(60 * one);
});
