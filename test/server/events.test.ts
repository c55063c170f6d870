/** Streams of events: their headers, and a reader that takes nothing. */
import { expect, test } from "@jest/globals";
import { once } from "node:events";
import http from "node:http";
import { connect, type AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { EventStream, JSON_LINES, SERVER_SENT } from "../../server/http/events.js";

/** A server whose answers `write` writes, and a connection that has asked it. */
async function asked(patience: number, write: (stream: EventStream) => Promise<void>, form = SERVER_SENT) {
  let done: Promise<void> | undefined;
  const server = http.createServer((_, response) => {
    done = write(new EventStream(response, { form, open: () => ({ "x-more": "1" }), patience }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  return { server, socket, done: (): Promise<void> | undefined => done };
}

test("the headers keep proxies from collecting events, and the last event says that it is", async () => {
  const { server, socket } = await asked(1000, async (stream) => {
    await stream.send({ data: { a: 1 } });
    stream.end([{ name: "last", data: "[DONE]" }]);
  });
  let text = "";
  for await (const part of socket.setEncoding("utf8")) text += part as string;
  expect(text).toMatch(/^x-accel-buffering: no\r$/m);
  expect(text).toMatch(/^content-type: text\/event-stream; charset=utf-8\r$/m);
  expect(text).toMatch(/^x-more: 1\r$/m);
  expect(text).toContain('data: {"a":1}\n\n');
  expect(text).toContain("event: last\ndata: [DONE]\n\n");
  server.close();
});

test("what is silent has pings, which are no part of the answer, until it ends", async () => {
  const { server, socket } = await asked(1000, async (stream) => {
    stream.keepAlive(30);
    await wait(100);
    await stream.send({ data: { a: 1 } });
    await wait(100);
    stream.end([{ data: "[DONE]" }]);
  });
  let text = "";
  for await (const part of socket.setEncoding("utf8")) text += part as string;
  const body = text.slice(text.indexOf("\r\n\r\n"));
  const [before = "", between = "", after] = body.split(/data: .*/);
  for (const silence of [before, between]) expect(silence).toContain(": ping\n\n");
  expect(after).not.toContain("ping");
  server.close();
});

test("lines of JSON have none", async () => {
  const { server, socket } = await asked(
    1000,
    async (stream) => {
      stream.keepAlive(10);
      await wait(50);
      expect(stream.isOpen).toBe(false);
      stream.end([{ data: { a: 1 } }]);
    },
    JSON_LINES,
  );
  let text = "";
  for await (const part of socket.setEncoding("utf8")) text += part as string;
  expect(text).not.toContain("ping");
  server.close();
});

test("a reader that takes nothing counts as gone after a time", async () => {
  let sent = 0;
  const { server, socket, done } = await asked(300, async (stream) => {
    // what the system's buffers hold is taken at once
    for (; sent < 1000; sent++) await stream.send({ data: "x".repeat(2 ** 18) });
  });
  socket.pause();
  const begin = performance.now();
  await once(server, "request");
  await done();
  expect(sent).toBe(1000);
  expect(performance.now() - begin).toBeGreaterThan(250);
  socket.destroy();
  server.close();
  await once(server, "close");
});
