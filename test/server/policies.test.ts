/** A policy of the server: what requests try, and what they see of it. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { detectWatermark } from "../../runtime/chain/watermark.js";
import { endAll, start } from "../cli/run.js";
import { DEMO_MODEL } from "../model/file.js";
import { open, type Answer, type Opened } from "./open.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-policy-"));
afterAll(() => rmSync(folder, { recursive: true }));
function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const PROMPT = "In the beginning";
const STD = 'import { dist, greedy } from "std"\n';
const E = "tokens(/e/)";
const template = "{% for message in messages %}{{ message.content }}{% endfor %}";

describe("tokens that are banned", () => {
  let server: Opened;
  let the: number[];
  beforeAll(async () => {
    const policy = file("no-e.ggsl", `sampler no_e() { keep token not in ${E} }\nchain before = no_e()\n`);
    const own = file(
      "own.ggsl",
      `${STD}sampler up() { logit += token in ${E} ? 50 : 0 }\nchain c = up() |> greedy()\n`,
    );
    server = await open({ policy, samplers: [{ name: "own", file: own }], lookup: true, template });
    const { body } = await server.post("/tokenize", { content: " the" });
    the = body["tokens"] as number[];
  });
  afterAll(() => server.close());

  const raised = (stages: string, more = ""): object => ({ sampler: `${STD}${more}chain c = ${stages}` });
  const TRIES: readonly (readonly [what: string, fields: () => object])[] = [
    ["nothing", () => ({})],
    ["a bias of the default chain", () => ({ logit_bias: Object.fromEntries(the.map((id) => [id, 100])) })],
    [
      "a bias in its own chain",
      () => raised("up() |> greedy()", `sampler up() { logit += token in ${E} ? 100 : 0 }\n`),
    ],
    ["logits of its own", () => raised("raw() |> greedy()", `sampler raw() { logit = token in ${E} ? 9 : -9 }\n`)],
    ["a set of banned tokens alone", () => raised("es() |> dist(1)", `sampler es() { keep token in ${E} }\n`)],
    ["a pick by another number", () => raised("own()", `sampler own() { pick argmax(token in ${E} ? 1 : 0) }\n`)],
    [
      "a column of the request",
      () => ({
        ...raised("up() |> greedy()", "input given: f32 sparse(8) = 0\nsampler up() { logit += given }\n"),
        sampler_inputs: { given: Object.fromEntries(the.map((id) => [id, 1000])) },
      }),
    ],
    ["stages on the host", () => ({ sampler: "host temp(9) |> host dist(1)" })],
    ["a grammar of banned tokens", () => ({ grammar: 'root ::= "e"+' })],
    ["allowed tokens", () => ({ allowed_token_ids: the })],
    ["a large temperature", () => ({ temperature: 2, seed: 1, n: 3 })],
    ["mirostat by fields", () => ({ mirostat: 2, mirostat_tau: 9 })],
    ["a text that does not end", () => ({ ignore_eos: true, min_tokens: 12 })],
    ["drafts from the prompt", () => ({ prompt: "we were here we were here we were", speculate: { lookup: true } })],
    ["probabilities of the rows", () => ({ logprobs: 5, post_sampling_probs: true })],
    ["a sampler of the server", () => ({ sampler: "own" })],
  ];

  test.each(TRIES)("%s", async (what, fields) => {
    const { status, body } = await server.post("/v1/completions", { prompt: PROMPT, max_tokens: 12, ...fields() });
    expect([what, status, body.error]).toEqual([what, 200, undefined]);
    const choices = body["choices"] as { text: string; logprobs?: { top_logprobs: object[] } }[];
    expect(choices.map(({ text }) => text).join("").length).toBeGreaterThan(0);
    for (const { text, logprobs } of choices) {
      expect([what, text]).toEqual([what, expect.not.stringContaining("e")]);
      expect(JSON.stringify(logprobs?.top_logprobs.map((one) => Object.keys(one)) ?? [])).not.toContain("e");
    }
  });

  test.each<[path: string, fields: object]>([
    [
      "/api/generate",
      { prompt: PROMPT, raw: true, stream: false, options: { num_predict: 12, temperature: 2, seed: 3 } },
    ],
    ["/v1/messages", { messages: [{ role: "user", content: PROMPT }], max_tokens: 12, top_k: 40 }],
    ["/v1/responses", { input: PROMPT, max_output_tokens: 16 }],
    [
      "/v1/chat/completions",
      { messages: [{ role: "user", content: PROMPT }], max_tokens: 12, response_format: { type: "json_object" } },
    ],
  ])("of %s", async (path, fields) => {
    const { status, body } = await server.post(path, { model: "demo", ...fields });
    expect([path, status, body.error ?? undefined]).toEqual([path, 200, undefined]);
    const { response, content, output, choices } = body as Record<string, never>;
    const text = JSON.stringify(
      response ?? content ?? (output as { content?: unknown }[] | undefined)?.map((o) => o.content) ?? choices,
    );
    const written = [...text.matchAll(/"(?:text|content)":"((?:[^"\\]|\\.)*)"/g)].map(([, one]) => one).join("");
    expect(response ?? written).not.toMatch(/e/);
    expect(response ?? written).not.toBe("");
  });

  test.each<[what: string, fields: object, param: string, message: RegExp]>([
    ["a spec", { sampler: { version: 2 } }, "sampler", /this server has a policy.*send the program/],
    ["phrases that are not written", { banned_phrases: ["a", "o"] }, "banned_phrases", /this server's policy/],
  ])("%s is refused", async (_, fields, param, message) => {
    const { status, body } = await server.post("/v1/completions", { prompt: PROMPT, max_tokens: 4, ...fields });
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ param, message: expect.stringMatching(message) }),
    ]);
  });
});

describe("a watermark", () => {
  const KEY = 15485863;
  let server: Opened;
  beforeAll(async () => {
    const policy = file(
      "marked.ggsl",
      `import { watermark } from "std"\nchain before_pick = watermark(${KEY}, delta: 4)\n`,
    );
    server = await open({ policy });
  });
  afterAll(() => server.close());

  const zOf = async ({ status, body }: Answer): Promise<number> => {
    expect([status, body.error]).toEqual([200, undefined]);
    const [{ text }] = body["choices"] as [{ text: string }];
    const { body: found } = await server.post("/tokenize", { content: text });
    return detectWatermark(found["tokens"] as number[], { key: KEY }).z;
  };

  test.each<[what: string, fields: object]>([
    ["the default chain", { seed: 1 }],
    ["a chain of the request", { sampler: "top_k(60) |> temp(1.1) |> dist(3)" }],
    ["a chain in a chain", { sampler: `${STD}chain last = dist(5)\nchain c = last()\n`, sampler_chain: "c" }],
    [
      "one that takes the mark away",
      { sampler: `${STD}import { watermark } from "std"\nchain c = watermark(${KEY}, delta: 0.5) |> dist(2)\n` },
    ],
  ])("is in the text of %s", async (_, fields) => {
    expect(
      await zOf(await server.post("/v1/completions", { prompt: PROMPT, max_tokens: 120, ...fields })),
    ).toBeGreaterThan(4);
  });

  test.each<[sampler: string, code: string, place: string]>([
    ["mirostat_v2()", "E0805", "sampler:1:1"],
    ["gumbel(1)", "E0805", "sampler:1:1"],
    ["temp(0.5) |> host dist(1)", "E0806", "sampler:1:14"],
  ])("%s is refused", async (sampler, code, place) => {
    const { status, body } = await server.post("/v1/completions", { prompt: PROMPT, max_tokens: 4, sampler });
    const { diagnostics, message } = body.error as { diagnostics: { code: string }[]; message: string };
    expect([status, diagnostics[0]!.code, message]).toEqual([400, code, expect.stringContaining(place)]);
    expect(JSON.stringify(body)).not.toContain(`${KEY}`);
  });

  test("nobody sees its key", async () => {
    const { body } = await server.post("/v1/samplers", { sampler: "top_k(40) |> temp(0.8) |> dist()" });
    expect(body["spec"]).toBeDefined();
    for (const text of [JSON.stringify(body), await server.get("/metrics"), await server.get("/props")])
      expect(text).not.toContain(`${KEY}`);
  });
});

describe("the command", () => {
  afterAll(endAll);
  const serve = (policy: string) =>
    start([
      "serve",
      DEMO_MODEL,
      "--backend",
      "cpu",
      "--sequences",
      "2",
      "--ctx-size",
      "256",
      "--port",
      "0",
      "--log-prompts",
      "--policy",
      policy,
    ]);

  test("ends with the diagnostic of a policy that requests could undo", async () => {
    const server = serve(file("soft.ggsl", "sampler soft() { logit -= token == 3 ? 9 : 0 }\nchain before = soft()\n"));
    expect((await server.ended).status).toBe(1);
    expect(server.output()).toMatch(/error: the policy cannot be used:\nerror\[E0803\][^]*soft\.ggsl:2:16/);
  });

  test("logs nothing of it", async () => {
    const server = serve(
      file("secret.ggsl", 'import { watermark } from "std"\nchain before_pick = watermark(424242)\n'),
    );
    const [url] = /http:\S+\d/.exec(await server.until(/at http:\/\/\S+: 2 texts/))!;
    const headers = { "content-type": "application/json" };
    for (const sampler of ["dist(1)", "mirostat()"])
      await fetch(`${url}/v1/completions`, {
        method: "POST",
        headers,
        body: JSON.stringify({ prompt: PROMPT, sampler }),
      });
    await server.until(/"status":400/);
    expect(server.output()).not.toContain("424242");
  });
});
