/** `/tokenize`, `/detokenize`, `/apply-template` and `/props`, which clients of llama-server ask for. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { most } from "../../server/http/limits.js";
import { DEMO_MODEL } from "../model/file.js";
import { open, postFrom, type Opened } from "./open.js";

const TEMPLATE = `{% if tools %}[{% for tool in tools %}{{ tool.function.name }}{% endfor %}]{% endif %}{% for m in messages %}{{ m.role }}: {{ m.content }}
{% endfor %}{% if add_generation_prompt %}assistant:{% if enable_thinking %} <think>{% endif %}{% endif %}`;

let server: Opened;
/** Its tokenizer is llama.cpp's. */
let native: NativeModel;
beforeAll(async () => {
  server = await open({ template: TEMPLATE, cors: ["https://example.org"] });
  native = await loadBinding().loadModel(DEMO_MODEL, { gpuLayers: 0, vocabOnly: true });
});
afterAll(async () => {
  native.dispose();
  await server.close(0);
});

const TEXTS = ["In the beginning", "", " ", "naïve 名前 🙂\n\n", "<|endoftext|>And", "x".repeat(3000)];

describe("texts and tokens", () => {
  const begin = (): string => Buffer.from(native.piece(native.info.bos, true)).toString();

  test.each(TEXTS.map((text) => [text.slice(0, 20), text] as const))(
    "%j has llama.cpp's tokens, and they have the text",
    async (_, text) => {
      const { body } = await server.post("/tokenize", { content: text });
      expect(body).toEqual({ tokens: [...native.tokenize(text, false, true)] });
      const { body: back } = await server.post("/detokenize", body);
      expect(back).toEqual({ content: text });
    },
  );

  test("add_special and parse_special are llama.cpp's", async () => {
    const content = `${begin()}And${begin()}`;
    for (const parse of [true, false]) {
      const { body } = await server.post("/tokenize", { content, add_special: false, parse_special: parse });
      expect(body["tokens"]).toEqual([...native.tokenize(content, false, parse)]);
    }
    const { body } = await server.post("/tokenize", { content: "And", add_special: true, model: "demo" });
    expect(body["tokens"]).toEqual([...native.tokenize("And", true, true)]);
    expect(body["tokens"]).toHaveLength(2);
  });

  test("pieces are texts, or bytes where they are none", async () => {
    const content = "And 名🙂";
    const { body } = await server.post("/tokenize", { content, with_pieces: true });
    const pieces = body["tokens"] as { id: number; piece: string | number[] }[];
    expect(pieces.map(({ id }) => id)).toEqual([...native.tokenize(content, false, true)]);
    for (const { id, piece } of pieces) expect([...Buffer.from(piece as string)]).toEqual([...native.piece(id, true)]);
    expect(new Set(pieces.map(({ piece }) => typeof piece))).toEqual(new Set(["string", "object"]));
  });

  test("long ones are answered whole, and what no list of a request could have is refused", async () => {
    const content = "And it came to pass. ".repeat(20_000);
    const { body } = await server.post("/tokenize", { content });
    const { body: pieces } = await server.post("/tokenize", { content, with_pieces: true });
    const tokens = body["tokens"] as number[];
    expect(tokens).toEqual([...native.tokenize(content, false, true)]);
    expect((pieces["tokens"] as { piece: string }[]).map(({ piece }) => piece).join("")).toBe(content);
    expect((await server.post("/detokenize", { tokens })).body).toEqual({ content });
    const { body: refused } = await server.post("/tokenize", { content: "é1".repeat(200_000) });
    expect(refused.error).toMatchObject({
      code: "request_too_complex",
      param: "content",
      message: expect.stringContaining(`at most ${most("items")}`) as unknown,
    });
  });

  test.each([
    ["/tokenize", {}, "missing_required_parameter", "content"],
    ["/tokenize", { content: 5 }, "invalid_request", "content"],
    ["/tokenize", { content: "a", with_pieces: "yes" }, "invalid_request", "with_pieces"],
    ["/tokenize", { content: "a", text: "a" }, "unknown_parameter", "text"],
    ["/tokenize", { content: "a", model: "other" }, "unknown_model", "model"],
    ["/detokenize", {}, "missing_required_parameter", "tokens"],
    ["/detokenize", { tokens: "a" }, "invalid_request", "tokens"],
    ["/detokenize", { tokens: [1, -1] }, "invalid_request", "tokens[1]"],
    ["/detokenize", { tokens: [1, 99_999] }, "invalid_request", "tokens[1]"],
    ["/apply-template", {}, "missing_required_parameter", "messages"],
    ["/apply-template", { messages: [{ role: "user" }] }, "invalid_request", "messages[0].content"],
    ["/apply-template", { messages: [{ role: "user", content: "a" }], n: 2 }, "unknown_parameter", "n"],
  ])("%s of %j is refused: %s, %s", async (path, request, code, param) => {
    const { status, body } = await server.post(path, request);
    expect([status, body.error?.["code"], body.error?.["param"]]).toEqual([
      code === "unknown_model" ? 404 : 400,
      code,
      param,
    ]);
  });

  test("a lane has a number of texts that wait, and others have room", async () => {
    const content = "And it came to pass. ".repeat(4000);
    const ask = (from: string) => postFrom(from, `${server.url}/tokenize`, { content });
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask("127.0.0.2")));
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, body } of refused)
      expect([status, body]).toEqual([429, expect.stringContaining("tokenizer_busy")]);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(200);
    expect((await ask("127.0.0.3")).status).toBe(200);
  });

  test("a client that goes away is no fault", async () => {
    const abort = new AbortController();
    const body = JSON.stringify({ content: "And it came to pass. ".repeat(30_000), with_pieces: true });
    const headers = { "content-type": "application/json" };
    const gone = fetch(`${server.url}/tokenize`, { method: "POST", headers, body, signal: abort.signal });
    setTimeout(() => abort.abort(), 5);
    await expect(gone).rejects.toThrow();
    expect((await server.post("/tokenize", { content: "And" })).status).toBe(200);
    expect(await server.get("/metrics")).not.toContain('route="/tokenize",status="500"');
  });
});

describe("a template", () => {
  const messages = [{ role: "user", content: "Hi" }];
  const find = { type: "function", function: { name: "find" } };
  const promptOf = async (fields: object): Promise<unknown> => {
    const { status, body } = await server.post("/apply-template", { messages, ...fields });
    return status === 200 ? body["prompt"] : body.error;
  };

  test("gives the prompt of a conversation", async () => {
    expect(await promptOf({})).toBe("user: Hi\nassistant:");
    expect(await promptOf({ add_generation_prompt: false })).toBe("user: Hi\n");
    expect(await promptOf({ tools: [find] })).toBe("[find]user: Hi\nassistant:");
    expect(await promptOf({ tools: [find], tool_choice: "none" })).toBe("user: Hi\nassistant:");
    expect(await promptOf({ chat_template_kwargs: { enable_thinking: true } })).toBe("user: Hi\nassistant: <think>");
    const parts = [{ role: "developer", content: [{ type: "text", text: "Speak" }] }, ...messages];
    expect(await promptOf({ messages: parts, tools: [], model: null })).toBe("system: Speak\nuser: Hi\nassistant:");
  });

  test("whose tokens a chat has", async () => {
    const { usage } = await server.client.chat.completions.create({
      model: "demo",
      messages: [{ role: "user", content: "Hi" }],
      max_completion_tokens: 1,
    });
    const { body } = await server.post("/tokenize", { content: await promptOf({}), add_special: true });
    expect(usage!.prompt_tokens).toBe((body["tokens"] as number[]).length);
  });

  test("long conversations are rendered in turns of their lanes", async () => {
    const long = Array.from({ length: 3000 }, (_, i) => ({
      role: i % 2 ? "assistant" : "user",
      content: `Verse ${i}`,
    }));
    const prompt = String(await promptOf({ messages: long }));
    expect(prompt).toBe(`${long.map(({ role, content }) => `${role}: ${content}\n`).join("")}assistant:`);
  });

  test("the refusal of a model without one, and of variables that it has itself", async () => {
    expect(await promptOf({ chat_template_kwargs: { messages: [] } })).toMatchObject({ code: "invalid_request" });
    const plain = await open({ sequences: 1 });
    try {
      expect((await plain.post("/apply-template", { messages })).body.error).toMatchObject({
        code: "no_chat_template",
        param: "messages",
      });
      expect(JSON.parse(await plain.get("/props"))).toMatchObject({ chat_template: "" });
    } finally {
      await plain.close(0);
    }
  });
});

describe("/props", () => {
  test("has what requests begin with", async () => {
    const { bos, eos } = native.info;
    const textOf = (token: number): string => Buffer.from(native.piece(token, true)).toString();
    expect(JSON.parse(await server.get("/props"))).toMatchObject({
      default_generation_settings: {
        n_ctx: 256,
        params: {
          ...{ temperature: 1, top_p: 1, min_p: 0, top_k: 0, repeat_penalty: 1, repeat_last_n: 64 },
          ...{ frequency_penalty: 0, presence_penalty: 0, seed: 4294967295 },
          samplers: ["penalties", "top_k", "top_p", "min_p", "temperature"],
        },
      },
      total_slots: 4,
      model_alias: "demo",
      // not where it is
      model_path: basename(DEMO_MODEL),
      modalities: { vision: false, audio: false },
      chat_template: TEMPLATE,
      bos_token: textOf(bos),
      eos_token: textOf(eos),
      is_sleeping: false,
    });
  });

  test("whose values change nothing", async () => {
    const { params } = (
      JSON.parse(await server.get("/props")) as { default_generation_settings: { params: Record<string, unknown> } }
    ).default_generation_settings;
    const { samplers: _, ...fields } = params;
    const ask = async (given: object): Promise<unknown> => {
      const { status, body } = await server.post("/v1/completions", { prompt: "And", temperature: 0, ...given });
      return [status, (body["choices"] as { text: string }[] | undefined)?.[0]?.text];
    };
    expect(await ask({ ...fields, temperature: 0 })).toEqual(await ask({}));
  });

  test("has the values of the chain that replaces the default", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggsl-props-"));
    writeFileSync(
      join(folder, "default.ggsl"),
      'import { temp, dist } from "std"\nchain house(temperature: f32 = 0.7) = temp(temperature) |> dist()\n',
    );
    const own = await open({ samplers: [{ name: "default", file: join(folder, "default.ggsl") }], sequences: 1 });
    try {
      const { default_generation_settings: settings } = JSON.parse(await own.get("/props")) as Record<
        string,
        { params: object }
      >;
      expect(Object.keys(settings!.params)).toEqual(["temperature", "ignore_eos", "stream"]);
      expect(settings!.params).toMatchObject({ temperature: expect.closeTo(0.7, 6) as unknown });
    } finally {
      await own.close(0);
      rmSync(folder, { recursive: true });
    }
  });
});

test("pages of other origins read all of them", async () => {
  const headers = { origin: "https://example.org", "content-type": "application/json" };
  for (const [path, body] of [
    ["/tokenize", { content: "And" }],
    ["/detokenize", { tokens: [1] }],
    ["/apply-template", { messages: [{ role: "user", content: "Hi" }] }],
    ["/props", undefined],
  ] as const) {
    const asked = await fetch(server.url + path, {
      method: "OPTIONS",
      headers: { ...headers, "access-control-request-method": body ? "POST" : "GET" },
    });
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, headers.origin]);
    const answer = await fetch(server.url + path, {
      headers,
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    expect([path, answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
      path,
      200,
      headers.origin,
    ]);
    expect(answer.headers.get("x-request-id")).not.toBeNull();
  }
});
