/** By which names a server may be asked for: a page that makes its own name mean this machine gets nothing. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { request } from "node:http";
import { isLoopback } from "../../server/config/loopback.js";
import { hostsOf } from "../../server/config/options.js";
import { open, type Opened } from "./open.js";

/** The status and the error of a request with a host of its own, which `fetch` cannot send. */
const ask = (
  { url }: Opened,
  host: string,
  path = "/v1/models",
): Promise<{ status: number; code: string | undefined }> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(url);
    request({ host: "127.0.0.1", port, path, headers: { host }, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += String(part)));
      answer.on("end", () => resolve({ status: answer.statusCode!, code: /"code":"(\w+)"/.exec(text)?.[1] }));
    })
      .on("error", reject)
      .end();
  });

const RIGHT = [
  "localhost",
  "LOCALHOST:1",
  "localhost.",
  "ggsl.localhost:8080",
  "127.0.0.1",
  "127.0.0.1:80",
  "127.9.9.9",
  "[::1]",
  "[::1]:8080",
  "[::ffff:127.0.0.1]:1",
];
const WRONG = [
  "evil.example",
  "evil.example:8080",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "192.168.0.1",
  "[::2]",
  "[::1",
  "a b",
  "127.0.0.1@evil.example",
  "evil.example, localhost",
];

describe("at the loopback address", () => {
  let server: Opened;
  beforeAll(async () => {
    server = await open({ sequences: 1 });
  });
  afterAll(() => server.close(0));

  test.each(RIGHT)("%j", async (host) => {
    expect(await ask(server, host)).toMatchObject({ status: 200 });
  });

  test.each(WRONG)("%j is refused", async (host) => {
    for (const path of ["/v1/models", "/", "/health", "/nothing"])
      expect(await ask(server, host, path)).toEqual({ status: 403, code: "host_not_allowed" });
  });
});

test("further names, and any", async () => {
  const server = await open({ sequences: 1, allowHosts: ["ggsl.example.org"] });
  const statuses = async (of: Opened) =>
    Promise.all(
      ["ggsl.example.org:443", "GGSL.example.org", "localhost", "evil.example"].map(
        async (host) => (await ask(of, host)).status,
      ),
    );
  expect(await statuses(server)).toEqual([200, 200, 200, 403]);
  await server.close(0);
  const any = await open({ sequences: 1, allowHosts: ["*"] });
  expect(await statuses(any)).toEqual([200, 200, 200, 200]);
  await any.close(0);
});

test("at other addresses every name is taken, unless names are given", async () => {
  const wide = await open({ sequences: 1, host: "0.0.0.0" });
  expect(await ask(wide, "ggsl.example.org")).toMatchObject({ status: 200 });
  await wide.close(0);
  const named = await open({ sequences: 1, host: "0.0.0.0", allowHosts: ["ggsl.example.org"] });
  expect([await ask(named, "ggsl.example.org"), await ask(named, "evil.example")]).toMatchObject([
    { status: 200 },
    { status: 403 },
  ]);
  await named.close(0);
});

test("names are checked when the server starts", () => {
  expect(hostsOf({ model: "m", allowHosts: ["a.b", "[::5]", "*", "10.0.0.1"] })).toEqual([
    "a.b",
    "::5",
    "*",
    "10.0.0.1",
  ]);
  for (const name of ["http://a.b", "a.b:80", "a/b", "", "a b", "a,b"])
    expect(() => hostsOf({ model: "m", allowHosts: [name] })).toThrow(/without a scheme and a port/);
  expect(["::2", "::11", "fe80::1", "128.0.0.1", "1127.0.0.1", "localhost.a"].filter(isLoopback)).toEqual([]);
});
