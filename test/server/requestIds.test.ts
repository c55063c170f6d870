/** The ids of requests: in answers, in errors and in the log. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { BadRequestError } from "openai";
import { open, postFrom, type Opened } from "./open.js";

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const PATH = "/v1/completions";
const BODY = { prompt: "And", max_tokens: 2 };

let server: Opened;
let write: typeof process.stdout.write;
const lines: string[] = [];
beforeAll(async () => {
  write = process.stdout.write.bind(process.stdout);
  // the log goes to standard output
  process.stdout.write = (text: string | Uint8Array): boolean =>
    typeof text === "string" && text.startsWith("{") ? lines.push(text) > 0 : write(text);
  server = await open({ log: "json", trustProxy: ["127.0.0.2"], sequences: 2 });
});
afterAll(async () => {
  await server.close(0);
  process.stdout.write = write;
});

/** The log's line of a request, which comes with the end of the answer. */
async function lineOf(id: string): Promise<Record<string, unknown>> {
  for (let i = 0; i < 200; i++) {
    const found = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((one) => one["request_id"] === id);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`no line of ${id} in ${lines.join("")}`);
}

const ask = (id: string, fields: object = {}): Promise<Response> =>
  fetch(server.url + PATH, {
    method: "POST",
    headers: { "content-type": "application/json", "x-request-id": id },
    body: JSON.stringify({ ...BODY, ...fields }),
  });

test("is the client's own, in answers, streams, errors and the log", async () => {
  const whole = await ask("own-1");
  const { id } = (await whole.json()) as { id: string };
  expect(whole.headers.get("x-request-id")).toBe("own-1");
  expect(await lineOf("own-1")).toMatchObject({ client: "127.0.0.1", path: PATH, status: 200, answer_id: id });

  const stream = await ask("own/2:a", { stream: true });
  expect(stream.headers.get("x-request-id")).toBe("own/2:a");
  const [, streamed] = /"id":"([^"]+)"/.exec(await stream.text())!;
  expect(await lineOf("own/2:a")).toMatchObject({ answer_id: streamed });

  const refused = await ask("own-3", { temperature: 9 });
  expect([refused.headers.get("x-request-id"), await refused.json()]).toMatchObject([
    "own-3",
    { error: { code: "invalid_request", request_id: "own-3" } },
  ]);
  expect(await lineOf("own-3")).toMatchObject({ status: 400, error: "invalid_request" });

  const unknown = await fetch(`${server.url}/nothing`, { headers: { "x-request-id": "own-4" } });
  expect(await unknown.json()).toMatchObject({ error: { code: "unknown_route", request_id: "own-4" } });
  const broken = await fetch(`${server.url}/%`, { headers: { "x-request-id": "own-5" } });
  expect(await broken.json()).toMatchObject({ error: { code: "malformed_request", request_id: "own-5" } });
  expect(broken.headers.get("x-request-id")).toBe("own-5");
});

test.each([["x".repeat(129)], ["a b"], ['a"b'], ["a,b"], ["é"], ["$(x)"]])(
  "is a new one in place of %j",
  async (given) => {
    const answer = await ask(given);
    const id = answer.headers.get("x-request-id")!;
    expect(id).toMatch(UUID);
    await answer.text();
    expect(await lineOf(id)).toMatchObject({ status: 200 });
  },
);

test("is another one for each request that has none", async () => {
  const ids = await Promise.all(
    [1, 2, 3].map(async () => (await fetch(`${server.url}/health`)).headers.get("x-request-id")),
  );
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(UUID);
});

test("OpenAI's client has it of an answer and of an error", async () => {
  const { completions } = server.client;
  const { _request_id: id } = await completions.create({ model: "demo", ...BODY });
  expect(await lineOf(id!)).toMatchObject({ path: PATH });
  const error: unknown = await completions.create({ model: "demo", ...BODY, top_p: 5 }).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(BadRequestError);
  const { requestID } = error as BadRequestError;
  expect(await lineOf(requestID!)).toMatchObject({ error: "invalid_request" });
});

test("behind a proxy the log has the client's address", async () => {
  const headers = { "x-request-id": "own-6", "x-forwarded-for": "192.0.2.9" };
  const { status } = await postFrom("127.0.0.2", server.url + PATH, BODY, headers);
  expect(status).toBe(200);
  expect(await lineOf("own-6")).toMatchObject({ client: "192.0.2.9" });
});
