/** Bodies that a front passes on: the model that they name is found without reading them, and their bytes reach the process as they came. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { buildApp } from "../../server/app.js";
import { memberTexts } from "../../server/front/memberTexts.js";
import { PassedBody } from "../../server/front/passedBody.js";
import { pass } from "../../server/front/proxy.js";
import { guardsOf } from "../../server/guards.js";
import { Keys } from "../../server/keys/keys.js";
import { Metrics } from "../../server/metrics/metrics.js";
import { randomValue } from "../grammars/randomSchemas.js";
import { randomIntegers } from "../grammars/walk.js";

const NAMES = new Set(["model", "name"]);
const found = (text: string): object => Object.fromEntries(memberTexts(Buffer.from(text), NAMES));

/** The same by reading all of it. */
const byReading = (text: string): object =>
  Object.fromEntries(
    Object.entries(JSON.parse(text) as object).filter(([name, value]) => NAMES.has(name) && typeof value === "string"),
  );

describe("the texts of members", () => {
  test.each([
    '{"model":"a"}',
    ' { "prompt" : "\\"model\\": \\\\" , "model" : "one:own" } ',
    '{"model":"a","model":"b"}',
    '{"model":"a","model":5}',
    '{"model":["b"],"name":"c"}',
    '{"messages":[{"model":"x","content":"{\\"model\\": 1}"}],"options":{"model":"y"},"model":"z"}',
    '{"mod\\u0065l":"caf\\u00e9 é"}',
    '{"a":"model","b":["model","x"],"c":{"model":"y"}}',
    '["model","a"]',
    '{"a":{},"b":[],"model":"\\\\"}',
    "{}",
    '"model"',
  ])("are those of JSON.parse: %s", (text) => {
    expect(found(text)).toEqual(byReading(text));
  });

  test("of random values, and of what is no JSON none that harms", () => {
    const random = randomIntegers(7);
    for (let i = 0; i < 500; i++) {
      const value = { a: randomValue(random), ...(i % 2 ? { model: "m" } : {}), b: { model: randomValue(random) } };
      const text = JSON.stringify(value, undefined, i % 3);
      expect(found(text)).toEqual(byReading(text));
      expect(() => found(text.slice(0, random(text.length)))).not.toThrow();
    }
  });
});

describe("a body", () => {
  let process: Server;
  let front: FastifyInstance;
  let url: string;
  beforeAll(async () => {
    // answers with what it got
    process = createServer((request, response) => {
      response.setHeader("x-type", String(request.headers["content-type"]));
      request.pipe(response);
    });
    await new Promise<void>((resolve) => void process.listen(0, "127.0.0.1", resolve));
    const at = new URL(`http://127.0.0.1:${(process.address() as AddressInfo).port}`);
    const told = {
      url: at,
      secret: "x",
      pid: 0,
      over: new Promise<string>(() => undefined),
      end: () => Promise.resolve(),
    };
    const facts = { details: {} as never, contextSize: 0 };
    front = buildApp({
      serving: { keys: Keys.none(), metrics: new Metrics() },
      addRoutes: (to) =>
        void to.post("/v1/completions", (request, reply) => pass({ request, reply, process: { ...told, facts } })),
      files: { folder: undefined, areHashed: false },
      readBytes: (bytes) => new PassedBody(bytes),
      ...guardsOf({}),
      onAnswered: () => undefined,
    });
    url = await front.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(async () => {
    await front.close();
    process.close();
  });

  test("reaches the process as it came: digits, escapes, blanks, and its type", async () => {
    const type = "application/json; charset=utf-8";
    for (const body of [
      '{ "tools": [{"id": 12345678901234567890, "x": 1.0, "y": 1e400}],\n"a":"\\u00e9é" }',
      '{"model":"a","model":"a"}',
      '{"model": broken',
    ]) {
      const answer = await fetch(`${url}/v1/completions`, { method: "POST", headers: { "content-type": type }, body });
      expect([answer.headers.get("x-type"), await answer.text()]).toEqual([type, body]);
    }
  });
});
