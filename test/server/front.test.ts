/** Several models behind one address, each in a process of its own. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Anthropic from "@anthropic-ai/sdk";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { ToldKeys } from "../../server/front/keys.js";
import { openModelsServer } from "../../server/index.js";
import { openBehind } from "../../server/serve.js";
import { endAll, start, type Running } from "../cli/run.js";
import { DEMO_MODEL } from "../model/file.js";
import { eventsOf } from "./open.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-front-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

interface Opened {
  readonly running: Running;
  readonly url: string;
  readonly client: OpenAI;
  close(): Promise<void>;
}

const MODELS = ["one", "two", "three"];

/** `ggsl serve` as it was built: processes of the sources take long to start. */
async function open(
  flags: readonly string[] = [],
  models = MODELS.map((name) => `${name}=${DEMO_MODEL}`),
): Promise<Opened> {
  const named = models.flatMap((model) => ["--model", model]);
  const small = ["--port", "0", "--sequences", "2", "--ctx-size", "256", "--threads", "1", "--backend", "cpu"];
  const running = start(["serve", ...named, ...small, ...flags]);
  const [url] = /http:\S+\d/.exec(await running.until(/at http:\/\/\S+: each is loaded/))!;
  return {
    running,
    url,
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 }),
    async close() {
      running.kill("SIGTERM");
      await running.ended;
    },
  };
}
afterAll(endAll);

const TEXT = { prompt: "In the beginning", max_tokens: 6, temperature: 0 };
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>> & { readonly error?: Readonly<Record<string, unknown>> };
}
async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer["body"] };
}
const ask = ({ url }: Opened, fields: object = {}, headers = {}): Promise<Answer> =>
  post(`${url}/v1/completions`, { ...TEXT, ...fields }, headers);
const textOf = ({ body }: Answer): string => (body["choices"] as { text: string }[])[0]!.text;

interface State {
  readonly name: string;
  readonly state: string;
  readonly running: number;
}
const states = async ({ url }: Opened): Promise<readonly State[]> =>
  ((await (await fetch(`${url}/ready`)).json()) as { models: State[] }).models;
const loaded = async (front: Opened): Promise<string[]> =>
  (await states(front)).filter(({ state }) => state === "loaded").map(({ name }) => name);
async function until(accepts: () => Promise<boolean>): Promise<void> {
  while (!(await accepts())) await wait(20);
}

describe("models", () => {
  let front: Opened;
  beforeAll(async () => {
    const own = file("own.ggsl", 'import { greedy } from "std"\nchain c() = greedy()\n');
    front = await open(["--sampler", `own=${own}`, "--max-loaded-models", "2"]);
  });
  afterAll(() => front.close());

  test("are loaded when they are asked for, and the one used least recently makes place", async () => {
    expect(await loaded(front)).toEqual([]);
    const first = await ask(front);
    expect([first.status, first.body["model"]]).toEqual([200, "one"]);
    expect(await loaded(front)).toEqual(["one"]);
    expect((await ask(front, { model: "two" })).body["model"]).toBe("two");
    expect((await ask(front, { model: "one" })).body["model"]).toBe("one");
    expect(await loaded(front)).toEqual(["one", "two"]);
    expect(textOf(await ask(front, { model: "three" }))).toBe(textOf(first));
    expect(await loaded(front)).toEqual(["one", "three"]);
  });

  test("a model that answers is not unloaded, and who waits for another has the next one that is idle", async () => {
    const long = { max_tokens: 200, ignore_eos: true };
    const running = ["one", "two"].map((model) => ask(front, { model, ...long }));
    await until(async () => (await states(front)).filter(({ running: count }) => count === 1).length === 2);
    const third = ask(front, { model: "three" });
    expect((await Promise.all([...running, third])).map(({ status, body }) => [status, body["model"]])).toEqual([
      [200, "one"],
      [200, "two"],
      [200, "three"],
    ]);
  });

  test("their names, and those with a sampler, are listed and chosen", async () => {
    const list = await front.client.models.list();
    expect(list.data.map(({ id }) => id)).toEqual(["one", "two", "three", "one:own", "two:own", "three:own"]);
    const { choices } = await front.client.completions.create({ ...TEXT, temperature: null, model: "one:own" });
    expect(choices[0]!.text).toBe(textOf(await ask(front)));
    expect((await front.client.models.retrieve("two")).id).toBe("two");
    await expect(front.client.models.retrieve("four")).rejects.toMatchObject({ status: 404, code: "unknown_model" });
    expect((await ask(front, { model: "four" })).body.error).toMatchObject({
      code: "unknown_model",
      param: "model",
      message: expect.stringContaining("this server has `one`, `two`, `three`") as unknown,
    });
  });

  test("are in the lists of Ollama's and Anthropic's clients, and none is loaded for them", async () => {
    const fresh = await open([
      "--sampler",
      `own=${file("own.ggsl", 'import { greedy } from "std"\nchain c() = greedy()\n')}`,
    ]);
    try {
      const ollama = new Ollama({ host: fresh.url });
      const { models } = await ollama.list();
      expect(models.map(({ name }) => name)).toEqual(["one", "two", "three", "one:own", "two:own", "three:own"]);
      expect(models.every(({ size }) => size === statSync(DEMO_MODEL).size)).toBe(true);
      expect((await ollama.ps()).models).toEqual([]);
      const anthropic = new Anthropic({ baseURL: fresh.url, apiKey: "none", maxRetries: 0 });
      const ids: string[] = [];
      for await (const { type, id } of anthropic.models.list()) ids.push(`${type} ${id}`);
      expect(ids).toEqual(models.map(({ name }) => `model ${name}`));
      expect(await loaded(fresh)).toEqual([]);
      await ask(fresh, { model: "two" });
      const { models: running } = await ollama.ps();
      expect(running).toMatchObject([{ name: "two", context_length: 256, details: { family: "llama" } }]);
      const details = (await ollama.list()).models.map((model) => model.details.family);
      expect(details).toEqual(["", "llama", "", "", "llama", ""]);
    } finally {
      await fresh.close();
    }
  });

  test("all paths of a server with one model are answered, with `?model=` where there is no body", async () => {
    const props = await fetch(`${front.url}/props?model=two`);
    expect([props.status, await props.json()]).toEqual([200, expect.objectContaining({ model_alias: "two" })]);
    expect((await post(`${front.url}/tokenize`, { content: "In", model: "one" })).body["tokens"]).toBeDefined();
    const { body } = await post(`${front.url}/v1/samplers`, { sampler: "top_k(4) |> dist()", model: "one" });
    expect((await ask(front, { model: "one", sampler: body["id"], temperature: null })).status).toBe(200);
    // as Ollama's clients name it
    const raw = { prompt: "In", raw: true, options: { num_predict: 1 } };
    const ollama = new Ollama({ host: front.url });
    expect((await ollama.generate({ model: "two:latest", ...raw })).model).toBe("two:latest");
    expect((await ollama.show({ model: "two" })).details.format).toBe("gguf");
    expect((await post(`${front.url}/api/show`, { name: "two" })).status).toBe(200);
    expect((await post(`${front.url}/api/generate`, { model: "four", ...raw })).body).toMatchObject({
      error: expect.stringContaining("`four` does not exist") as unknown,
    });
    for (const path of ["/health", "/openapi.json", "/metrics", "/api/version"])
      expect((await fetch(front.url + path)).status).toBe(200);
    expect((await fetch(`${front.url}/v1/nothing`)).status).toBe(404);
    expect((await fetch(`${front.url}/v1/completions`)).status).toBe(405);
  });

  test("refusals, headers and ids of requests come as from the process itself", async () => {
    const bad = await ask(front, { top_p: 5 }, { "x-request-id": "mine-1" });
    expect([bad.status, bad.headers.get("x-request-id"), bad.body.error!["request_id"]]).toEqual([
      400,
      "mine-1",
      "mine-1",
    ]);
    const empty = await ask(front, { nothing: "" });
    expect(empty.headers.get("x-ggsl-ignored")).toBe("nothing");
  });

  test("a stream comes as it is written, and a client that goes away frees its place", async () => {
    const abort = new AbortController();
    const answer = await fetch(`${front.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...TEXT, model: "one", max_tokens: 230, ignore_eos: true, stream: true }),
      signal: abort.signal,
    });
    const reader = answer.body!.getReader();
    let chunks = 0;
    while (chunks < 5 && !(await reader.read()).done) chunks++;
    expect([chunks, (await states(front))[0]!.running]).toEqual([5, 1]);
    abort.abort();
    await until(async () => (await states(front))[0]!.running === 0);
    // both places of the process are free
    const texts = await Promise.all([1, 2].map(() => ask(front, { model: "one" })));
    expect(texts.map(({ status }) => status)).toEqual([200, 200]);
    const whole = await fetch(`${front.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...TEXT, model: "one", stream: true }),
    });
    const events = eventsOf(await whole.text()) as { choices: { text: string }[] }[];
    expect(events.map(({ choices }) => choices[0]!.text).join("")).toBe(textOf(texts[0]!));
  });
});

describe("a process that ends", () => {
  test("is a 503 with the reason, and is started again after a while", async () => {
    const front = await open(["--max-loaded-models", "2"]);
    try {
      await ask(front);
      const pids = childrenOf(front);
      const stream = await fetch(`${front.url}/v1/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...TEXT, max_tokens: 230, ignore_eos: true, stream: true }),
      });
      for (const pid of pids) process.kill(pid, "SIGKILL");
      expect(eventsOf(await stream.text().catch(() => "data: {}")).length).toBeGreaterThan(0);
      await until(async () => (await states(front))[0]!.state === "failed");
      const refused = await ask(front);
      expect([refused.status, refused.body.error!["code"]]).toEqual([503, "model_unavailable"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      // others are answered
      expect((await ask(front, { model: "two" })).status).toBe(200);
      await until(async () => (await ask(front)).status === 200);
    } finally {
      await front.close();
    }
  });

  test("a file that is no model is one, too", async () => {
    const front = await open([], ["bad=package.json"]);
    try {
      expect((await ask(front)).body.error).toMatchObject({ code: "model_unavailable", param: "model" });
      expect((await states(front))[0]).toMatchObject({ state: "failed", running: 0 });
    } finally {
      await front.close();
    }
  });
});

/** The processes with a model. */
function childrenOf({ running }: Opened): number[] {
  const isChild = (pid: string): boolean => {
    try {
      const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!;
      return Number(parent) === running.pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("front/child");
    } catch {
      // it has ended
      return false;
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isChild(name))
    .map(Number);
}

describe("the front has the limits of clients", () => {
  test("keys, bodies, names of hosts and pages of other origins", async () => {
    const apiKeys = file("keys", "sk-alice-1 alice work=1\nsk-bob-0001 bob\n");
    const front = await open(["--api-keys", apiKeys, "--cors", "https://example.org"]);
    try {
      expect((await ask(front)).status).toBe(401);
      const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
      const answer = await ask(front, {}, { ...bearer("sk-bob-0001"), origin: "https://example.org" });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "https://example.org"]);
      // the limits of a key hold in the process
      const costly = { sampler: "top_k(4) |> dist()", temperature: null };
      expect((await ask(front, costly, bearer("sk-alice-1"))).body.error).toMatchObject({ code: "sampler_too_costly" });
      expect((await ask(front, costly, bearer("sk-bob-0001"))).status).toBe(200);
      const large = await ask(front, { prompt: "a".repeat(2 ** 20) }, bearer("sk-bob-0001"));
      expect(large.status).toBe(413);
      const { port } = new URL(front.url);
      const status = await new Promise((resolve) => {
        request({ port, path: "/health", headers: { host: "evil.example" } }, (got) => resolve(got.statusCode)).end();
      });
      expect(status).toBe(403);
    } finally {
      await front.close();
    }
  });

  test("a process takes no requests but the front's", async () => {
    const told = {
      id: "a",
      name: "alice",
      limits: { requests: null, texts: 1, tokens: null, tokensPerMinute: null, cost: {} },
    };
    const process = await openBehind(
      { model: DEMO_MODEL, backend: "cpu", port: 0, sequences: 1, contextSize: 128, log: "off" },
      new ToldKeys("secret"),
    );
    try {
      const url = `${await process.listen()}/v1/completions`;
      const key = { "x-ggsl-key": Buffer.from(JSON.stringify(told)).toString("base64url") };
      for (const headers of [{}, key, { authorization: "Bearer secret" }, { ...key, authorization: "Bearer secre" }])
        expect((await post(url, TEXT, headers as Record<string, string>)).status).toBe(401);
      const answer = await post(url, TEXT, { ...key, authorization: "Bearer secret" });
      expect(answer.status).toBe(200);
    } finally {
      await process.close(0);
    }
  });
});

test("each request has one line of the log, with the client's address", async () => {
  const front = await open();
  try {
    await ask(front, {}, { "x-request-id": "mine-2" });
    await front.running.until(
      /"request_id":"mine-2","client":"127.0.0.1".*"path":"\/v1\/completions","status":200.*"tokens":6/,
    );
    await ask(front, { model: "four" }, { "x-request-id": "mine-3" });
    await front.running.until(/"request_id":"mine-3".*"error":"unknown_model"/);
    await front.close();
    const ids = [...front.running.output().matchAll(/"request_id":"(mine-\d)"/g)].map(([, id]) => id);
    expect(ids).toEqual(["mine-2", "mine-3"]);
  } finally {
    await front.close();
  }
});

test("the end of the front: running texts are written, what waits is refused, and no process is left", async () => {
  const front = await open();
  const stream = await fetch(`${front.url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...TEXT, max_tokens: 240, ignore_eos: true, stream: true }),
  });
  const waiting = ask(front, { model: "two" });
  await until(async () => ((await (await fetch(`${front.url}/ready`)).json()) as { waiting: number }).waiting === 1);
  const children = childrenOf(front);
  expect(children.length).toBe(1);
  front.running.kill("SIGTERM");
  expect((await waiting).body.error).toMatchObject({ code: "shutting_down" });
  expect(await stream.text()).toMatch(/"finish_reason":"length".*\n\ndata: \[DONE\]/);
  expect((await front.running.ended).status).toBe(0);
  expect(() => process.kill(children[0]!, 0)).toThrow("ESRCH");
});

test("processes end with a front that is killed", async () => {
  const front = await open();
  await ask(front);
  const [pid] = childrenOf(front);
  process.kill(front.running.pid, "SIGKILL");
  await until(() => {
    try {
      return Promise.resolve(!process.kill(pid!, 0));
    } catch {
      return Promise.resolve(true);
    }
  });
});

test("--check loads each model, and says what is wrong with one", async () => {
  const check = async (...words: string[]): Promise<readonly [number | null, string]> => {
    const running = start(["serve", "--check", "--sequences", "2", "--ctx-size", "128", ...words]);
    return [(await running.ended).status, running.output()];
  };
  const right = ["--model", `one=${DEMO_MODEL}`];
  expect(await check(...right, "--model", `two=${DEMO_MODEL}`)).toEqual([0, "the configuration is right\n"]);
  expect(await check(...right, "--model", "two=package.json")).toEqual([
    1,
    'error: not a GGUF file: package.json does not start with "GGUF"\n',
  ]);
  for (const [words, message] of [
    [[DEMO_MODEL, ...right], "is for one model, and --model NAME=FILE names several: give one of both"],
    [[...right, "--alias", "x"], "--alias is for one model"],
    [[DEMO_MODEL, "--max-loaded-models", "2"], "--max-loaded-models is for several models"],
    [[], "there is no model to serve: give a GGUF file, or several as --model NAME=FILE"],
  ] as const)
    expect(await check(...words)).toEqual([2, expect.stringContaining(message)]);
});

test.each([
  [{ models: [] }, "`models` must be a list of one or more models"],
  [{ models: [{ name: "a:b", file: "x" }] }, 'without blanks and colons, found "a:b"'],
  [{ models: ["a", "a"].map((name) => ({ name, file: "x" })) }, 'there are two models of the name "a"'],
  [{ models: [{ name: "a", file: "x" }], maxLoadedModels: 0 }, "`maxLoadedModels` must be an integer from 1, found 0"],
  [
    { models: [{ name: "a", file: "x" }], ssePingInterval: 0.5 },
    "`ssePingInterval` must be an integer from -1 to 3600",
  ],
])("options that are not right: %j", async (options, message) => {
  await expect((async () => openModelsServer(options))()).rejects.toThrow(message);
});
