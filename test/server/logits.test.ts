/** `/v1/logits` and `/v1/tokens`: the model's numbers, admission, and refusals. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/file.js";
import { open, until, type Opened } from "./open.js";

let server: Opened;
let model: Model;
beforeAll(async () => {
  [server, model] = await Promise.all([open({ files: "test/server/site" }), loadModel(DEMO_MODEL, { backend: "cpu" })]);
});
afterAll(async () => {
  model.dispose();
  await server.close(0);
});

const PROMPT = "In the beginning";
const OCTETS = "application/octet-stream";

const octets = (body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.url}/v1/logits`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", accept: OCTETS },
    ...(signal && { signal }),
  });

const floats = async (response: Response): Promise<number[]> => {
  const bytes = Buffer.from(await response.arrayBuffer());
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
};

test("logits are the model's, as JSON and as octets", async () => {
  const own = [...(await model.logits(PROMPT, { special: false }))];
  const { status, body } = await server.post("/v1/logits", { model: "demo", prompt: PROMPT, user: null });
  expect([status, body["object"], body["model"]]).toEqual([200, "logits", "demo"]);
  expect(body["logits"]).toEqual(own);
  const response = await octets({ prompt: PROMPT });
  expect([response.headers.get("content-type"), response.headers.get("vary")]).toEqual([OCTETS, "accept"]);
  expect(await floats(response)).toEqual(own);
  const tokens = [...model.tokenize(PROMPT, { special: false })];
  expect(await floats(await octets({ prompt: tokens }))).toEqual(own);
  expect(body["usage"]).toMatchObject({ prompt_tokens: tokens.length });
  expect(await server.get("/metrics")).toContain('ggsl_requests_total{route="/v1/logits",status="200"} 3');
});

test("tokens have the model's texts", async () => {
  const { data } = JSON.parse(await server.get("/v1/tokens")) as { readonly data: string[] };
  expect(data).toEqual(Array.from({ length: model.info.vocabSize }, (_, token) => model.textOf(token)));
});

test.each([
  [{}, 400, "missing_required_parameter", "missing parameter `prompt`"],
  [{ prompt: 5 }, 400, "invalid_request", "`prompt` must be"],
  [{ prompt: ["a", "b"] }, 400, "invalid_request", "must be one, found 2"],
  [{ prompt: [99_999] }, 400, "invalid_request", "99999 is not a token"],
  [
    { prompt: PROMPT, temperature: 1 },
    400,
    "unknown_parameter",
    "unknown parameter: `temperature` is no field of /v1/logits, but of /v1/chat/completions: omit it",
  ],
  [{ prompt: PROMPT, model: "other" }, 404, "unknown_model", "this server has `demo`"],
  [{ prompt: "word ".repeat(400) }, 400, "context_length_exceeded", "the context, for prompt and answer, is 256"],
])("%j is refused", async (request, status, code, message) => {
  const answer = await server.post("/v1/logits", request);
  expect([answer.status, answer.body.error?.["code"]]).toEqual([status, code]);
  expect(answer.body.error?.["message"]).toContain(message);
});

test("a client that goes away frees its place", async () => {
  const abort = new AbortController();
  const gone = Array.from({ length: 8 }, () => octets({ prompt: "In ".repeat(120) }, abort.signal));
  setTimeout(() => abort.abort(), 20);
  const ends = await Promise.allSettled(gone);
  expect(ends.some(({ status }) => status === "rejected")).toBe(true);
  expect(await floats(await octets({ prompt: PROMPT }))).toHaveLength(model.info.vocabSize);
  await until(server, ({ running, waiting }) => running === 0 && waiting === 0);
});

test("keys and the queue hold for logits", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-keys-"));
  writeFileSync(join(folder, "keys"), "sk-right-and-long alice\n");
  const guarded = await open({ apiKeys: join(folder, "keys"), sequences: 1, queue: 1 });
  try {
    const headers = { authorization: "Bearer sk-right-and-long" };
    expect((await guarded.post("/v1/logits", { prompt: PROMPT })).status).toBe(401);
    expect((await fetch(`${guarded.url}/v1/tokens`)).status).toBe(401);
    // long enough that they are there at once
    const prompt = "In ".repeat(120);
    const all = await Promise.all([1, 2, 3, 4].map(() => guarded.post("/v1/logits", { prompt }, headers)));
    const statuses = all.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toContain(429);
    expect(statuses[0]).toBe(200);
    expect(all.find(({ status }) => status === 429)!.headers.get("retry-after")).toMatch(/^\d+$/);
  } finally {
    await guarded.close(0);
    rmSync(folder, { recursive: true });
  }
});
