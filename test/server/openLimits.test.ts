/** What clients may have open: connections and bytes of bodies, by address and together, and the time for a request to arrive. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { HeldBytes, type Holder } from "../../server/http/held.js";
import { REQUEST_TIMES } from "../../server/http/limits.js";
import { Refusal } from "../../server/refusal.js";
import { InputError } from "../../runtime/core/errors.js";
import { open, type Opened } from "./open.js";

const MIB = 2 ** 20;

interface Raw {
  readonly socket: Socket;
  /** All that came. */
  readonly text: () => string;
  readonly closed: Promise<void>;
}

let server: Opened;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close(0);
});

function raw(from = "127.0.0.1"): Promise<Raw> {
  let text = "";
  const socket = connect({ port: Number(new URL(server.url).port), host: "127.0.0.1", localAddress: from });
  sockets.push(socket);
  socket.setEncoding("latin1").on("data", (part: string) => (text += part));
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return new Promise((resolve) => {
    const result = { socket, text: () => text, closed };
    socket.once("connect", () => resolve(result));
    socket.once("close", () => resolve(result));
  });
}

const head = (length: number, more = ""): string =>
  `POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${more}content-length: ${length}\r\n\r\n`;
const body = JSON.stringify({ prompt: "In the", max_tokens: 1 });
const answered = async (one: Raw, pattern: RegExp): Promise<string> => {
  const begin = performance.now();
  while (!pattern.test(one.text()) && performance.now() - begin < 240_000) await wait(5);
  expect(one.text()).toMatch(pattern);
  return one.text();
};
async function metric(name: string): Promise<number> {
  const line = (await server.get("/metrics")).split("\n").find((one) => one.startsWith(`${name} `))!;
  return Number(line.split(" ")[1]);
}
async function untilMetric(name: string, accepts: (value: number) => boolean): Promise<void> {
  const begin = performance.now();
  while (!accepts(await metric(name)) && performance.now() - begin < 240_000) await wait(10);
  expect(accepts(await metric(name))).toBe(true);
}
const errorIn = (text: string): Record<string, unknown> =>
  (JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as { error: Record<string, unknown> }).error;

/** Begins a body of a mebibyte that never ends. */
async function slow(from: string, bytes: number, more = ""): Promise<Raw> {
  const one = await raw(from);
  one.socket.write(head(MIB, more));
  one.socket.write(`{"prompt":"${"x".repeat(bytes)}`);
  return one;
}

describe("bytes of bodies", () => {
  test("of many slow bodies stay within the limits, and an honest client is served", async () => {
    server = await open({ bodyBytes: 8 * MIB, laneBodyBytes: 2 * MIB, connections: 512 });
    const before = process.memoryUsage.rss();
    const addresses = Array.from({ length: 10 }, (_, i) => `127.0.1.${i + 1}`);
    const all: Raw[] = [];
    // slow, and not silent
    const drip = setInterval(() => all.forEach(({ socket }) => socket.writable && socket.write("x")), 1000);
    let greatest = 0;
    const look = async (): Promise<void> => void (greatest = Math.max(greatest, await metric("ggsl_body_bytes")));
    for (const address of addresses) {
      for (let i = 0; i < 10; i++) all.push(await slow(address, 0.9 * MIB));
      await look();
    }
    expect(greatest).toBeGreaterThan(2 * MIB);
    expect(greatest).toBeLessThanOrEqual(8 * MIB);
    const { status } = await server.post("/v1/completions", body);
    expect(status).toBe(200);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * MIB);
    const refused = all.filter((one) => one.text() !== "");
    expect(refused.length).toBeGreaterThan(50);
    for (const { text } of refused) {
      // on a slow machine the first have had their minute
      expect(text()).toMatch(/^HTTP\/1\.1 (408|429|503) /);
      expect(["request_timeout", "too_many_bytes", "server_full"]).toContain(errorIn(text())["code"]);
      if (!text().startsWith("HTTP/1.1 408")) expect(text()).toMatch(/retry-after: 1/);
    }
    clearInterval(drip);
    for (const { socket } of all) socket.destroy();
    await untilMetric("ggsl_body_bytes", (bytes) => bytes === 0);
    await untilMetric("ggsl_connections", (count) => count <= 2);
  });

  test("are of a lane: a client that a trusted proxy names has its own", async () => {
    server = await open({ laneBodyBytes: MIB, trustProxy: ["127.0.0.3"] });
    const first = await slow("127.0.0.3", 0.9 * MIB, "x-forwarded-for: 10.0.0.1\r\n");
    await untilMetric("ggsl_body_bytes", (bytes) => bytes > 0.8 * MIB);
    const other = await raw("127.0.0.3");
    other.socket.write(head(body.length, "x-forwarded-for: 10.0.0.2\r\n") + body);
    await answered(other, /^HTTP\/1\.1 200 /);
    const same = await slow("127.0.0.3", 0.5 * MIB, "x-forwarded-for: 10.0.0.1\r\n");
    expect(errorIn(await answered(same, /^HTTP\/1\.1 429 [^]*\}$/))).toMatchObject({
      code: "too_many_bytes",
      type: "rate_limit_error",
      param: null,
    });
    await same.closed;
    expect(first.text()).toBe("");
  });

  test("are given back, and the greatest lane gives way first", () => {
    const held = new HeldBytes({ bodyBytes: 100, laneBodyBytes: 80 });
    const refused: string[] = [];
    const holder = (lane: string, name: string): Holder => {
      const one: Holder = { lane, refuse: ({ reason }) => void refused.push(`${name} ${reason}`) };
      return one;
    };
    const [a, b, c, d] = [holder("x", "a"), holder("x", "b"), holder("y", "c"), holder("x", "d")];
    held.add(a, 50);
    held.add(b, 20);
    held.add(c, 25);
    held.add(d, 20);
    expect([refused, held.total]).toEqual([["d too_many_bytes"], 95]);
    held.add(c, 10);
    expect([refused, held.total]).toEqual([["d too_many_bytes", "a server_full"], 55]);
    // one that was read runs
    b.refuse = undefined;
    held.add(b, 55);
    expect([refused.at(-1), held.total]).toEqual(["c server_full", 75]);
    for (const one of [a, b, c, d]) held.release(one);
    expect(held.total).toBe(0);
    held.add(holder("x", "e"), 80);
    expect(held.total).toBe(80);
  });
});

describe("connections", () => {
  test("of an address beyond the limit are refused, those of others and of proxies are not", async () => {
    server = await open({ addressConnections: 3, trustProxy: ["127.0.0.3"] });
    const three = [await raw("127.0.0.2"), await raw("127.0.0.2"), await raw("127.0.0.2")];
    await untilMetric("ggsl_connections", (count) => count >= 3);
    const fourth = await raw("127.0.0.2");
    fourth.socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(errorIn(await answered(fourth, /^HTTP\/1\.1 429 [^]*\}$/))).toMatchObject({ code: "too_many_connections" });
    expect(fourth.text()).toMatch(/retry-after: 1/);
    await fourth.closed;
    for (let i = 0; i < 6; i++) {
      const ofProxy = await raw("127.0.0.3");
      ofProxy.socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
      await answered(ofProxy, /^HTTP\/1\.1 200 /);
    }
    three[0]!.socket.destroy();
    await three[0]!.closed;
    await untilMetric("ggsl_connections", (count) => count <= 9);
    const fifth = await raw("127.0.0.2");
    fifth.socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await answered(fifth, /^HTTP\/1\.1 200 /);
  });

  test("together are limited, and idle ones make room", async () => {
    server = await open({ connections: 5 });
    const held: Raw[] = [];
    for (let i = 0; i < 4; i++) {
      const one = await raw(`127.0.1.${i + 1}`);
      one.socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
      await answered(one, /^HTTP\/1\.1 200 /);
      held.push(one);
    }
    held.push(await raw("127.0.2.1"));
    held.at(-1)!.socket.write("GET /health HTTP/1.1\r\n");
    await wait(50);
    const refused = await raw("127.0.2.2");
    refused.socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(errorIn(await answered(refused, /^HTTP\/1\.1 503 [^]*\}$/))).toMatchObject({ code: "server_full" });
    await Promise.all(held.slice(0, 4).map(({ closed }) => closed));
    const next = await raw("127.0.2.3");
    next.socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await answered(next, /^HTTP\/1\.1 200 /);
  });

  test("beyond a few that are refused are closed at once", async () => {
    server = await open({ addressConnections: 2 });
    const all = await Promise.all(Array.from({ length: 120 }, () => raw("127.0.0.2")));
    await Promise.all(all.slice(-40).map(({ closed }) => closed));
    const { status } = await server.post("/v1/completions", body);
    expect(status).toBe(200);
    // nothing was asked on these
    await untilMetric("ggsl_connections", (count) => count <= 4);
  });
});

describe("time", () => {
  test(`${REQUEST_TIMES.headers / 1000} s for headers, and between two bytes of a body`, async () => {
    server = await open();
    const silent = await raw();
    const headers = await raw();
    headers.socket.write("POST /v1/completions HTTP/1.1\r\nhost: localhost\r\n");
    const stalled = await slow("127.0.0.1", 100);
    for (const one of [silent, headers, stalled]) {
      const text = await answered(one, /^HTTP\/1\.1 408 [^]*\}$/);
      expect(errorIn(text)).toMatchObject({ code: "request_timeout", type: "invalid_request_error" });
      await one.closed;
    }
    await untilMetric("ggsl_body_bytes", (bytes) => bytes === 0);
  });
});

test("options are numbers of at least one, and of a body", async () => {
  server = await open();
  for (const options of [{ connections: 0 }, { addressConnections: 1.5 }, { bodyBytes: 5 }, { laneBodyBytes: NaN }])
    await expect(open(options)).rejects.toThrow(InputError);
  expect(new Refusal("server_full", "x", { retryAfter: 1 }).status).toBe(503);
});
