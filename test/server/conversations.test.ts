/** Long conversations of strangers: they are rendered on other threads, and the server answers others. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { loadJinja } from "../../runtime/chat/jinja.js";
import { Budget } from "../../runtime/chat/limits.js";
import { openConversation, taskOf } from "../../runtime/chat/render.js";
import { renderTask } from "../../runtime/chat/task.js";
import { sharedRendering } from "../../runtime/chat/threads/rendering.js";
import type { Started } from "../../runtime/core/threads.js";
import { modelWith } from "../chat/templates.js";
import { open, postFrom, type Opened } from "./open.js";

const TEMPLATE = "{% for m in messages %}{% if loop.last %}{{ m.content }}{% endif %}{% endfor %}";

let server: Opened;
beforeAll(async () => {
  server = await open({ template: TEMPLATE });
  await server.post("/v1/chat/completions", asking(1));
});
afterAll(() => server.close(0));

const message = (i: number) => ({ role: i % 2 ? "assistant" : "user", content: "In the beginning" });
const asking = (count: number, more: object = {}) => ({
  messages: Array.from({ length: count }, (_, i) => message(i)),
  max_tokens: 1,
  ...more,
});
const send = (body: object) => server.post("/v1/chat/completions", JSON.stringify(body));

/** Seconds, since the last time. */
async function longestHold(): Promise<number> {
  const text = await server.get("/metrics");
  return Number(/^ggsl_event_loop_hold_seconds (\S+)$/m.exec(text)![1]);
}

/** Seconds that a conversation takes on a thread that renders it, on this machine as it is now. */
async function rendered(count: number): Promise<number> {
  const jinja = await loadJinja();
  const task = taskOf(modelWith(TEMPLATE), openConversation(asking(count).messages, {}));
  const begin = performance.now();
  renderTask(jinja, task, new Budget());
  return (performance.now() - begin) / 1000;
}

test("the event loop is not held by a chat of 8000 messages", async () => {
  const body = asking(8000);
  const holds: number[] = [];
  for (let i = 0; i < 5; i++) {
    await longestHold();
    expect((await send(body)).status).toBe(200);
    holds.push(await longestHold());
  }
  const alone = await rendered(8000);
  // other programs of the machine hold it too: the least of five, and a machine that is busy
  expect(Math.min(...holds)).toBeLessThan(Math.max(0.1, alone / 2));
});

test.each([
  ["more values than a conversation may have", asking(11_000), 400, "request_too_complex"],
  ["ten times as many messages", asking(80_000), 413, "request_too_large"],
])("%s are refused", async (_, body, status, code) => {
  const text = JSON.stringify(body);
  const holds: number[] = [];
  for (let i = 0; i < 3; i++) {
    await longestHold();
    const answer = await server.post("/v1/chat/completions", text);
    expect([answer.status, answer.body.error?.["code"]]).toEqual([status, code]);
    holds.push(await longestHold());
  }
  expect(Math.min(...holds)).toBeLessThan(Math.max(0.1, (await rendered(8000)) / 2));
});

/** Of which each message takes many steps. */
const COSTLY = `{% for m in messages %}{% for i in range(4) %}{% endfor %}{% endfor %}${TEMPLATE}`;

test("eight clients with chats that take all steps beside an honest one, whose answers come before theirs", async () => {
  const other = await open({ template: COSTLY });
  try {
    const url = `${other.url}/v1/chat/completions`;
    let done = 0;
    const hostile = Array.from({ length: 24 }, (_, i) =>
      postFrom(`127.0.0.${2 + (i % 8)}`, url, asking(8000)).finally(() => done++),
    );
    for (let i = 0; i < 3; i++) expect((await postFrom("127.0.0.20", url, asking(20))).status).toBe(200);
    expect(done).toBeLessThan(12);
    for (const { status, body } of await Promise.all(hostile)) {
      expect(status).toBe(400);
      expect(body).toContain("it needs more than 1000000 steps");
    }
  } finally {
    await other.close(0);
  }
});

test("a refusal of the template is a 400, wherever it is rendered", async () => {
  const refusing = "{% for m in messages %}{% endfor %}\n{{ raise_exception('no') }}";
  const other = await open({ template: refusing });
  try {
    const id = { "x-request-id": "one" };
    const [short, long] = await Promise.all(
      [1, 2000].map((count) => other.post("/v1/chat/completions", asking(count), id)),
    );
    expect([short!.status, short!.body.error?.["code"], short!.body.error?.["param"]]).toEqual([
      400,
      "invalid_messages",
      "messages",
    ]);
    expect(long!.body).toEqual(short!.body);
  } finally {
    await other.close(0);
  }
});

interface Holder {
  readonly all: { readonly thread?: { readonly started: Started } };
}

test("a thread that is killed is an error of its request; the next has another", async () => {
  const { all } = sharedRendering() as unknown as Holder;
  const killed = send(asking(8000));
  for (let i = 0; i < 2000 && !all.thread; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  await all.thread!.started.worker.terminate();
  expect([200, 500]).toContain((await killed).status);
  expect((await send(asking(8000))).status).toBe(200);
});
