/** Pages of other origins. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open, type Opened } from "./open.js";

const [OURS, OTHER] = ["https://example.org", "https://example.com"];

let folder: string;
let server: Opened;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-cors-"));
  writeFileSync(join(folder, "keys"), "sk-right-and-long alice\n");
  server = await open({
    sequences: 1,
    cors: [OURS, "app://obsidian.md"],
    apiKeys: join(folder, "keys"),
    lenient: true,
  });
});
afterAll(async () => {
  await server.close(0);
  rmSync(folder, { recursive: true });
});

const preflight = (origin: string, to: Opened = server): Promise<Response> =>
  fetch(`${to.url}/v1/completions`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,x-stainless-lang",
    },
  });
const allowed = ({ headers }: Response): string | null => headers.get("access-control-allow-origin");
const ask = (origin: string, key: string, fields: object = {}, to: Opened = server): Promise<Response> =>
  fetch(`${to.url}/v1/completions`, {
    method: "POST",
    headers: { origin, "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ prompt: "And", max_tokens: 2, ...fields }),
  });

test("a browser that asks is told what it may send, without a key", async () => {
  for (const origin of [OURS, "app://obsidian.md"]) {
    const answer = await preflight(origin);
    expect([answer.status, allowed(answer)]).toEqual([204, origin]);
    expect(answer.headers.get("access-control-allow-methods")).toBe("GET, POST");
    expect(answer.headers.get("access-control-allow-headers")).toBe("authorization,content-type,x-stainless-lang");
    expect([answer.headers.get("vary"), answer.headers.get("access-control-allow-credentials")]).toEqual([
      "origin",
      null,
    ]);
  }
});

test("answers, streams and refusals can be read, and their headers", async () => {
  const texts = [
    await ask(OURS, "sk-right-and-long", { foo: 1 }),
    await ask(OURS, "sk-right-and-long", { foo: 1, stream: true }),
  ];
  for (const answer of texts) {
    expect([answer.status, allowed(answer), answer.headers.get("x-ggsl-ignored")]).toEqual([200, OURS, "foo"]);
    expect(answer.headers.get("access-control-expose-headers")).toBe(
      "retry-after, x-ggsl-ignored, x-request-id, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens",
    );
    await answer.text();
  }
  const refused = [await ask(OURS, "sk-wrong"), await ask(OURS, "sk-right-and-long", { temperature: 9 })];
  expect(refused.map((answer) => [answer.status, allowed(answer)])).toEqual([
    [401, OURS],
    [400, OURS],
  ]);
  const none = await fetch(`${server.url}/nothing`, { headers: { origin: OURS } });
  expect([none.status, allowed(none)]).toEqual([404, OURS]);
});

test("other origins, and a server without the option, get nothing", async () => {
  const plain = await open({ sequences: 1 });
  const all = await open({ sequences: 1, cors: ["*"] });
  try {
    for (const [origin, to] of [
      [OTHER, server],
      ["null", server],
      [`${OURS}.evil.net`, server],
      [OURS, plain],
    ] as const) {
      const answer = await preflight(origin, to);
      expect([answer.status, allowed(answer)]).toEqual([405, null]);
      expect(allowed(await ask(origin, "sk-right-and-long", {}, to))).toBeNull();
    }
    for (const origin of [OTHER, "null"]) {
      const answer = await preflight(origin, all);
      expect([answer.status, allowed(answer), allowed(await ask(origin, "none", {}, all))]).toEqual([204, "*", "*"]);
    }
  } finally {
    await plain.close(0);
    await all.close(0);
  }
});
