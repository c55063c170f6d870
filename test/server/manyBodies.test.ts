/** 600 bodies of a mebibyte that never end, to a server without keys: a process of its own, with the limits that it has by itself. */
import { afterEach, expect, test } from "@jest/globals";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { OPEN } from "../../server/config/options.js";
import { DEMO_MODEL } from "../model/file.js";
import { startServer, type Child } from "./campaign/child.js";

const MIB = 2 ** 20;
const BODIES = 600;
/** Each may have 256 connections. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"] as const;

const HEAD = `POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${MIB}\r\n\r\n`;
const BODY = Buffer.from(`${HEAD}{"prompt":"${"x".repeat(MIB - 20)}`);

/** All but the last bytes of a body; what the server says, once it has refused it. */
function endless(port: number, localAddress: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  const answer = new Promise<string>((resolve) => {
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => (text += part));
    socket.on("error", () => undefined).once("close", () => resolve(text));
  });
  sockets.push(socket);
  socket.write(BODY);
  return answer;
}

let server: Child | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.end();
});

test("they take the memory of the limits, and others are answered", async () => {
  const { url, metric } = (server = await startServer(
    DEMO_MODEL,
    "--backend",
    "cpu",
    "--sequences",
    "2",
    "--ctx-size",
    "256",
  ));
  const ask = async (): Promise<number> => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ prompt: "In the beginning", max_tokens: 4 });
    return (await fetch(`${url}/v1/completions`, { method: "POST", headers, body })).status;
  };
  expect(await ask()).toBe(200);
  const before = await metric("process_resident_memory_bytes");
  const port = Number(new URL(url).port);
  const all = Array.from({ length: BODIES }, (_, i) => endless(port, ADDRESSES[i % ADDRESSES.length]!));
  const answers: string[] = [];
  for (const answer of all) void answer.then((text) => answers.push(text));
  let [held, memory] = [0, 0];
  // as many as the limits have room for stay until they have been silent for 10 s
  for (
    const begin = performance.now();
    answers.length < BODIES && performance.now() - begin < 280_000;
    await wait(100)
  ) {
    held = Math.max(held, await metric("ggsl_body_bytes"));
    memory = Math.max(memory, await metric("process_resident_memory_bytes"));
    expect(await ask()).toBe(200);
  }
  expect(answers.length).toBe(BODIES);
  expect(held).toBeGreaterThan(OPEN.laneBodyBytes);
  expect(held).toBeLessThanOrEqual(ADDRESSES.length * OPEN.laneBodyBytes);
  // they would have 600 MiB; what the system's buffers hold is not the process's
  expect(memory - before).toBeLessThan(250 * MIB);
  const statuses = new Set(answers.map((text) => text.slice(0, 12)));
  // a connection whose client still sends may be reset before the answer is read
  for (const status of statuses) expect(["HTTP/1.1 429", "HTTP/1.1 408", ""]).toContain(status);
  expect(statuses).toContain("HTTP/1.1 429");
  expect(await metric("ggsl_body_bytes")).toBe(0);
  expect(await ask()).toBe(200);
});
