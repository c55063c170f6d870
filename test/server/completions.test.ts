import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { toSpec } from "../../compiler/graph/json.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { loadVocabulary } from "../../runtime/models/model.js";
import { DefaultChains, mostFor } from "../../server/engine/defaults.js";
import { DEMO_MODEL } from "../model/file.js";
import { eventsOf, open, type Opened } from "./open.js";

let server: Opened;
beforeAll(async () => {
  server = await open();
});
afterAll(() => server.close(0));

const PROMPT = "In the beginning";
const base = { model: "demo", prompt: PROMPT, max_tokens: 12, seed: 3, min_p: 0.1 } as const;

describe("the openai client", () => {
  test("a text, and the same text again with the same seed", async () => {
    const [first, second] = [
      await server.client.completions.create(base),
      await server.client.completions.create(base),
    ];
    expect(first.choices[0]!.text).toBe(second.choices[0]!.text);
    expect(first).toMatchObject({ object: "text_completion", model: "demo" });
    expect(first.choices[0]!.finish_reason).toBe("length");
    expect(first.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 12, total_tokens: 17 });
  });

  test("a stream has the same text, its usage when asked, and the reason in the last choice", async () => {
    const whole = await server.client.completions.create(base);
    const stream = await server.client.completions.create({
      ...base,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    const reasons: unknown[] = [];
    let usage: unknown;
    for await (const part of stream) {
      text += part.choices[0]?.text ?? "";
      reasons.push(part.choices[0]?.finish_reason);
      usage = part.usage;
    }
    expect(text).toBe(whole.choices[0]!.text);
    expect(reasons.slice(-2)).toEqual(["length", undefined]);
    expect(reasons.filter(Boolean)).toEqual(["length"]);
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 12 });
  });

  test("several prompts with several texts, each with its own seed", async () => {
    const { choices, usage } = await server.client.completions.create({ ...base, prompt: [PROMPT, "And"], n: 2 });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(new Set(choices.map(({ text }) => text)).size).toBe(4);
    expect(usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 48 });
    const third = await server.client.completions.create({ ...base, prompt: "And", seed: 5 });
    expect(third.choices[0]!.text.slice(0, 10)).toBe(choices[2]!.text.slice(0, 10));
  });

  test("a prompt that ends inside a word is healed, alone and beside others, and the token counts as one of the text", async () => {
    const asked = { ...base, prompt: "And the LORD comm", heal: true };
    const healed = await server.post("/v1/completions", asked);
    const plain = await server.post("/v1/completions", { ...asked, heal: false });
    const [{ text }] = healed.body["choices"] as [{ text: string }];
    expect(text).toMatch(/^[a-z]/);
    const usageOf = ({ body }: typeof healed) => body["usage"] as { prompt_tokens: number; completion_tokens: number };
    expect(usageOf(healed).prompt_tokens).toBe(usageOf(plain).prompt_tokens - 1);
    expect(usageOf(healed).completion_tokens).toBe(12);
    const together = await Promise.all(
      [asked, { ...asked, seed: 9 }, { ...asked, heal: false }].map((body) => server.post("/v1/completions", body)),
    );
    expect(together[0]!.body["choices"]).toMatchObject([{ text }]);
    const messages = [{ role: "user", content: "And" }];
    const { status, body } = await server.post("/v1/chat/completions", { messages, heal: true });
    expect([status, body.error]).toMatchObject([400, { param: "heal" }]);
  });

  test("token ids as a prompt", async () => {
    const text = await server.client.completions.create({ ...base, prompt: [1, 2, 3], temperature: 0 });
    expect(text.usage!.prompt_tokens).toBe(3);
    const { body } = await server.post("/v1/completions", { ...base, prompt: [1, 5000] });
    expect(body.error).toMatchObject({
      param: "prompt[1]",
      message: expect.stringContaining("5000 is not a token") as unknown,
    });
  });

  test("a stop text ends the text and is no part of it", async () => {
    const greedy = { ...base, temperature: 0, max_tokens: 20 };
    const { choices } = await server.client.completions.create({ ...greedy, stop: [" LORD", "zzz"] });
    expect(choices[0]).toMatchObject({ finish_reason: "stop", text: " of the" });
  });

  test("log-probabilities are the model's own", async () => {
    const { choices } = await server.client.completions.create({ ...base, max_tokens: 3, logprobs: 2 });
    const { tokens, token_logprobs, top_logprobs, text_offset } = choices[0]!.logprobs!;
    expect(tokens!.join("")).toBe(choices[0]!.text);
    expect(text_offset).toEqual([0, tokens![0]!.length, tokens![0]!.length + tokens![1]!.length]);
    for (const [i, logprob] of token_logprobs!.entries()) {
      expect(logprob).toBeLessThanOrEqual(0);
      expect(Object.keys(top_logprobs![i]!).length).toBe(2);
    }
  });

  test("penalties, biases and top_k go to the default chain", async () => {
    const ask = async (more: object): Promise<string> =>
      (await server.client.completions.create({ ...base, temperature: 0, ...more })).choices[0]!.text;
    const text = await ask({});
    const [first] = (await server.post("/v1/completions", { ...base, temperature: 0, max_tokens: 1, logprobs: 0 }))
      .body["choices"] as { logprobs: { tokens: string[] } }[];
    expect(text.startsWith(first!.logprobs.tokens[0]!)).toBe(true);
    // the likeliest first token of the demo model is " of"
    const banned = await ask({ logit_bias: { [tokenOf(" of")]: -100 } });
    expect(banned).not.toBe(text);
    expect(banned.startsWith(" of")).toBe(false);
    expect(await ask({ temperature: 1.5, top_k: 1 })).toBe(text);
    expect(await ask({ frequency_penalty: 2, presence_penalty: 2, max_tokens: 40 })).not.toBe(
      await ask({ max_tokens: 40 }),
    );
  });
});

test("top_k of the default chain is the stage of that name, and 0 is none", async () => {
  const { model, prompt } = base;
  const ask = async (more: object): Promise<string> =>
    (await server.client.completions.create({ model, prompt, seed: 11, max_tokens: 24, ...more })).choices[0]!.text;
  for (const k of [2, 40, 64, 65, 1000, 10_000])
    expect([k, await ask({ temperature: 1.4, top_k: k })]).toEqual([
      k,
      await ask({ sampler: `top_k(${k}) |> temp(1.4) |> dist()` }),
    ]);
  expect(await ask({ temperature: 1.4, top_k: 0 })).toBe(await ask({ temperature: 1.4 }));
});

/** The id of a token. */
const tokenOf = (text: string): number => pieces.indexOf(text);
let pieces: readonly string[];
beforeAll(async () => {
  ({ pieces } = await loadVocabulary(DEMO_MODEL));
});

test("all variants of the default chain are compiled before a request asks for one", () => {
  const chains = new DefaultChains();
  const { chains: compiled } = chains as unknown as { readonly chains: ReadonlyMap<string, unknown> };
  const { size } = compiled;
  for (const most of [undefined, mostFor(1), mostFor(64), mostFor(65)])
    for (const edits of [false, true])
      for (const constrained of [false, true])
        expect(chains.of({ most, edits, constrained })).toBe(chains.of({ most, edits, constrained }));
  expect([size, compiled.size]).toEqual([12, 12]);
});

describe("a sampler of the request", () => {
  const ask = (fields: object) => server.post("/v1/completions", { ...base, min_p: null, ...fields });
  const textOf = ({ body }: Awaited<ReturnType<typeof ask>>): string =>
    (body["choices"] as { text: string }[])[0]!.text;

  test("a pipeline, a program, a spec and the id of one that was compiled", async () => {
    const pipeline = "top_k(40) |> temp(0.7) |> dist()";
    const program = 'import { top_k, temp, dist } from "std"\nchain c(t: f32 = 0.7) = top_k(40) |> temp(t) |> dist()';
    const spec = toSpec(compilePipeline(pipeline).graph);
    const { body, status } = await server.post("/v1/samplers", { sampler: pipeline });
    expect(status).toBe(200);
    // one after the other: beside others, a text's logits differ in their last digits
    const texts = [];
    for (const sampler of [pipeline, program, spec, body["id"]]) texts.push(await ask({ sampler }));
    expect(new Set(texts.map(textOf)).size).toBe(1);
    const hot = await ask({ sampler: program, sampler_params: { t: 0 } });
    expect(textOf(hot)).not.toBe(textOf(texts[0]!));
  });

  test("an error says where it is", async () => {
    const { status, body } = await ask({ sampler: "topk(40) |> dist()" });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      param: "sampler",
      type: "invalid_request_error",
      code: "invalid_sampler",
      line: 1,
      column: 1,
      diagnostics: [{ code: "E0202", line: 1, column: 1, help: expect.stringContaining("top_k") as unknown }],
    });
  });

  test("the request's own parameters set uniforms of the same name, and nothing else", async () => {
    const program = 'import { temp, dist } from "std"\nchain c(temperature: f32 = 1) = temp(temperature) |> dist()';
    const cold = await ask({ sampler: program, temperature: 0 });
    const greedy = await ask({ sampler: "greedy()", seed: null });
    expect(textOf(cold)).toBe(textOf(greedy));
    for (const [fields, param] of [
      [{ sampler: program, top_p: 0.5 }, "top_p"],
      [{ sampler: "greedy()", seed: 1 }, "seed"],
      [{ sampler: program, logit_bias: { 1: 1 } }, "logit_bias"],
    ] as const)
      expect((await ask(fields)).body.error).toMatchObject({ param, code: "parameter_not_in_sampler" });
    const twice = await ask({ sampler: program, temperature: 0.5, sampler_params: { temperature: 2 } });
    expect(twice.body.error).toMatchObject({ param: "temperature", code: "invalid_request" });
  });

  test("a stop of the chain ends the text, alone and in a stream, of each choice by its own", async () => {
    const program = `import { temp } from "std"
sampler until(seed: seed) {
  pick sample(seed)
  stop when step >= 2 and mean(-log(picked(prob)), last: 3) > 1.5 as "unsure"
  stop when step >= 6 as "long"
}
chain c(seed: seed = 1) = temp(0.8) |> until(seed)`;
    const { body } = await ask({ sampler: program, n: 3, seed: 5, max_tokens: 12, ignore_eos: true });
    const { choices } = body as { choices: { text: string; finish_reason: string; stop_reason: string }[] };
    for (const choice of choices) expect(choice).toMatchObject({ finish_reason: "stop" });
    expect(choices.every(({ stop_reason }) => ["unsure", "long"].includes(stop_reason))).toBe(true);
    const fields = { sampler: program, seed: 5, max_tokens: 12, ignore_eos: true, stream: true };
    const answer = await fetch(`${server.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "demo", prompt: PROMPT, ...fields }),
    });
    const last = eventsOf(await answer.text()).at(-1) as { choices: object[] };
    expect(last.choices[0]).toMatchObject({ finish_reason: "stop", stop_reason: choices[0]!.stop_reason });
  });

  test("inputs and measures", async () => {
    const program = `
      import { dist } from "std"
      input wanted: f32 sparse(4) = 0
      sampler push() { logit += wanted  measure spread = max(logit) - mean(logit) }
      chain c() = push() |> dist()`;
    const token = tokenOf(" LORD");
    const { body } = await ask({ sampler: program, sampler_inputs: { wanted: { [token]: 1000 } }, measures: true });
    expect(body["choices"]).toMatchObject([
      { text: " LORD".repeat(12), measures: { spread: expect.any(Array) as unknown } },
    ]);
    const text = await (
      await fetch(`${server.url}/v1/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          ...base,
          min_p: null,
          sampler: program,
          sampler_inputs: { wanted: {} },
          measures: true,
          stream: true,
        }),
      })
    ).text();
    expect(eventsOf(text)[0]).toMatchObject({ choices: [{ measures: { spread: expect.any(Number) as unknown } }] });
    expect((await ask({ sampler: program })).body.error).toMatchObject({ param: "sampler_inputs" });
  });

  test("one that makes a logit infinite ends the text with what is wrong", async () => {
    const { status, body } = await ask({ sampler: "top_k(8) |> host temp(1e-40) |> host dist()" });
    expect([status, body.error]).toMatchObject([400, { code: "sampler_failed", param: "sampler" }]);
  });

  test("one that picks no token is refused", async () => {
    expect((await ask({ sampler: "top_k(4)" })).body.error).toMatchObject({
      param: "sampler",
      code: "invalid_sampler",
    });
  });
});
