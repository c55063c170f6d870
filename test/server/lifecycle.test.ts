/** Clients that go away or read slowly, places, and the end of a server. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { ServeOptions } from "../../server/config/options.js";
import { eventsOf, open, ready, until, type Opened } from "./open.js";

const servers: Opened[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await server.close(0);
});

async function start(options: Partial<ServeOptions> = {}): Promise<Opened> {
  const server = await open(options);
  servers.push(server);
  return server;
}

/** A request over a raw socket, which reads nothing unless told. */
function raw(server: Opened, body: object): Socket {
  const text = JSON.stringify(body);
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => undefined).pause();
  sockets.push(socket);
  socket.write(
    `POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return socket;
}

/** A text that takes long. */
const LONG = { prompt: "In the beginning", max_tokens: 4000, ignore_eos: true };

describe("a client that goes away", () => {
  test("frees its place while its text is written, and one that waits gets it", async () => {
    const server = await start({ sequences: 1, contextSize: 4096 });
    const [first, second] = [raw(server, { ...LONG, stream: true }), raw(server, LONG)];
    await until(server, ({ running, waiting }) => running === 1 && waiting === 1);
    // in the middle of its text
    first.resume();
    await new Promise((resolve) => first.once("data", resolve));
    first.destroy();
    await until(server, ({ waiting }) => waiting === 0);
    expect((await ready(server)).running).toBe(1);
    second.destroy();
    await until(server, ({ running }) => running === 0);
  });

  test("leaves the queue, and ends the reading of its prompt", async () => {
    const server = await start({ sequences: 1, contextSize: 4096 });
    const writer = raw(server, { ...LONG, stream: true });
    await until(server, ({ running }) => running === 1);
    const waiting = raw(server, LONG);
    await until(server, (state) => state.waiting === 1);
    waiting.destroy();
    await until(server, (state) => state.waiting === 0);
    writer.destroy();
    await until(server, ({ running }) => running === 0);
    // a prompt of 4000 tokens takes 8 batches
    const before = await decodes(server);
    const reader = raw(server, { prompt: Array.from({ length: 4000 }, (_, i) => i % 2000), max_tokens: 1 });
    await until(server, ({ running }) => running === 1);
    reader.destroy();
    await until(server, ({ running }) => running === 0);
    expect((await decodes(server)) - before).toBeLessThan(8);
    expect((await server.post("/v1/completions", { ...LONG, max_tokens: 2 })).status).toBe(200);
  });
});

test("a reader that is slow holds up only its own text", async () => {
  // each event has the name of the model: some hundred of them fill all buffers
  const server = await start({ sequences: 2, contextSize: 512, alias: "long".repeat(2 ** 14) });
  const slow = raw(server, { ...LONG, max_tokens: 450, stream: true });
  await until(server, ({ running }) => running === 1);
  let before = -1;
  for (let now = await decodes(server); now !== before; now = await decodes(server)) {
    before = now;
    await wait(1500);
  }
  const { body: other } = await server.post("/v1/completions", { ...LONG, max_tokens: 20 });
  expect(other["usage"]).toMatchObject({ completion_tokens: 20 });
  expect(await decodes(server)).toBe(before + 20);
  expect((await ready(server)).running).toBe(1);
  // it goes on once it is read
  let text = "";
  slow.setEncoding("utf8").on("data", (part: string) => (text = (text + part).slice(-100)));
  slow.resume();
  await until(server, ({ running }) => running === 0);
  while (!text.includes("data: [DONE]")) await wait(10);
  expect(await decodes(server)).toBeGreaterThan(450);
});

/** Batches so far. */
async function decodes(server: Opened): Promise<number> {
  const [, count] = /^ggsl_decode_seconds_count (\d+)$/m.exec(await server.get("/metrics"))!;
  return Number(count);
}

describe("places", () => {
  test("a queue that is full refuses with the seconds to wait", async () => {
    const server = await start({ sequences: 1, contextSize: 4096, queue: 1 });
    raw(server, { ...LONG, stream: true });
    await until(server, ({ running }) => running === 1);
    raw(server, LONG);
    await until(server, ({ waiting }) => waiting === 1);
    const { status, headers, body } = await server.post("/v1/completions", LONG);
    expect([status, body.error!["code"], body.error!["type"]]).toEqual([429, "queue_full", "rate_limit_error"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("more texts than places, and a prompt beyond the context, are refused before they run", async () => {
    const server = await start({ sequences: 2, contextSize: 256 });
    const many = await server.post("/v1/completions", { prompt: "And", n: 3 });
    expect([many.status, many.body.error!["param"]]).toEqual([400, "n"]);
    const long = await server.post("/v1/completions", { prompt: "word ".repeat(300) });
    expect([long.status, long.body.error!["code"]]).toEqual([400, "context_length_exceeded"]);
    expect(await server.get("/metrics")).toContain('ggsl_refused_total{reason="context_length_exceeded"} 1');
  });

  test("a text ends where the context is full", async () => {
    const server = await start({ sequences: 1, contextSize: 64 });
    const { body } = await server.post("/v1/completions", { ...LONG, stream: false });
    expect(body).toMatchObject({ choices: [{ finish_reason: "length" }], usage: { total_tokens: 64 } });
  });

  test("a place has a sampler of its own, beside places with other chains", async () => {
    const server = await start({
      sequences: 3,
      contextSize: 256,
      slots: [{ slot: 1, name: "cold" }],
      samplers: [{ name: "cold", file: "test/server/cold.ggsl" }],
    });
    const ask = async (fields: object): Promise<string> => {
      const { body } = await server.post("/v1/completions", { prompt: "In the beginning", max_tokens: 30, ...fields });
      return (body["choices"] as { text: string }[])[0]!.text;
    };
    const alone = await ask({ temperature: 0 });
    const texts = await Promise.all([
      ...[ask({ id_slot: 1 }), ask({ id_slot: 1 }), ask({ id_slot: -1, temperature: 0 })],
      ...[ask({ sampler: "cold" }), ask({ seed: 1 }), ask({ sampler: "top_k(5) |> host mirostat_v2(5, 0.1, 1)" })],
    ]);
    // the last digits of logits depend on the batch, so that long texts may differ
    const begun = texts.map((text) => text.slice(0, 20));
    expect(new Set(begun.slice(0, 4))).toEqual(new Set([alone.slice(0, 20)]));
    expect(new Set(begun).size).toBe(3);
    // the reserved place is no other request's
    const { body } = await server.post("/v1/completions", { prompt: "And", n: 3 });
    expect(body.error).toMatchObject({ param: "n" });
    expect(JSON.parse(await server.get("/v1/models"))).toMatchObject({
      data: [{ samplers: ["cold"], slots: { 1: "cold" } }, { sampler: "cold" }],
    });
  });
});

describe("the end", () => {
  test("running texts are written to their end, what waits is refused, and nothing is taken", async () => {
    const server = await start({ sequences: 1, contextSize: 256 });
    const running = fetch(`${server.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...LONG, max_tokens: 200, stream: true }),
    }).then((answer) => answer.text());
    await until(server, (state) => state.running === 1);
    const waiting = server.post("/v1/completions", LONG);
    await until(server, (state) => state.waiting === 1);
    const closed = server.close();
    servers.length = 0;
    const refused = await waiting;
    expect([refused.status, refused.body.error!["code"]]).toEqual([503, "shutting_down"]);
    expect(eventsOf(await running).length).toBeGreaterThan(100);
    expect(await running).toContain("[DONE]");
    await closed;
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
  });

  test("connections without a whole request are not waited for", async () => {
    const server = await open({ sequences: 1 });
    const port = Number(new URL(server.url).port);
    const [silent, half] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    sockets.push(silent, half);
    const closed = [silent, half].map((socket) => {
      socket.on("error", () => undefined).resume();
      return new Promise((resolve) => socket.once("close", resolve));
    });
    half.write("POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-le");
    await server.get("/ready");
    // Node.js alone would wait for five minutes
    await server.close();
    await Promise.all(closed);
  });

  test("texts that take too long end with an error", async () => {
    const server = await start({ sequences: 1, contextSize: 8192 });
    const running = fetch(`${server.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...LONG, max_tokens: 8000, stream: true }),
    }).then((answer) => answer.text());
    await until(server, (state) => state.running === 1);
    await wait(100);
    servers.length = 0;
    await server.close(50);
    expect(eventsOf(await running).at(-1)).toMatchObject({ error: { code: "shutting_down" } });
  });
});
