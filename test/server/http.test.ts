/** What all requests have in common: errors, keys, headers, the log, static files. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Fastify from "fastify";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AuthenticationError, OpenAI } from "openai";
import { REQUEST_TIMES } from "../../server/http/limits.js";
import { PATHS } from "../../server/request/forms.js";
import { bodySchema, FIELDS, fieldsOn, type Endpoint } from "../../server/request/fields.js";
import { addFiles, filePaths } from "../../server/routes/files.js";
import { ROUTES } from "../../server/routes/openapi.js";
import { Refusal } from "../../server/refusal.js";
import { open, type Opened } from "./open.js";

const BODIES = {
  chat: { messages: [{ role: "user", content: "Hi" }] },
  completions: { prompt: "And" },
  logits: { prompt: "And" },
  template: { messages: [{ role: "user", content: "Hi" }] },
  tokenize: { content: "And" },
  detokenize: { tokens: [1] },
} as const satisfies Readonly<Record<Endpoint, object>>;

let server: Opened;
beforeAll(async () => {
  server = await open({ files: "test/server/site" });
});
afterAll(() => server.close(0));

const refused = async (endpoint: Endpoint, fields: object) =>
  (await server.post(PATHS[endpoint], { ...BODIES[endpoint], max_tokens: 1, ...fields })).body.error;

test("a connection that is kept open has its time", async () => {
  const { headers } = await fetch(`${server.url}/health`);
  expect(headers.get("keep-alive")).toBe(`timeout=${REQUEST_TIMES.idle / 1000}`);
});

describe("fields", () => {
  test("each that is not done is refused with its reason", async () => {
    for (const [name, { on, support, about }] of Object.entries(FIELDS))
      if (support === "no")
        expect(await refused(on[0]!, { [name]: "x" })).toMatchObject({
          param: name,
          code: "unsupported_parameter",
          message: expect.stringContaining(about) as unknown,
        });
  });

  test("each that is done in part is refused beyond it", async () => {
    const beyond = {
      stream_options: { include_obfuscation: true },
      tool_choice: { type: "allowed_tools" },
      best_of: 2,
      echo: true,
      service_tier: "priority",
      store: true,
      modalities: ["audio"],
    };
    const partly = Object.entries(FIELDS).filter(([, { support }]) => support === "partly");
    expect(Object.keys(beyond).sort()).toEqual(partly.map(([name]) => name).sort());
    for (const [name, value] of Object.entries(beyond))
      expect(await refused(FIELDS[name as keyof typeof beyond].on[0]!, { [name]: value })).toMatchObject({
        param: name,
        code: "unsupported_parameter",
      });
  });

  test("null counts as absent", async () => {
    const names = fieldsOn("completions").flatMap(([name, { isRequired }]) => (isRequired ? [] : [name]));
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    expect((await server.post("/v1/completions", { ...BODIES.completions, ...nulls, max_tokens: 1 })).status).toBe(200);
  });

  test.each([
    [{ temperature: "hot" }, "temperature", '`temperature` must be a number from 0 to 2, found "hot"'],
    [{ temperature: 3 }, "temperature", "`temperature` must be a number from 0 to 2, found 3"],
    [{ logit_bias: { 5: 200 } }, "logit_bias.5", "`logit_bias.5` must be a number from -100 to 100, found 200"],
    [{ logit_bias: { x: 2 } }, "logit_bias", "`logit_bias` must have token ids as names, found `x`"],
    [
      { prompt: 5 },
      "prompt",
      "`prompt` must be a text, a list of 1 to 64 texts, a list of 1 or more integers, or a list of 1 to 64 lists, found 5",
    ],
    [{ logprobs: true }, "logprobs", "`logprobs` must be an integer from 0 to 20, found true"],
    [{ min_tokens: 5 }, "min_tokens", "`min_tokens` must be at most `max_tokens`, 1, found 5"],
    [{ sampler_chain: "c" }, "sampler_chain", "`sampler_chain` needs `sampler`"],
    [{ id_slot: 9 }, "id_slot", "`id_slot` must be at most 3"],
    [{ stop: [5] }, "stop[0]", "`stop[0]` must be a text, found 5"],
    [{ max_tokens: -2 }, "max_tokens", "`max_tokens` must be an integer from -1, found -2"],
    [{ prompt: [] }, "prompt", "found []"],
    [{ prompt: [[]] }, "prompt[0]", "found []"],
    [{ prompt: null }, "prompt", "missing parameter `prompt`"],
    [{ logit_bias: 5 }, "logit_bias", "`logit_bias` must be an object, found 5"],
    [{ logit_bias: [0] }, "logit_bias", "`logit_bias` must be an object, found [0]"],
  ])("%j", async (fields, param, message) => {
    expect(await refused("completions", fields)).toMatchObject({
      param,
      type: "invalid_request_error",
      message: expect.stringContaining(message) as unknown,
    });
  });

  test("one that nothing knows is an error, and a header of a lenient server", async () => {
    expect(await refused("completions", { messages: [{}] })).toMatchObject({
      param: "messages",
      code: "unknown_parameter",
    });
    const lenient = await open({ lenient: true, sequences: 1 });
    try {
      const { status, headers } = await lenient.post("/v1/completions", {
        prompt: "And",
        max_tokens: 1,
        foo: 1,
        bar: 2,
      });
      expect([status, headers.get("x-ggsl-ignored")]).toEqual([200, "foo, bar"]);
      const stream = await fetch(`${lenient.url}/v1/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ prompt: "And", max_tokens: 1, stream: true, foo: 1 }),
      });
      expect(stream.headers.get("x-ggsl-ignored")).toBe("foo");
      await stream.text();
    } finally {
      await lenient.close(0);
    }
  });

  test("the OpenAPI page has the schemas of the bodies", async () => {
    const page = JSON.parse(await server.get("/openapi.json")) as {
      paths: Record<string, { post: { requestBody: { content: Record<string, { schema: object }> } } }>;
    };
    const { schema } = page.paths["/v1/completions"]!.post.requestBody.content["application/json"]!;
    expect(schema).toMatchObject({ required: bodySchema("completions")["required"] });
    expect(schema).toHaveProperty("properties.sampler.description");
    expect(schema).not.toHaveProperty("properties.suffix");
  });
});

describe("requests that are no requests", () => {
  test.each([
    ["{", 400, "invalid_json"],
    ["", 400, "invalid_json"],
    ["[]", 400, "invalid_request"],
    ['{"__proto__":{}}', 400, "invalid_json"],
    ["{}", 400, "missing_required_parameter"],
    [JSON.stringify({ prompt: "x".repeat(2 ** 20) }), 413, "request_too_large"],
    ['{"prompt":"And","model":"gpt"}', 404, "unknown_model"],
  ])("%#", async (text, status, code) => {
    const answer = await server.post("/v1/completions", text);
    expect([answer.status, answer.body.error!["code"]]).toEqual([status, code]);
  });

  test("other types, paths and methods", async () => {
    const text = await server.post("/v1/completions", "prompt=And", { "content-type": "text/plain" });
    expect([text.status, text.body.error!["code"]]).toEqual([415, "unsupported_media_type"]);
    expect((await server.post("/v1/nothing", {})).body.error).toMatchObject({
      code: "unknown_route",
      message: "there is no /v1/nothing: /openapi.json lists the paths",
    });
    expect(await server.get("/openapi.json")).toContain("/v1/completions");
    const method = await server.post("/v1/models", {});
    expect([method.status, method.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    await expect(server.client.models.retrieve("other")).rejects.toMatchObject({ status: 404, code: "unknown_model" });
    expect((await server.client.models.list()).data).toMatchObject([{ id: "demo", object: "model" }]);
  });

  test("bytes that are no HTTP, and a body that is shorter than it says", async () => {
    const send = (text: string): Promise<string> =>
      new Promise((resolve) => {
        let answer = "";
        const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
        socket.on("data", (part) => (answer += String(part))).on("close", () => resolve(answer));
        socket.on("error", () => undefined);
        socket.end(text);
      });
    expect(await send("hello\r\n\r\n")).toContain("400 Bad Request");
    const head =
      "POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n";
    await send(`${head}{"prompt":`);
    expect(await server.get("/health")).toBe('{"status":"ok"}');
  });
});

describe("static files", () => {
  test("have their types and may be kept while they are the same", async () => {
    const page = await fetch(server.url);
    const { headers } = page;
    expect(await page.text()).toBe('<!doctype html><meta name="ggsl-server" content="open" /><title>page</title>\n');
    expect(["content-type", "x-content-type-options", "cache-control"].map((name) => headers.get(name))).toEqual([
      ...["text/html; charset=utf-8", "nosniff", "no-cache"],
    ]);
    const again = await fetch(server.url, { headers: { "if-none-match": headers.get("etag")! } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await fetch(`${server.url}/app.js`)).headers.get("content-type")).toContain("javascript");
  });

  test("are one route in the metrics, whatever their names", async () => {
    for (const path of ["/", "/index.html", "/app.js", "/nothing.js"]) await (await fetch(server.url + path)).text();
    const routes = new Set((await server.get("/metrics")).match(/(?<=ggsl_requests_total\{route=")[^"]*/g));
    expect([...routes]).toEqual(expect.arrayContaining(["/", "/*", "unknown"]));
    expect([...routes].filter((route) => route.includes("."))).toEqual(["/openapi.json"]);
  });

  test("are read again when they have changed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggsl-site-"));
    const write = (text: string, seconds: number): void => {
      writeFileSync(join(folder, "app.js"), text);
      utimesSync(join(folder, "app.js"), seconds, seconds);
    };
    write("one", 1);
    const app = Fastify();
    addFiles(app, filePaths({ folder, areHashed: false, needsKey: false }), () => new Refusal("unknown_route", "none"));
    const url = await app.listen();
    const get = async (known = "") => {
      const answer = await fetch(`${url}/app.js`, { headers: { "if-none-match": known } });
      return { status: answer.status, body: await answer.text(), tag: answer.headers.get("etag")! };
    };
    const first = await get();
    expect(first).toMatchObject({ status: 200, body: "one" });
    expect(await get(first.tag)).toMatchObject({ status: 304, body: "" });
    write("two", 2);
    const second = await get(first.tag);
    expect(second).toMatchObject({ status: 200, body: "two" });
    expect(second.tag).not.toBe(first.tag);
    await app.close();
    rmSync(folder, { recursive: true });
  });

  test("of any names are served, but those that begin with a dot", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggsl-site-"));
    const names = [
      "a b.txt",
      "*",
      ":id",
      "a:b*c.txt",
      "100%.txt",
      "ü.txt",
      "#x?.txt",
      "a::b",
      "(x)",
      "a(\\\\d+).txt",
      "**/:x/y.txt",
      ".well-known/x.txt",
    ];
    const hidden = [".env", ".git/config", "assets/.secret", ".well-known/.x"];
    for (const name of [...names, ...hidden]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), name);
    }
    const own = await open({ files: folder, sequences: 1 });
    const urlOf = (name: string): string => `${own.url}/${name.split("/").map(encodeURIComponent).join("/")}`;
    try {
      for (const name of names) {
        const answer = await fetch(urlOf(name));
        expect([name, answer.status, await answer.text()]).toEqual([name, 200, name]);
        const other = await fetch(urlOf(name), { method: "POST" });
        expect([name, other.status, other.headers.get("allow")]).toEqual([name, 405, "GET, HEAD"]);
        expect(await other.text()).toContain("takes GET, HEAD, found POST");
      }
      for (const name of [...hidden, "anything", "a b"])
        expect([name, (await fetch(urlOf(name))).status]).toEqual([name, 404]);
      expect((await fetch(own.url)).status).toBe(200);
      // one that is removed is not there
      rmSync(join(folder, "ü.txt"));
      expect((await fetch(urlOf("ü.txt"))).status).toBe(404);
    } finally {
      await own.close(0);
      rmSync(folder, { recursive: true });
    }
  });

  test("are the only ones", async () => {
    const { hostname, port } = new URL(server.url);
    // fetch would resolve the dots itself
    const raw = (path: string): Promise<string> =>
      new Promise((resolve) => {
        let answer = "";
        const socket = connect(Number(port), hostname);
        socket.on("data", (part) => (answer += String(part))).on("close", () => resolve(answer));
        socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
      });
    for (const path of ["/../open.ts", "/%2e%2e/open.ts", "/..%2fopen.ts", "//etc/passwd", "/nothing.js"])
      expect(await raw(path)).toMatch(/^HTTP\/1.1 404 /);
  });
});

describe("keys", () => {
  let folder: string;
  let guarded: Opened;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ggsl-keys-"));
    writeFileSync(join(folder, "keys"), "sk-right-and-long alice requests=1\n");
    guarded = await open({ apiKeys: join(folder, "keys"), sequences: 2 });
  });
  afterAll(async () => {
    await guarded.close(0);
    rmSync(folder, { recursive: true });
  });

  test("are asked for by the paths that need one, and by no others", async () => {
    for (const route of Object.keys(ROUTES)) {
      const [method = "", path = ""] = route.split(" ");
      const { status } = await fetch(guarded.url + path, { method });
      const needsOne = !["/health", "/ready", "/openapi.json", "/"].includes(path);
      expect([route, status === 401]).toEqual([route, needsOne]);
    }
  });

  test("are asked for by what needs one", async () => {
    const client = (apiKey: string) => new OpenAI({ baseURL: `${guarded.url}/v1`, apiKey, maxRetries: 0 });
    const ask = { model: "demo", prompt: "And", max_tokens: 1 };
    await expect(client("sk-wrong").completions.create(ask)).rejects.toBeInstanceOf(AuthenticationError);
    expect((await client("sk-right-and-long").completions.create(ask)).choices).toHaveLength(1);
    const statuses = ["/v1/models", "/metrics", "/health", "/ready", "/"].map(
      async (path) => (await fetch(guarded.url + path)).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 401, 200, 200, 200]);
  });

  test("a key at its limit waits, and others do not", async () => {
    const headers = { authorization: "Bearer sk-right-and-long" };
    const body = { prompt: "And", max_tokens: 30, ignore_eos: true };
    const answers = await Promise.all([1, 2, 3].map(() => guarded.post("/v1/completions", body, headers)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
