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
