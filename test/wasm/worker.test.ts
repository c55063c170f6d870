/** A model in a worker: page and worker at both ends of a channel, as in a browser. */
import { afterEach, beforeEach, expect } from "@jest/globals";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { writeSpec } from "../../compiler/graph/json.js";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { loadModelFromBytes, type Model } from "../../runtime/models/model.js";
import { llamaModulePath } from "../../runtime/core/root.js";
import { ModelWorker, type WorkerGeneration } from "../../runtime/models/thread/client.js";
import type { WebPort } from "../../runtime/core/requests.js";
import type { Token } from "../../runtime/models/thread/messages.js";
import { serve } from "../../runtime/models/thread/serve.js";
import { DEMO_MODEL } from "../model/file.js";
import { llamaTest } from "./llamaTest.js";

const PROMPT = "In the beginning";
const greedy = compilePipeline("greedy()");
const WARM = compile('import { temp, dist } from "std"\nchain warm(t: f32 >= 0 = 1) = temp(t) |> dist(5)');

let channel: { readonly port1: WebPort & { close(): void }; readonly port2: WebPort };
let worker: ModelWorker;
beforeEach(() => {
  channel = new MessageChannel() as unknown as typeof channel;
  serve(channel.port1);
  worker = new ModelWorker(channel.port2);
});
afterEach(() => channel.port1.close());

const MODULE = pathToFileURL(llamaModulePath());
const load = () => worker.load(readFileSync(DEMO_MODEL), MODULE);

async function all(generation: WorkerGeneration): Promise<Token[]> {
  const tokens: Token[] = [];
  for await (const token of generation) tokens.push(token);
  return tokens;
}

/** The same without a worker. */
const loadHere = (): Promise<Model> => loadModelFromBytes(readFileSync(DEMO_MODEL), { backend: "wasm" });

llamaTest("tokens come with their probability and the likeliest others, and are those without a worker", async () => {
  const info = await load();
  expect(info).toMatchObject({ vocabSize: 2048, trainedContextSize: 512 });
  const generation = worker.generate(PROMPT, { chain: greedy, maxTokens: 12, alternatives: 3 });
  const tokens = await all(generation);
  using model = await loadHere();
  const expected = [];
  for await (const piece of model.generate(PROMPT, { chain: greedy, maxTokens: 12 })) expected.push(piece);
  expect(tokens.map(({ token, text }) => ({ token, text }))).toEqual(expected);
  for (const { token, probability, alternatives } of tokens) {
    expect(alternatives).toHaveLength(3);
    expect(alternatives![0]).toEqual({ token, text: model.textOf(token), probability });
    expect(probability! >= alternatives![1]!.probability).toBe(true);
  }
  const { finish, stats } = await generation.end;
  expect([finish, stats!.generatedTokens, stats!.graphBuilds]).toEqual(["maxTokens", 12, 2]);
});

llamaTest("tokens have the chain's next states, which follow its rule", async () => {
  await load();
  const [tau, eta] = [3, 0.1];
  const chain = compilePipeline(`mirostat_v2(${tau}, ${eta}, 5)`);
  const tokens = await all(worker.generate(PROMPT, { chain, maxTokens: 8, states: true, alternatives: 1 }));
  let mu = 2 * tau;
  for (const { states, probability } of tokens) {
    mu -= eta * (-Math.log2(probability!) - tau);
    expect(states!["mu"]).toBeCloseTo(mu, 4);
  }
  const [plain] = await all(worker.generate(PROMPT, { chain, maxTokens: 1 }));
  expect(plain).toEqual({ token: tokens[0]!.token, text: tokens[0]!.text });
});

llamaTest("logits and texts of tokens are available during a generation", async () => {
  const { vocabSize } = await load();
  const running = all(worker.generate(PROMPT, { chain: greedy, maxTokens: 3 }));
  const logits = worker.logits(PROMPT);
  // `textsOf` does not wait for the running generation
  const texts = await worker.textsOf(Int32Array.of(300, 5, 301));
  using model = await loadHere();
  expect(texts).toEqual([300, 5, 301].map((token) => model.textOf(token)));
  expect(await logits).toHaveLength(vocabSize);
  const { token } = await greedy.evaluate(await logits, { backend: "cpu" });
  expect(token).toBe((await running)[0]!.token);
  await expect(worker.textsOf(Int32Array.of(2048))).rejects.toThrow(
    "`tokens[0]` must be an integer from 0 to 2047, found 2048",
  );
  await expect(worker.logits("word ".repeat(600))).rejects.toThrow(/the prompt has \d+ tokens/);
  await expect(worker.logits(PROMPT, { contextSize: 1.5 })).rejects.toThrow("`contextSize` must be");
});

llamaTest("uniforms change during a generation, and bad ones are refused without stopping it", async () => {
  await load();
  const generation = worker.generate(PROMPT, { chain: WARM, maxTokens: 400, alternatives: 2 });
  const tokens: Token[] = [];
  for await (const token of generation) {
    tokens.push(token);
    if (tokens.length === 5) {
      await expect(generation.setUniforms({ t: -1 })).rejects.toThrow("`t` must be");
      await expect(generation.setUniforms({ x: 1 })).rejects.toThrow("has no uniform `x`");
      await generation.setUniforms({ t: 0 });
    }
  }
  const sure = tokens.map(({ probability }) => probability === 1);
  // at temperature 0 only the best row is left; the worker may be some tokens ahead
  const since = sure.indexOf(true);
  expect(sure.slice(0, 5)).toEqual([false, false, false, false, false]);
  expect(since).toBeLessThan(350);
  expect(sure.slice(since)).not.toContain(false);
  expect(tokens).toHaveLength(400);
  await expect(generation.setUniforms({ t: 1 })).rejects.toThrow("it has ended");
});

llamaTest("a generation is cancelled between two tokens, by a call or by leaving its loop", async () => {
  await load();
  const first = worker.generate(PROMPT, { chain: greedy });
  for await (const _ of first) first.cancel();
  const { finish, stats } = await first.end;
  expect(finish).toBe("cancelled");
  expect(stats!.generatedTokens).toBeLessThan(300);
  const second = worker.generate(PROMPT, { chain: greedy });
  for await (const _ of second) break;
  expect((await second.end).finish).toBe("cancelled");
  second.cancel();
});

llamaTest("concurrent generations run one after the other; a waiting one can be cancelled", async () => {
  await load();
  const order: number[] = [];
  const options = { chain: greedy, maxTokens: 6 };
  const generations = [1, 2, 3].map(() => worker.generate(PROMPT, options));
  generations[1]!.cancel();
  const [one, two, three] = await Promise.all(
    generations.map(async (generation, i) => {
      const tokens: number[] = [];
      for await (const { token } of generation) {
        tokens.push(token);
        order.push(i);
      }
      return tokens;
    }),
  );
  expect(await generations[1]!.end).toEqual({ finish: "cancelled" });
  expect([one!.length, two, three]).toEqual([6, [], one]);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  const many = Array.from({ length: 20 }, () => worker.generate(PROMPT, options).end.then(() => "ran", String));
  const outcomes = await Promise.all(many);
  expect(outcomes.filter((outcome) => outcome === "ran")).toHaveLength(16);
  expect(outcomes.at(-1)).toMatch("16 requests are already waiting");
});

llamaTest("a bad request fails alone, and the worker continues", async () => {
  await expect(all(worker.generate(PROMPT, { chain: greedy }))).rejects.toThrow("no model is loaded: load one first");
  await expect(worker.logits(PROMPT)).rejects.toThrow("no model is loaded: load one first");
  await expect(worker.textsOf(Int32Array.of(1))).rejects.toThrow("no model is loaded: load one first");
  await expect(worker.load(Uint8Array.of(1, 2), MODULE)).rejects.toThrow("not a GGUF file");
  await load();
  const rejected = (prompt: string, options: object): Promise<unknown> =>
    all(worker.generate(prompt, { chain: greedy, ...options })).catch(
      (error: Error) => `${error.name}: ${error.message}`,
    );
  expect(await rejected(PROMPT, { chain: compilePipeline("top_k(3)") })).toMatch(
    /^InputError: .*does not pick a token/,
  );
  expect(await rejected(PROMPT, { contextSize: -1 })).toMatch(/^InputError: `contextSize` must be/);
  expect(await rejected("word ".repeat(600), {})).toMatch(/^InputError: the prompt has \d+ tokens/);
  expect(await rejected(PROMPT, { alternatives: 1000 })).toMatch(/^InputError: `alternatives` must be/);
  expect(await all(worker.generate(PROMPT, { chain: greedy, maxTokens: 3 }))).toHaveLength(3);
});

llamaTest("invalid messages also get an answer", async () => {
  const replies: object[] = [];
  const raw = channel.port2;
  const answers = (count: number): Promise<void> =>
    new Promise((resolve) => {
      raw.onmessage = ({ data }) => {
        replies.push(data as object);
        if (replies.length === count) resolve();
      };
    });
  const done = answers(5);
  raw.postMessage({ id: 1, request: { type: "explode" } });
  raw.postMessage({ id: 2, request: { type: "cancel", generation: 7 } });
  raw.postMessage(null);
  raw.postMessage({ id: 4, request: { type: "generate", prompt: PROMPT, spec: writeSpec(greedy.graph) } });
  await done;
  const failed = (id: number): object => ({
    id,
    error: { name: "InputError", message: expect.any(String), members: expect.any(Object) },
  });
  expect(replies).toEqual([{ id: 0, answer: undefined }, ...[1, 2, 0, 4].map(failed)]);
});

llamaTest("options that cannot be sent are refused", async () => {
  const start = (options: object) => worker.generate(PROMPT, { chain: greedy, ...options });
  expect(() => start({ signal: AbortSignal.abort() })).toThrow("`signal` cannot be given to a worker: call `cancel()`");
  expect(() => start({ onPromptProgress: () => undefined })).toThrow("`onPromptProgress` cannot be given to a worker");
  expect(() => start({ feed: {} })).toThrow("`feed` cannot be given to a worker");
  expect(() => start({ speculate: { draft: {} } })).toThrow("`speculate.draft` cannot be given to a worker");
  const load = (options: object) => loadModelFromBytes(readFileSync(DEMO_MODEL), options);
  await expect(load({ onProgress: () => undefined })).rejects.toThrow(
    "`onProgress` cannot be given for a model in memory",
  );
  await expect(load({ signal: AbortSignal.abort() })).rejects.toThrow("`signal` cannot be given for a model in memory");
});

llamaTest("a text obeys a JSON schema", async () => {
  await load();
  const chain = compile(
    'import { constrain, temp, dist } from "std"\nchain c(g: grammar) = constrain(g) |> temp(0.8) |> dist(3)',
  );
  const properties = { age: { type: "integer", minimum: 10, maximum: 99 }, kind: { enum: ["small", "large"] } };
  const jsonSchema = { type: "object", properties, required: ["age", "kind"] };
  const tokens = await all(worker.generate(PROMPT, { chain, uniforms: { g: { jsonSchema } }, maxTokens: 60 }));
  const value = JSON.parse(tokens.map(({ text }) => text).join("")) as { age: number; kind: string };
  expect(value.age >= 10 && value.age <= 99 && ["small", "large"].includes(value.kind)).toBe(true);
});

llamaTest("the logits of the last tokens are those of each beginning of the prompt", async () => {
  const { vocabSize } = await load();
  const tokens = await worker.tokenize(PROMPT);
  using model = await loadHere();
  expect(tokens).toEqual(model.tokenize(PROMPT));
  const rows = await worker.logits(tokens, { last: 3 });
  expect(rows).toHaveLength(3 * vocabSize);
  for (const [i, end] of [tokens.length - 2, tokens.length - 1, tokens.length].entries()) {
    const alone = await model.logits(tokens.slice(0, end));
    const row = rows.subarray(i * vocabSize, (i + 1) * vocabSize);
    expect(Math.max(...row.map((x, token) => Math.abs(x - alone[token]!)))).toBeLessThan(1e-3);
  }
  await expect(worker.logits(tokens, { last: tokens.length + 1 })).rejects.toThrow(
    `\`last\` must be at most ${tokens.length} for a prompt of ${tokens.length} tokens`,
  );
  await expect(worker.logits(tokens, { last: 0 })).rejects.toThrow("`last` must be");
});
